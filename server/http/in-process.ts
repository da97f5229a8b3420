/** Asks an address of the API without HTTP: the same handlers, the same refusals, and no quota but that of who asked. */

import { isServiceRoute, type RouteName, routeNamed, type ServiceRouteName } from "../../api-static/routes/index.ts";
import { AskedPage, answering, type Handlers, type PageHandler, type Replying } from "./add-routes.ts";
import type { Answer } from "./answer.ts";
import type { ReadRequest } from "./read-request.ts";

/** A question to the API, as a program would ask it: parameters that are empty are left out. */
export interface Question {
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** JSON, unless something else is asked for. */
  readonly accept?: string;
}

/** Whom it is asked for: who is signed in, what leaves when they do, and where cookies and headers go. */
export interface For {
  readonly request: ReadRequest;
  readonly reply: Replying;
}

/** @throws ProblemError as the address would answer with */
export type AskInProcess = (name: RouteName, question: Question, who: For) => Promise<Answer>;

export function askInProcess(handlers: Handlers<ServiceRouteName>, page: PageHandler): AskInProcess {
  return async (name, { key, query = {}, body, accept = "application/json" }, { request, reply }) => {
    const route = routeNamed(name);
    const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key ?? ""));
    const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
    const asked: ReadRequest = {
      target: text === "" ? path : `${path}?${text}`,
      path,
      query: text,
      parameters: route.key === null || key === undefined ? {} : { [route.key.name]: key },
      headers: { "user-agent": request.headers["user-agent"], accept },
      caller: request.caller,
      signed: request.signed,
      body,
      get cookies() {
        return request.cookies;
      },
      get signal() {
        return request.signal;
      },
    };
    return isServiceRoute(name) ? answering(name, handlers)(asked, reply) : page(new AskedPage(route, asked), reply);
  };
}
