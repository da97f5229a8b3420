/** Who answers each address of api-static/routes.ts. */

import type { Route } from "../api-static/route.ts";
import type { Answer } from "./answer.ts";
import { answerIndex } from "./index-page.ts";
import { answerProblemPage } from "./problem-pages.ts";
import type { ReadRequest } from "./read-request.ts";
import { answerRoute } from "./read-routes.ts";
import { answerReceipt, answerReleaseFile, answerReleases } from "./release-files.ts";
import type { ServerContext } from "./server-context.ts";
import { answerHealth, answerStatus } from "./status.ts";

export type Handler = (request: ReadRequest, context: ServerContext) => Promise<Answer>;

/** Addresses that no release has pages for, by the name of their route. */
const SERVICE: Readonly<Record<string, Handler>> = {
  index: answerIndex,
  health: answerHealth,
  status: answerStatus,
  releases: answerReleases,
  release: answerReceipt,
  "release-file": answerReleaseFile,
  problem: answerProblemPage,
};

/** @throws Error where nobody answers the route */
export function handlerOf(route: Route): Handler {
  if (route.subject !== null) {
    return (request, { active }) =>
      active.use(async (release) => {
        const answer = await answerRoute(route, request, release);
        return { ...answer, headers: { ...answer.headers, "share-release": release.digest } };
      });
  }
  const handler = SERVICE[route.name];
  if (handler === undefined) throw new Error(`nobody answers the route ${route.name}`);
  return handler;
}
