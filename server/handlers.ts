/** Who answers each address of api-static/routes/index.ts. */

import type { Route } from "../api-static/routes/route.ts";
import { answerEvaluation, answerJob, answerNewJob } from "./evaluations/answers.ts";
import type { Handler } from "./frame/handler.ts";
import { ACCOUNT } from "./people/account/handlers.ts";
import { answerRegistration } from "./people/api-keys/register.ts";
import { SIGN_IN } from "./people/sign-in/handlers.ts";
import { answerFromPage, answerRoute } from "./read/answers/read-routes.ts";
import { answerReleaseDiff } from "./read/answers/release-diff.ts";
import { answerReceipt, answerReleaseFile, answerReleases } from "./read/answers/release-files.ts";
import { answerIndex } from "./read/service/index-page.ts";
import { answerOpenApi } from "./read/service/openapi-page.ts";
import { answerProblemPage } from "./read/service/problem-pages.ts";
import { answerReference } from "./read/service/reference-page.ts";
import { answerHealth, answerStatus } from "./read/service/status.ts";
import { answerReleaseKeys } from "./read/service/well-known.ts";

/** Addresses that no release has pages for, by the name of their route. */
const SERVICE: Readonly<Record<string, Handler>> = {
  index: answerIndex,
  health: answerHealth,
  status: answerStatus,
  releases: answerReleases,
  release: answerReceipt,
  "release-diff": answerReleaseDiff,
  "release-file": answerReleaseFile,
  "release-keys": answerReleaseKeys,
  openapi: answerOpenApi,
  docs: answerReference,
  problem: answerProblemPage,
  evaluation: ({ body }, { evaluations }) => answerEvaluation(body, evaluations),
  "new-evaluation-job": ({ body, caller }, { evaluations }) => answerNewJob(body, caller, evaluations),
  "evaluation-job": ({ parameters }, { evaluations }) => answerJob(parameters.id ?? "", evaluations),
  register: ({ body, caller }, { accounts, quotas, now }) =>
    answerRegistration(body, caller, { accounts, quota: quotas.registration, now }),
  ...SIGN_IN,
  ...ACCOUNT,
};

/** @throws Error where nobody answers the route */
export function handlerOf(route: Route): Handler {
  if (route.subject !== null) {
    return (request, { active, standings }, reply) => {
      const { release: now } = active;
      const atHand = now === null ? null : answerFromPage(route, request, now);
      if (now !== null && atHand !== null) {
        reply.header("share-release", now.digest);
        return atHand;
      }
      return active.use((release) => {
        reply.header("share-release", release.digest);
        return answerRoute(route, request, release, standings.current);
      });
    };
  }
  const handler = SERVICE[route.name];
  if (handler === undefined) throw new Error(`nobody answers the route ${route.name}`);
  return handler;
}
