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
import { CACHE, CSS_TYPE, ignores, type PathKey, type Route } from "../../api-static/routes/route.ts";
import { doiIn } from "../../pipeline/parse-identifier.ts";
import { nearest, orcidOf } from "../../pipeline/reading/identifiers.ts";
import { MOST_NAMED } from "../../schemas/public/api/queries.ts";
import { rowMembers } from "../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import { prefersHtml, wantsLinkedData } from "./content-negotiation.ts";
import { ignoreTypeOfNothing, readBodies, readBody } from "./read-body.ts";
import { type ReadRequest, type RoutedRequest, readRequest, refuseMalformed, type Signed } from "./read-request.ts";
import { type Answer, ProblemError, redirectAnswer, sendAnswer } from "./response.ts";

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

type Fault = { readonly path: string; readonly message: string };

/**
 * Reads the text after `?` by the schema of the route (decisions.md, "Requests").
 * @throws ProblemError `invalid-parameter`, or `unsupported-rubric`, naming every parameter at fault
 */
export function readQuery<Query extends z.ZodObject>(
  route: Pick<Route, "html" | "contentType" | "list" | "answer"> & { readonly query: Query },
  text: string,
): z.infer<Query> {
  const { query } = route;
  if (text === "") {
    // Most requests have none, and most addresses need none.
    const bare = query.safeParse({});
    if (bare.success) return bare.data;
  }
  const known = Object.keys(query.shape);
  const all = [...new URLSearchParams(text)];
  const given = all.filter(([name]) => known.includes(name));
  const values = new Map(given);
  const repeated = [...values.keys()].filter((name) => given.filter(([other]) => other === name).length > 1);
  const parsed = query.safeParse({
    ...impliedBy(values),
    ...Object.fromEntries([...values].map(([name, value]) => [name, spelled(name, value)])),
  });
  const faults = [
    ...repeated.map((path) => ({ path, message: "is given more than once" })),
    ...(parsed.error?.issues.map(faultOf) ?? []),
    ...misspelled(values),
    ...listFaults(route, values),
    ...(isOpen(query) ? [] : unknownParameters(new Set(all.map(([name]) => name)), route)),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw refusal(faults);
}

/** Whether an address takes parameters that only somebody else knows. */
function isOpen({ def }: z.ZodObject): boolean {
  return def.catchall !== undefined;
}

/** Rows that are named one by one are all wanted. */
function impliedBy(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return values.has("ids") ? { limit: String(MOST_NAMED) } : {};
}

/** In the one spelling, where there is one. */
function spelled(name: string, value: string): string {
  return SPELLINGS[name]?.read(value) ?? value;
}

function misspelled(values: ReadonlyMap<string, string>): Fault[] {
  return Object.entries(SPELLINGS).flatMap(([path, { read, wanted }]) => {
    const value = values.get(path);
    return value === undefined || read(value) !== null ? [] : [{ path, message: wanted }];
  });
}

function faultOf({ path, message }: z.core.$ZodIssue): Fault {
  const name = String(path[0] ?? "");
  return { path: name, message: name === "rubric" ? `must be one of ${PUBLIC_VERSIONS.join(", ")}` : message };
}

function refusal(errors: readonly Fault[]): ProblemError {
  const names = [...new Set(errors.map(({ path }) => path))].join(", ");
  // An unknown version has a type of its own, whatever else is wrong with the request (interface.md, "Errors").
  const rubric = errors.find(({ path, message }) => path === "rubric" && message.startsWith("must"));
  return rubric === undefined
    ? new ProblemError(
        "invalid-parameter",
        `These parameters are unknown, malformed, out of range or repeated: ${names}.`,
        {
          errors: [...errors],
        },
      )
    : new ProblemError("unsupported-rubric", `The public SHARE versions are ${PUBLIC_VERSIONS.join(" and ")}.`, {
        errors: [...errors],
      });
}

/** Whether a route's request asks for a page as it was rendered: exactly one of its query strings. */
export function isCanonical(route: Route, text: string): boolean {
  return route.pages.some(({ query }) => query === text);
}

interface ListFault {
  readonly path: string;
  readonly message: string;
}

/** Longer names are cut where they are shown. */
const LONGEST_SHOWN = 60;

/** Fields that are shown at once. */
const MOST_SHOWN = 20;

/** `values`: known parameters as they were given. Empty for what is no list with cursors and fields. */
function listFaults(
  { list, answer }: Pick<Route, "list" | "answer">,
  values: ReadonlyMap<string, string>,
): readonly ListFault[] {
  if (!list) return [];
  const twoPlaces = values.has("cursor") && values.has("page");
  const fields = values.get("fields");
  return [
    ...(twoPlaces ? [{ path: "page", message: "cannot be given beside cursor, which says where to go on" }] : []),
    ...(fields === undefined ? [] : unknownFields(answer, fields.split(","))),
  ];
}

function unknownFields(answer: Route["answer"], asked: readonly string[]): ListFault[] {
  if (asked.length > MOST_NAMED) return [{ path: "fields", message: `must name at most ${MOST_NAMED} fields` }];
  const known = rowMembers(answer).map(({ path }) => path);
  const unknown = [...new Set(asked)].filter((name) => !known.includes(name));
  return unknown.slice(0, MOST_SHOWN).map((name) => {
    const shown = name.slice(0, LONGEST_SHOWN);
    const meant = nearest(shown, known);
    return { path: "fields", message: `${JSON.stringify(shown)} is no field of these rows; the nearest is ${meant}` };
  });
}

interface Spelling {
  /** The one spelling; null for what is none. */
  readonly read: (text: string) => string | null;
  readonly wanted: string;
}

/** Spellings by the name of the parameter, the same at every address. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  doi: { read: (text) => doiIn(text.trim()), wanted: "must be a DOI such as 10.5072/example, or its address" },
  orcid: {
    read: orcidOf,
    wanted: "must be an ORCID iD such as 0000-0002-1825-0097, or its address; its last character is a check digit",
  },
};

/** Names that other services give to what ours has under another, each with ours. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  q: "search",
  query: "search",
  text: "search",
  name: "search",
  title: "search",
  id: "identifier",
  per_page: "limit",
  pagesize: "limit",
  page_size: "limit",
  size: "limit",
  rows: "limit",
  offset: "page",
  start: "page",
  order: "sortOrder",
  direction: "sortOrder",
  version: "rubric",
  type: "recordKind",
  country: "countryCode",
  select: "fields",
  columns: "fields",
};

/** Longer names are cut where they are shown. */
const LONGEST_NAME_SHOWN = 60;

/** Names that are shown at once. */
const MOST_NAMES_SHOWN = 20;

/** One fault a name that is neither known to the address nor ignored by it, naming the nearest known one. */
export function unknownParameters(
  names: ReadonlySet<string>,
  route: Pick<Route, "query" | "html" | "contentType">,
): { readonly path: string; readonly message: string }[] {
  const known = Object.keys(route.query.shape);
  const unknown = [...names].filter((name) => !known.includes(name) && !ignores(route, name));
  return unknown.slice(0, MOST_NAMES_SHOWN).map((name) => {
    const shown = name.slice(0, LONGEST_NAME_SHOWN);
    const meant = meantBy(shown, known);
    const hint = meant === null ? "it takes none" : `the nearest it has is ${meant}`;
    return { path: shown, message: `is no parameter of this address; ${hint}` };
  });
}

function meantBy(name: string, known: readonly string[]): string | null {
  const elsewhere = Object.hasOwn(ELSEWHERE, name.toLowerCase()) ? ELSEWHERE[name.toLowerCase()] : undefined;
  return elsewhere !== undefined && known.includes(elsewhere) ? elsewhere : nearest(name, known);
}
