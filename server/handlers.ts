/** Who answers each address of api-static/routes.ts. */

import type { Route } from "../api-static/route.ts";
import { ACCOUNT } from "./account/handlers.ts";
import { answerRegistration } from "./api-keys/register.ts";
import { answerEvaluation, answerJob, answerNewJob } from "./evaluations/answers.ts";
import type { Handler } from "./handler.ts";
import { answerFromPage, answerRoute } from "./release/read-routes.ts";
import { answerReleaseDiff } from "./release/release-diff.ts";
import { answerReceipt, answerReleaseFile, answerReleases } from "./release/release-files.ts";
import { answerIndex } from "./service/index-page.ts";
import { answerOpenApi } from "./service/openapi-page.ts";
import { answerProblemPage } from "./service/problem-pages.ts";
import { answerReference } from "./service/reference-page.ts";
import { answerHealth, answerStatus } from "./service/status.ts";
import { answerReleaseKeys } from "./service/well-known.ts";
import { SIGN_IN } from "./sign-in/handlers.ts";

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
