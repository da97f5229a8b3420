/**
 * Addresses that no release has pages for. They are not rows of api-static/routes.ts because that table is part of what
 * the release digest covers and of what is rendered: a new status page must not make a new release.
 */

import type { Answer } from "./answer.ts";
import { answerIndex } from "./index-page.ts";
import { answerProblemPage } from "./problem-pages.ts";
import type { ReadRequest } from "./read-request.ts";
import { answerReceipt, answerReleaseFile, answerReleases } from "./release-files.ts";
import type { ServerContext } from "./server-context.ts";
import { answerHealth, answerStatus } from "./status.ts";

export interface AddedRoute {
  readonly name: string;
  /** Path template; `*` is the rest of the path. */
  readonly path: string;
  readonly summary: string;
  readonly answer: (request: ReadRequest, context: ServerContext) => Promise<Answer>;
}

export const ADDED_ROUTES: readonly AddedRoute[] = [
  { name: "index", path: "/", summary: "What this service is and where to begin", answer: answerIndex },
  {
    name: "health",
    path: "/health",
    summary: "Whether the server answers, and from which release",
    answer: answerHealth,
  },
  { name: "status", path: "/status", summary: "How old and how whole each source is", answer: answerStatus },
  { name: "releases", path: "/releases", summary: "All releases, newest first", answer: answerReleases },
  { name: "release", path: "/releases/{digest}", summary: "The receipt of a release", answer: answerReceipt },
  { name: "release-file", path: "/releases/{digest}/*", summary: "A file of a release", answer: answerReleaseFile },
  { name: "problem", path: "/problems/{type}", summary: "What a problem means", answer: answerProblemPage },
];
