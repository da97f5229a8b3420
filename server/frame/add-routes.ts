/** Puts api-static/routes/index.ts on the wire: every address, its methods, and 405 for the others. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  isServiceRoute,
  isSiteRoute,
  PAGES,
  pageFor,
  ROUTES,
  type ServiceRouteName,
  type SiteRouteName,
} from "../../api-static/routes/index.ts";
import { CSS_TYPE, type Route } from "../../api-static/routes/route.ts";
import { type Answer, sendAnswer } from "./answering/answer.ts";
import { ProblemError } from "./answering/problem-error.ts";
import type { Answering, HandledRouteName, Handlers, PageHandler } from "./handler.ts";
import { leadToPage } from "./lead-to-page.ts";
import { askedReader } from "./read-asked.ts";
import { readBodies } from "./reading/body-kinds.ts";
import { refuseMalformed } from "./reading/malformed-request.ts";
import { type RoutedRequest, readRequest } from "./reading/read-request.ts";
import { ignoreTypeOfNothing } from "./reading/without-body.ts";

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
    : (request, reply) => page(route, request, reply);
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
