/** Puts api-static/routes/index.ts on the wire: every address, its methods, and 405 for the others. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import {
  isServiceRoute,
  isSiteRoute,
  PAGES,
  pageFor,
  ROUTES,
  type RouteName,
  type RouteNamed,
  routeNamed,
  type ServiceRouteName,
  type SiteRouteName,
} from "../../api-static/routes/index.ts";
import { CACHE, CSS_TYPE, type PathKey, type Route } from "../../api-static/routes/route.ts";
import { type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import { type Answer, ProblemError, redirectAnswer, sendAnswer } from "./answer.ts";
import { prefersHtml, wantsLinkedData } from "./content-negotiation.ts";
import { ignoreTypeOfNothing, readBodies, readBody } from "./read-body.ts";
import { readQuery } from "./read-query.ts";
import { type ReadRequest, type RoutedRequest, readRequest, refuseMalformed, type Signed } from "./read-request.ts";

/** The gates that a request passes before it is answered. */
export interface Gates {
  /** Lets a request of an own-site route pass, and says on it who is signed in. */
  readonly ownSite: (route: Route) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Charges a further quota to the request's caller. */
  readonly charge: (request: FastifyRequest, reply: FastifyReply, quota: NonNullable<Route["quota"]>) => Promise<void>;
}

const METHODS = { get: ["GET", "HEAD"], post: ["POST"], delete: ["DELETE"] } as const satisfies Record<
  Route["method"],
  readonly string[]
>;

/** Seconds for which a browser need not ask again what it may send: a day. */
const PREFLIGHT_SECONDS = "86400";

/** Who answers what: `handlers` what only the server can, `page` what releases have pages for, `site` the pages for people. */
export interface Answerers {
  readonly handlers: Handlers<ServiceRouteName>;
  readonly page: PageHandler;
  /** Null where only programs are answered. */
  readonly site: Handlers<SiteRouteName> | null;
}

export function addRoutes(app: FastifyInstance, answerers: Answerers, gates: Gates): void {
  refuseMalformed(app);
  const { site } = answerers;
  const routes = site === null ? ROUTES : [...ROUTES, ...PAGES];
  for (const route of routes) {
    // Each kind of body is taken where its route stands, and nowhere else.
    if (route.body === null || route.bodyKind === "json") addRoute(app, route, answerers, gates);
    else app.register(async (room) => addRoute(readBodies(room, route.bodyKind), route, answerers, gates));
  }
  for (const path of new Set(routes.map((route) => route.path))) addOtherMethods(app, path, routes);
}

/** Badges, which other sites show to many: they do not count against the limits of the reader. */
function isShownElsewhere({ path }: Route): boolean {
  return path.startsWith("/widgets/");
}

function addRoute(app: FastifyInstance, route: Route, answerers: Answerers, gates: Gates): void {
  const { quota } = route;
  const answer = answeringOf(route, answerers);
  app.route<{ Params: RoutedRequest["params"] }>({
    method: [...METHODS[route.method]],
    url: urlOf(route.path),
    bodyLimit: route.largestBody,
    config: {
      ownSite: route.ownSite,
      site: isSiteRoute(route.name),
      badge: isShownElsewhere(route) || route.contentType === CSS_TYPE,
    },
    onRequest: [
      ...(route.body === null && route.method !== "get" ? [ignoreTypeOfNothing] : []),
      ...(route.ownSite ? [gates.ownSite(route)] : []),
    ],
    handler: (request: RoutedRequest, reply: FastifyReply) => {
      if (quota === null) return send(reply, answer(readRequest(request), reply));
      return gates.charge(request, reply, quota).then(() => send(reply, answer(readRequest(request), reply)));
    },
  });
}

function answeringOf(route: Route, { handlers, page, site }: Answerers): Answering {
  const { name } = route;
  if (site !== null && isSiteRoute(name)) return answering(name, site);
  const answer: Answering = isServiceRoute(name)
    ? answering(name, handlers)
    : (request, reply) => page(new AskedPage(route, request), reply);
  const people = site === null ? null : pageFor(name);
  return people === null ? answer : leadToPage(route, people, answer);
}

/** The handler of a route, given what its row says is asked. */
export function answering<Name extends HandledRouteName>(name: Name, handlers: Handlers<Name>): Answering {
  const [handler, read] = [handlers[name], askedReader(name)];
  return (request, reply) => handler(read(request), reply);
}

/** What is at hand goes out at once: a promise costs more than finding a page. */
function send(reply: FastifyReply, answer: Answer | Promise<Answer>): Promise<FastifyReply> | undefined {
  const sent = answer instanceof Promise ? answer.then((made) => sendAnswer(reply, made)) : sendAnswer(reply, answer);
  // Only now does the framework take what was sent for the handler's answer.
  return sent?.then(() => reply);
}

/** OPTIONS says what there is, to browsers too; every other method is 405. */
function addOtherMethods(app: FastifyInstance, path: string, routes: readonly Route[]): void {
  const allowed = [
    ...routes.filter((route) => route.path === path).flatMap(({ method }) => METHODS[method]),
    "OPTIONS",
  ];
  const allow = allowed.join(", ");
  const ownSite = routes.some((route) => route.path === path && route.ownSite);
  const config = { ownSite };
  const headers = {
    allow,
    // Browsers ask before they send another site's request: where none may, nothing is allowed.
    ...(ownSite
      ? {}
      : {
          "access-control-allow-methods": allow,
          "access-control-allow-headers": "*",
          "access-control-max-age": PREFLIGHT_SECONDS,
        }),
  };
  const url = urlOf(path);
  app.options(url, { config }, async (_request, reply) => reply.code(204).headers(headers).send());
  const refuse = async () => {
    throw new ProblemError("method-not-allowed", `This address answers ${allow}.`, { headers: { allow } });
  };
  // Refused before its body is read.
  const method = app.supportedMethods.filter((name) => !allowed.includes(name));
  app.route({ method, url, config, onRequest: refuse, handler: refuse });
}

/** A path template as the router has it. */
function urlOf(path: string): string {
  return path.replace(/\{file\}$/, "*").replace(/\{(\w+)\}/g, ":$1");
}

/** The answers of `route`, and for browsers the way to `page`, its key and its query kept. */
function leadToPage(route: Route, page: Route, answer: Answering): Answering {
  const forPrograms = Object.keys(route.query.shape).filter((name) => !(name in page.query.shape));
  return (request, reply) => {
    if (!prefersHtml(request) || comesFromHere(request)) return answer(request, reply);
    if (route.linkedData && wantsLinkedData(request.headers.accept)) return answer(request, reply);
    // The page could not show what was asked for.
    const asked = forPrograms.length === 0 || request.query === "" ? null : new URLSearchParams(request.query);
    if (asked !== null && forPrograms.some((name) => asked.has(name))) return answer(request, reply);
    const key = Object.values(request.parameters)[0] ?? "";
    const path = page.path.replace(/\{\w+\}/, encodeURIComponent(key));
    return redirectAnswer(request.query === "" ? path : `${path}?${request.query}`, CACHE.never, 307);
  };
}

/** Who follows the link to the JSON on one of our pages wants the JSON; browsers say so (Fetch Metadata). */
function comesFromHere({ headers }: Pick<ReadRequest, "headers">): boolean {
  return headers["sec-fetch-site"] === "same-origin";
}

/**
 * What reads requests by the row of a route, which is looked up once.
 * @throws ProblemError `invalid-parameter`, `invalid-body`, or what the row answers an unknown key with: the reader, of a request
 */
export function askedReader<Name extends HandledRouteName>(name: Name): (request: ReadRequest) => Asked<Name> {
  const route = routeNamed(name);
  return (request) => {
    const asked = {
      request,
      key: keyOf(route, request),
      query: readQuery(route, request.query),
      body: route.body === null ? null : readBody(route.body, request.body),
      signed: request.signed,
    };
    // The table says of each row what its schemas give, which a loop over rows cannot know.
    return asked as Asked<Name>;
  };
}

function keyOf({ key }: Route, { parameters }: ReadRequest): string | null {
  if (key === null) return null;
  const value = key.schema.safeParse(parameters[key.name] ?? "");
  if (!value.success) throw unknownKey(key);
  return value.data;
}

/** The same problem for a malformed key and for a key that names nothing. */
export function unknownKey({ unknown }: PathKey): ProblemError {
  return new ProblemError(unknown.problem, unknown.detail);
}

/** What a schema of a row gives; null where the row has none. */
type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : null;

/** A request that fits its row: key, query and body are what the row's schemas gave. */
export interface Asked<Name extends RouteName> {
  readonly request: ReadRequest;
  /** The path parameter, percent-decoded once; null where the path has none. */
  readonly key: RouteNamed<Name>["key"] extends null ? null : string;
  readonly query: Parsed<RouteNamed<Name>["query"]>;
  readonly body: Parsed<RouteNamed<Name>["body"]>;
  /** Who is signed in; somebody is, where the row has `session`. */
  readonly signed: RouteNamed<Name>["session"] extends true ? Signed : Signed | null;
}

/**
 * A request to a route of release pages. Its query is parsed when it is first needed, and once: most requests are answered
 * by a page without it.
 */
export class AskedPage {
  readonly route: Route;
  readonly request: ReadRequest;
  /** The path parameter, percent-decoded once and not validated; null if the path has none. */
  readonly key: string | null;
  #query: object | null = null;

  constructor(route: Route, request: ReadRequest) {
    this.route = route;
    this.request = request;
    this.key = route.key === null ? null : (request.parameters[route.key.name] ?? "");
  }

  /** @throws ProblemError `invalid-parameter` or `unsupported-rubric` */
  get query(): object {
    this.#query ??= readQuery(this.route, this.request.query);
    return this.#query;
  }

  /** The public version that is asked for; null if the route answers the same under every version. */
  get version(): PublicVersion | null {
    const { query } = this;
    return "rubric" in query ? publicVersion.parse(query.rubric) : (this.route.pages[0]?.version ?? null);
  }
}

/** `reply` is there for headers that a problem must have too, and for cookies. */
export type Replying = Pick<FastifyReply, "header" | "setCookie">;

/** Routes that have handlers of their own. */
type HandledRouteName = ServiceRouteName | SiteRouteName;

export type Handler<Name extends HandledRouteName> = (asked: Asked<Name>, reply: Replying) => Answer | Promise<Answer>;

/** Handlers by the name of their route. */
export type Handlers<Name extends HandledRouteName> = { readonly [N in Name]: Handler<N> };

/** Answers every route that a release has pages for; without a promise if the answer is in memory. */
export type PageHandler = (asked: AskedPage, reply: Replying) => Answer | Promise<Answer>;

/** An address with its handler: what is left is a request. */
type Answering = (request: ReadRequest, reply: Replying) => Answer | Promise<Answer>;

/** The body of a request to a route. */
export type BodyOf<Name extends HandledRouteName> = Asked<Name>["body"];

/** What Node says of a connection the other side has ended, while a body came or an answer went. */
const ENDED = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECONNABORTED"]);

/** True where an error is that the client of this request has gone. */
export function clientLeft(error: unknown, request: FastifyRequest): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ENDED.has(code) && request.raw.socket.destroyed;
}
