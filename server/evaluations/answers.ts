/** POST /evaluations, POST /evaluation-jobs and GET /evaluation-jobs/{id}. */

import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import { jobId } from "../../schemas/public/api/evaluation.ts";
import type { Answer } from "../frame/answer.ts";
import type { Caller } from "../frame/caller.ts";
import { jsonAnswer, madeAnswer } from "../frame/json-answer.ts";
import { ProblemError } from "../frame/problem-error.ts";
import type { Evaluations } from "./index.ts";
import { pathOf } from "./job-failure.ts";
import { QueueFull } from "./job-queue.ts";
import { readWanted } from "./wanted.ts";

/** Seconds after which a job is worth looking at, or a full queue may have room. */
const JOB_SECONDS = 2;
const QUEUE_SECONDS = 30;

/**
 * 200 with the record of the active release, or 201 with what was fetched and scored now. `body`: the parsed JSON.
 * @throws ProblemError saying why there is no score
 */
export async function answerEvaluation(body: unknown, evaluations: Evaluations): Promise<Answer> {
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
 * @throws ProblemError `invalid-body`, `unsupported-source` or `too-many-evaluations`
 */
export async function answerNewJob(body: unknown, caller: Caller, evaluations: Evaluations): Promise<Answer> {
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

/** @throws ProblemError `job-not-found` */
export async function answerJob(id: string, evaluations: Evaluations): Promise<Answer> {
  const job = jobId.safeParse(id).success ? await evaluations.findJob(id) : null;
  if (job !== null) return jsonAnswer(job, CACHE.never);
  throw new ProblemError("job-not-found", "There is no such job; a job that has ended is kept for 30 days.");
}
