/** The handler of an address: a function of what was asked, as the address's row in the table of routes says it. */

import type { FastifyReply } from "fastify";
import type { z } from "zod";
import type { RouteName, RouteNamed, ServiceRouteName, SiteRouteName } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import type { Answer } from "./answering/answer.ts";
import type { ReadRequest, Signed } from "./reading/read-request.ts";

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

/** `reply` is there for headers that a problem must have too, and for cookies. */
export type Replying = Pick<FastifyReply, "header" | "setCookie">;

/** Routes that have handlers of their own. */
export type HandledRouteName = ServiceRouteName | SiteRouteName;

export type Handler<Name extends HandledRouteName> = (asked: Asked<Name>, reply: Replying) => Answer | Promise<Answer>;

/** Handlers by the name of their route. */
export type Handlers<Name extends HandledRouteName> = { readonly [N in Name]: Handler<N> };

/** Answers every address that a release has pages for. What is at hand is given at once. */
export type PageHandler = (route: Route, request: ReadRequest, reply: Replying) => Answer | Promise<Answer>;

/** An address with its handler: what is left is a request. */
export type Answering = (request: ReadRequest, reply: Replying) => Answer | Promise<Answer>;

/** The body of a request to a route. */
export type BodyOf<Name extends HandledRouteName> = Asked<Name>["body"];
