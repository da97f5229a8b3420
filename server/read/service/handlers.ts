/** The handlers of the addresses of the service itself. */

import type { Effects } from "../../../pipeline/stage/effects.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Handlers } from "../../frame/handler.ts";
import type { Standings } from "../../people/hidden/standings.ts";
import type { ActiveRelease } from "../release/active-release.ts";
import { answerIndex } from "./index-page.ts";
import { openApiAnswer } from "./openapi-page.ts";
import { answerProblemPage } from "./problem-pages.ts";
import { referenceAnswer } from "./reference-page.ts";
import { answerHealth, answerStatus } from "./status.ts";
import { answerReleaseKeys } from "./well-known.ts";

export interface ServiceContext {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly now: Effects["now"];
  /** The operator's email address or https URL; null if unset. */
  readonly contact: string | null;
}

type Names = "index" | "health" | "status" | "release-keys" | "openapi" | "docs" | "problem";

export function serviceHandlers(context: ServiceContext): Handlers<Names> {
  return {
    index: ({ request }) => answerIndex(request),
    health: () => answerHealth(context),
    status: () => answerStatus(context),
    "release-keys": () => answerReleaseKeys(context.store),
    openapi: openApiAnswer(context.contact),
    docs: referenceAnswer(context.contact),
    problem: ({ key, request }) => answerProblemPage(key, request),
  };
}
