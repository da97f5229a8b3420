/** Puts api-static/routes/index.ts on the wire: every address, its methods, and 405 for the others. */

import type { FastifyInstance, FastifyReply } from "fastify";
import { ROUTES } from "../../api-static/routes/index.ts";
import { isBadge, type Route } from "../../api-static/routes/route.ts";
import { handlerOf } from "../handlers.ts";
import { ownPagesHook, ownSiteHook } from "../people/sign-in/own-site.ts";
import type { ServerContext } from "../server-context.ts";
import { type Answer, sendAnswer } from "./answer.ts";
import { refuseMalformed } from "./malformed-request.ts";
import { ProblemError } from "./problem-error.ts";
import { isCanonical, readQuery } from "./read-query.ts";
import { type RoutedRequest, readRequest } from "./read-request.ts";
import { ignoreTypeOfNothing } from "./without-body.ts";

const METHODS = { get: ["GET", "HEAD"], post: ["POST"], delete: ["DELETE"] } as const satisfies Record<
  Route["method"],
  readonly string[]
>;

/** Seconds for which a browser need not ask again what it may send: a day. */
const PREFLIGHT_SECONDS = "86400";

export function addRoutes(app: FastifyInstance, context: ServerContext): void {
  refuseMalformed(app);
  for (const route of ROUTES) {
    const answer = handlerOf(route);
    app.route<{ Params: RoutedRequest["params"] }>({
      method: [...METHODS[route.method]],
      url: urlOf(route.path),
      config: { ownSite: isOwn(route), badge: isBadge(route) },
      onRequest: [
        ...(route.body === null && route.method !== "get" ? [ignoreTypeOfNothing] : []),
        ...(route.ownSite ? [ownSiteHook(route, context.signIn)] : []),
        ...(route.ownPages ? [ownPagesHook(context.signIn)] : []),
      ],
      handler: (request: RoutedRequest, reply: FastifyReply) => {
        const asked = readRequest(request);
        requireKnown(route, asked.query);
        const { quota } = route;
        if (quota === null) return send(reply, answer(asked, context, reply));
        return context.limits.charge(request, reply, quota).then(() => send(reply, answer(asked, context, reply)));
      },
    });
  }
  for (const path of new Set(ROUTES.map((route) => route.path))) addOtherMethods(app, path);
}

/** @throws ProblemError naming every parameter at fault, at every address: also where no handler looks for any */
function requireKnown(route: Route, query: string): void {
  if (query !== "" && !isCanonical(route, query)) readQuery(route.query, query);
}

/** What is at hand goes out at once: a promise costs more than finding a page. */
function send(reply: FastifyReply, answer: Answer | Promise<Answer>): Promise<FastifyReply> | undefined {
  const sent = answer instanceof Promise ? answer.then((made) => sendAnswer(reply, made)) : sendAnswer(reply, answer);
  // Only now does the framework take what was sent for the handler's answer.
  return sent?.then(() => reply);
}

/** OPTIONS says what there is, to browsers too; every other method is 405. */
function addOtherMethods(app: FastifyInstance, path: string): void {
  const allowed = [
    ...ROUTES.filter((route) => route.path === path).flatMap(({ method }) => METHODS[method]),
    "OPTIONS",
  ];
  const allow = allowed.join(", ");
  const ownSite = ROUTES.some((route) => route.path === path && isOwn(route));
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

/** Whether pages of other origins are kept from the answer. */
function isOwn({ ownSite, ownPages }: Route): boolean {
  return ownSite || ownPages;
}

/** A path template as the router has it. */
function urlOf(path: string): string {
  return path.replace(/\{file\}$/, "*").replace(/\{(\w+)\}/g, ":$1");
}
