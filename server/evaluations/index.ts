/**
 * Evaluates datasets on request, at once or as jobs. The result is that of the active release if it has the score.
 * Otherwise the metadata are fetched and scored.
 */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { publishedSet, testResultSet } from "../../api-static/pages/fair-test-results.ts";
import { readPage, readPageOrNull } from "../../api-static/pages/read-page.ts";
import { WITHHELD_NAME } from "../../api-static/pages/rows.ts";
import { CACHE, FTR_TYPE, JSON_TYPE, jobKey } from "../../api-static/routes/route.ts";
import { removePeopleNames } from "../../pipeline/evaluate/evaluation.ts";
import { Evaluator, type EvaluatorOptions } from "../../pipeline/evaluate/index.ts";
import { buildDraftScore } from "../../pipeline/evaluate/scorer.ts";
import { identifierKey, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { getContract, getContractId } from "../../pipeline/rubrics/contracts.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import {
  type DraftResult,
  type Evaluation,
  type EvaluationResult,
  evaluationRequest,
  evaluationResult,
  type RubricVersion,
} from "../../schemas/public/api/evaluation.ts";
import { type RecordDetail, recordDetail } from "../../schemas/public/api/record.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { Accounts } from "../accounts/database.ts";
import type { Standing, Standings } from "../accounts/standings.ts";
import { visiblePage, WITHHELD, withoutHidden } from "../accounts/standings.ts";
import { preferredLinkedData } from "../http/content-negotiation.ts";
import { guardedFetch } from "../http/guarded-fetch.ts";
import { type ApiRequest, callerText } from "../http/read-request.ts";
import { contentHeaders, type HttpResponse, jsonResponse, ProblemError, postResponse } from "../http/response.ts";
import { type Handlers, type TypedRequest, unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import type { OpenRelease } from "../read/open-release.ts";
import type { Scheduler } from "../scheduler.ts";
import { JobQueue, type JobRow, type StoredJob } from "./job-queue.ts";
import { buildJobPath, DEFAULT_EVALUATION_SETTINGS, type EvaluationSettings, JobRunner } from "./job-runner.ts";
import { type Published, pageOfRecord, publishedBasis, publishedRecord } from "./published.ts";
import { type EvaluationTarget, isFresh, noScoreProblem, readTarget, toProblem } from "./request.ts";

/** The source of a dataset whose identifier is only a DOI. */
const REGISTRY = "datacite";

export interface EvaluationOptions extends Partial<EvaluationSettings>, Partial<EvaluatorOptions> {}

interface EvaluationServices {
  readonly scheduler: Scheduler;
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
  readonly standings: Standings;
}

export class Evaluations {
  readonly #context: EvaluationServices;
  readonly #effects: Pick<Effects, "now" | "sleep" | "log">;
  readonly #queue: JobQueue;
  readonly #runner: JobRunner;
  readonly #outbound: ReturnType<typeof guardedFetch>;
  readonly #over = new AbortController();
  readonly #evaluator: Evaluator;
  /** The ID of the latest request for each job of this server, for the log. */
  readonly #requests = new LRUCache<string, string>({ max: 1000 });
  /** Numbers of failed requests by host. Requests go only to the hosts of sources, so there are few hosts. */
  readonly upstreamFailures = new Map<string, number>();

  constructor(
    context: EvaluationServices,
    options: EvaluationOptions,
    effects: Pick<Effects, "now" | "sleep" | "log">,
  ) {
    const settings = { ...DEFAULT_EVALUATION_SETTINGS, ...options };
    this.#context = context;
    this.#effects = effects;
    this.#outbound = guardedFetch({ allow: Object.values(options.upstreams ?? {}) });
    const isWithheld = (id: string) => context.standings.current.hidden.has(id);
    const hiddenPositions = (record: RecordDetail) => this.#hiddenPlaces(record);
    this.#evaluator = new Evaluator(
      { contact: null, isWithheld, hiddenPositions, ...options },
      { ...effects, fetch: (...asked) => this.#fetch(...asked), random: Math.random, progress: () => undefined },
    );
    this.#queue = new JobQueue(context.accounts, settings.unfinishedJobs);
    const work = (job: JobRow) => this.#work(job);
    const findRequestId = (job: string) => this.#requests.get(job);
    this.#runner = new JobRunner({ queue: this.#queue, work, findRequestId }, settings, effects);
  }

  /**
   * Returns the published record, without researchers who were hidden after the release. Null if the request asks for
   * fresh metadata, if no release is active, or if the release lacks the record or contract.
   */
  published(target: EvaluationTarget): Promise<Published | null> {
    return this.#usePublished(target, async (published) => published);
  }

  /**
   * Fetches the metadata of a dataset and scores them.
   * @throws ProblemError saying why there is no score
   */
  evaluateNow(target: EvaluationTarget): Promise<EvaluationResult> {
    return this.#fetchAndScore(target).catch((error: unknown) => {
      throw toProblem(error);
    });
  }

  /**
   * Returns the score of the active release, or fetches and scores the dataset.
   * @throws ProblemError saying why there is no score
   */
  async evaluate(target: EvaluationTarget): Promise<EvaluationResult> {
    return (await this.#publishedResult(target)) ?? this.evaluateNow(target);
  }

  /**
   * Scores metadata as if they were deposited. Nothing is stored, and no source gets a request. If `source` is null,
   * the source is the one whose format the file has.
   * @throws ProblemError saying why there is no score, or `overloaded`
   */
  async draft(
    source: Source | null,
    file: Uint8Array,
    rubric: RubricVersion,
    { caller, signal }: Pick<ApiRequest, "caller" | "signal">,
  ): Promise<DraftResult> {
    const work = () => this.#evaluator.draft(source, file, getContractId(rubric));
    const asking = { kind: "draft", caller: callerText(caller), signal } as const;
    try {
      return { draft: buildDraftScore(await this.#context.scheduler.run(asking, work), rubric) };
    } catch (error) {
      throw toProblem(error);
    }
  }

  /**
   * Adds a job. If there is already a job of the same request, returns that one.
   * @throws ProblemError `too-many-evaluations`
   */
  async addJob(
    { subject, text, identifier, rubricVersion }: EvaluationTarget,
    { caller, id: reqId }: Pick<ApiRequest, "caller" | "id">,
  ): Promise<StoredJob> {
    const request = {
      caller: this.#context.accounts.pseudonym(`jobs ${caller.kind} ${caller.id}`),
      source: identifier.kind === "doi" ? REGISTRY : identifier.source,
      subject,
      identifier: text,
      rubric_version: rubricVersion,
    };
    const job = await this.#queue.add(request, this.#effects.now());
    this.#effects.log({ level: "info", event: "job-queued", job: job.id, reqId });
    this.#requests.set(job.id, reqId);
    this.#runner.wake();
    return this.#jobForApi(job);
  }

  /** Returns the job that `addJob` would return instead of adding one; null if there is none. */
  findSameJob({ subject }: Pick<EvaluationTarget, "subject">): Promise<StoredJob | null> {
    return this.#queue.findSame(subject, this.#effects.now());
  }

  async findJob(id: string): Promise<StoredJob | null> {
    const job = await this.#queue.find(id);
    return job === null ? null : this.#jobForApi(job);
  }

  /**
   * Returns a stored result without the researchers who have been hidden since. A result in an unknown format stays
   * unchanged.
   */
  async withCurrentHidden(result: unknown): Promise<unknown> {
    const visible = withoutHidden(result, this.#context.standings.current);
    const written = readPageOrNull(evaluationResult, visible);
    if (written === null) return visible;
    const { evaluation } = written;
    const places = await this.#hiddenPlaces(evaluation.record);
    return { evaluation: { ...evaluation, record: withoutCreators(evaluation.record, places) } };
  }

  /** Returns the SPDX id of the licence of scores, as the active release states it. */
  async licence(): Promise<string> {
    const { active } = this.#context;
    const stated = active.digest === null ? undefined : await active.use(async ({ receipt }) => receipt.license);
    return stated ?? DEFAULT_DATA_LICENCE;
  }

  /** Stops taking jobs. Jobs that are not finished at the end of the grace period return to the queue. */
  drain(graceMilliseconds: number): Promise<void> {
    return this.#runner.drain(graceMilliseconds);
  }

  /** Closes the evaluator and its connections. Call it after the last request and the last job. */
  async close(): Promise<void> {
    await this.drain(0);
    this.#over.abort();
    await this.#evaluator.close();
    await this.#outbound.close();
  }

  /**
   * Returns the job with its canonical identifier, so that later requests do not see how the first request spelled it.
   */
  async #jobForApi(job: StoredJob): Promise<StoredJob> {
    const identifier = parseIdentifier(job.identifier);
    return {
      ...job,
      identifier: identifier.kind === "rejected" ? job.identifier : identifierKey(identifier),
      result: await this.withCurrentHidden(job.result),
    };
  }

  /** Finds the positions of the creators whom the active release hides, or would hide if it were built now. */
  async #hiddenPlaces(record: RecordDetail): Promise<ReadonlySet<number>> {
    const { active, standings } = this.#context;
    if (active.digest === null) return new Set();
    return active.use((release) => hiddenCreatorPlaces(record, release, standings.current));
  }

  /**
   * Works on a job. Throws the original error instead of a problem, because the job needs details that callers do not
   * see.
   */
  async #work({ identifier, rubric_version: rubricVersion, subject }: JobRow): Promise<EvaluationResult> {
    const target = readTarget(evaluationRequest.parse({ identifier, rubricVersion, fresh: isFresh(subject) }));
    return (await this.#publishedResult(target)) ?? this.#fetchAndScore(target);
  }

  #publishedResult(target: EvaluationTarget): Promise<EvaluationResult | null> {
    return this.#usePublished(target, async ({ page, release, asOf }, open) => {
      const record = recordIn(page);
      const basis = await publishedBasis(record, target.contract, open, this.#effects.log);
      return this.#result(target, { record, basis, asOf, release });
    });
  }

  async #usePublished<T>(
    target: EvaluationTarget,
    use: (published: Published, open: OpenRelease) => Promise<T>,
  ): Promise<T | null> {
    const { active, standings } = this.#context;
    if (target.fresh || active.digest === null) return null;
    return active.use(async (open) => {
      const found = await publishedRecord(target, open);
      return found === null ? null : use({ ...found, page: visiblePage(found.page, standings.current) }, open);
    });
  }

  async #fetchAndScore(target: EvaluationTarget): Promise<EvaluationResult> {
    const found = await this.#evaluator.evaluate(target.identifier, target.contract, target.fresh);
    if (found.record === null) throw noScoreProblem(found);
    const { record, basis, asOf } = found;
    return this.#result(target, { record, basis, asOf, release: null });
  }

  #result(
    { rubricVersion, contract }: EvaluationTarget,
    { record, basis, asOf, release }: Pick<Evaluation, "record" | "basis" | "release"> & { readonly asOf: string },
  ): EvaluationResult {
    const { identifier, source } = record;
    const id = `e${hash("sha256", [identifier, contract, source.payloadDigest, asOf].join("\n")).slice(0, 24)}`;
    const evaluatedAt = this.#effects.now().toISOString();
    return { evaluation: { id, identifier, rubric: rubricVersion, contract, record, basis, evaluatedAt, release } };
  }

  /**
   * Sends a request of an evaluation. Two results count as failures of the host: an error, and a response that shows a
   * fault of the service (5xx) or a limit (429).
   */
  async #fetch(...[input, init]: Parameters<Effects["fetch"]>): Promise<Response> {
    const host = new URL(input instanceof Request ? input.url : input).hostname;
    const count = () => this.upstreamFailures.set(host, (this.upstreamFailures.get(host) ?? 0) + 1);
    const signals = [this.#over.signal, init?.signal].filter((signal) => signal instanceof AbortSignal);
    try {
      const response = await this.#outbound.fetch(input, { ...init, signal: AbortSignal.any(signals) });
      if (response.status >= 500 || response.status === 429) count();
      return response;
    } catch (error) {
      if (!this.#over.signal.aborted) count();
      throw error;
    }
  }
}

/**
 * Returns the positions of hidden creators in `record`. Creators whom the release names are matched by name. Creators
 * whom the release already withholds are matched by position, if both have the same number of creators.
 */
async function hiddenCreatorPlaces(
  { id, authors }: Pick<RecordDetail, "id" | "authors">,
  release: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
): Promise<ReadonlySet<number>> {
  if (hidden.size === 0 && release.receipt.withheld.count === 0) return new Set();
  const page = await pageOfRecord(id, release);
  if (page === null) return new Set();
  const released = recordIn(page).authors;
  const names = new Set(
    released.filter((author) => author.id !== null && hidden.has(author.id)).map(({ name }) => name),
  );
  const inPlace = released.length === authors.length ? released : [];
  const places = authors.flatMap(({ name }, place) =>
    names.has(name) || inPlace[place]?.name === WITHHELD_NAME ? [place] : [],
  );
  return new Set(places);
}

/** Replaces the creators at these positions by a placeholder, and removes advice that names people. */
function withoutCreators(record: RecordDetail, places: ReadonlySet<number>): RecordDetail {
  if (places.size === 0) return record;
  const authors = record.authors.map((author, place) => (places.has(place) ? WITHHELD : author));
  return { ...removePeopleNames(record), authors };
}

/** Seconds after which a new job may have a result, for the header Retry-After. */
const JOB_SECONDS = 2;

/**
 * Responds 200 with the record of the active release, or 201 with a new evaluation, as JSON or as FAIR Test Results.
 * @throws ProblemError saying why there is no score
 */
async function evaluationResponse(
  { body, request: { headers } }: TypedRequest<"evaluation">,
  evaluations: Evaluations,
): Promise<HttpResponse> {
  const asTests = preferredLinkedData(headers.accept) === FTR_TYPE;
  const target = readTarget(body);
  const contract = getContract(target.contract);
  const published = await evaluations.published(target);
  if (published === null) {
    const result = await evaluations.evaluateNow(target);
    if (!asTests) return postResponse(201, result);
    const { id, record, evaluatedAt } = result.evaluation;
    const run = { set: `urn:share:evaluation:${id}`, endedAt: evaluatedAt, licence: await evaluations.licence() };
    const document = testResultSet(record, contract, run);
    return { status: 201, headers: contentHeaders(FTR_TYPE, CACHE.never), body: Buffer.from(JSON.stringify(document)) };
  }
  const { id, version, page, release, publishedAt, licence } = published;
  const run = { set: publishedSet({ id }, contract), endedAt: publishedAt, licence };
  return {
    status: 200,
    headers: {
      ...contentHeaders(asTests ? FTR_TYPE : JSON_TYPE, CACHE.never),
      "content-location": `/records/${id}?rubric=${version}`,
      "share-release": release.releaseDigest,
    },
    body: asTests ? Buffer.from(JSON.stringify(testResultSet(recordIn(page), contract, run))) : page,
  };
}

function recordIn(page: Uint8Array): RecordDetail {
  return readPage(recordDetail, JSON.parse(Buffer.from(page).toString("utf8")));
}

/**
 * Finds the source of a draft by its name; null if the format decides.
 * @throws ProblemError `invalid-parameter`
 */
function readSource(name: string | undefined): Source | null {
  if (name === undefined) return null;
  const source = sourceNamed(name);
  if (source !== null) return source;
  const known = SOURCES.map((each) => each.name).join(", ");
  throw new ProblemError("invalid-parameter", `The parameter source must be one of ${known}.`, {
    errors: [{ path: "source", message: `must be one of ${known}` }],
  });
}

export function evaluationHandlers(
  evaluations: Evaluations,
): Handlers<"evaluation" | "draft" | "new-evaluation-job" | "evaluation-job"> {
  return {
    evaluation: (request) => evaluationResponse(request, evaluations),
    draft: async ({ query, body, request }) =>
      postResponse(200, await evaluations.draft(readSource(query.source), body, query.rubricVersion, request)),
    "new-evaluation-job": async ({ body, request }) => {
      const job = await evaluations.addJob(readTarget(body), request);
      return postResponse(202, job, { location: buildJobPath(job), "retry-after": String(JOB_SECONDS) });
    },
    "evaluation-job": async ({ key }) => {
      const job = await evaluations.findJob(key);
      if (job === null) throw unknownKey(jobKey);
      return jsonResponse(job, CACHE.never);
    },
  };
}
