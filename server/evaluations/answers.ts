/** The handlers of POST /evaluations, POST /evaluation-jobs and GET /evaluation-jobs/{id}. */

import { CACHE, JSON_TYPE, jobKey } from "../../api-static/routes/route.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import type { EvaluationRequest } from "../../schemas/public/api/evaluation.ts";
import type { Asked, Handlers } from "../http/add-routes.ts";
import { unknownKey } from "../http/add-routes.ts";
import type { Answer } from "../http/answer.ts";
import { jsonAnswer, madeAnswer, ProblemError } from "../http/answer.ts";
import type { Caller } from "../http/read-request.ts";
import type { Evaluations } from "./index.ts";
import { QueueFull } from "./job-queue.ts";
import { pathOf, readWanted } from "./job-runner.ts";

/** Seconds after which a job is worth looking at, or a full queue may have room. */
const JOB_SECONDS = 2;
const QUEUE_SECONDS = 30;

/**
 * 200 with the record of the active release, or 201 with what was fetched and scored now.
 * @throws ProblemError saying why there is no score
 */
async function answerEvaluation(body: EvaluationRequest, evaluations: Evaluations): Promise<Answer> {
  const wanted = await readWanted(body);
  const published = await evaluations.published(wanted);
  if (published === null) return madeAnswer(201, await evaluations.fresh(wanted));
  const { id, version, page, release } = published;
  return {
    status: 200,
    headers: {
      "content-type": JSON_TYPE,
      "cache-control": CACHE.never,
      "content-location": `/records/${id}?rubric=${version}`,
      "share-release": release.releaseDigest,
    },
    body: evaluations.shown(page),
  };
}

/**
 * 202 with the job, which is in the store by then.
 * @throws ProblemError `unsupported-source` or `too-many-evaluations`
 */
async function answerNewJob(body: EvaluationRequest, caller: Caller, evaluations: Evaluations): Promise<Answer> {
  try {
    const job = await evaluations.addJob(await readWanted(body), caller);
    return madeAnswer(202, job, { location: pathOf(job), "retry-after": String(JOB_SECONDS) });
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    throw new ProblemError("too-many-evaluations", FULL[error.of], {
      headers: { "retry-after": String(QUEUE_SECONDS) },
    });
  }
}

const FULL: Readonly<Record<QueueFull["of"], string>> = {
  all: "As many evaluations as may wait are waiting; try again later.",
  caller: "As many of your evaluations as may wait are waiting; try again when one has ended.",
  source: "As many evaluations of this source as may wait are waiting; those of other sources are taken.",
};

/** @throws ProblemError `invalid-parameter` for a source that is none of ours, `invalid-body` for what is no draft */
async function answerDraft({ query, body }: Asked<"draft">, evaluations: Evaluations): Promise<Answer> {
  const source = sourceNamed(query.source);
  if (source === null) {
    const known = SOURCES.map(({ name }) => name).join(", ");
    throw new ProblemError("invalid-parameter", `The sources are ${known}.`, {
      errors: [{ path: "source", message: `must be one of ${known}` }],
    });
  }
  return madeAnswer(200, await evaluations.draft(source, body, query.rubricVersion));
}

/** @throws ProblemError `job-not-found` */
async function answerJob(id: string, evaluations: Evaluations): Promise<Answer> {
  const job = await evaluations.findJob(id);
  if (job === null) throw unknownKey(jobKey);
  return jsonAnswer(job, CACHE.never);
}

export function evaluationHandlers(
  evaluations: Evaluations,
): Handlers<"evaluation" | "draft" | "new-evaluation-job" | "evaluation-job"> {
  return {
    evaluation: ({ body }) => answerEvaluation(body, evaluations),
    draft: (asked) => answerDraft(asked, evaluations),
    "new-evaluation-job": ({ body, request }) => answerNewJob(body, request.caller, evaluations),
    "evaluation-job": ({ key }) => answerJob(key, evaluations),
  };
}
