/** One identifier, draft or payload → its score now: fetched, normalised and scored by the code and SQL of the batch. */

import { userAgent } from "../pipeline/1-harvest/asking/user-agent.ts";
import { OneRecordService } from "../pipeline/1-harvest/walking/one-record.ts";
import { type Identifier, identifierKey, parseIdentifier } from "../pipeline/identifiers/parse.ts";
import { instantOf } from "../pipeline/reading/dates.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import type { ContractId } from "../schemas/public/rubric.ts";
import type { Evaluation } from "./evaluation.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { DEADLINE_MS, inTime } from "./in-time.ts";
import { type Given, obtain } from "./obtain.ts";
import type { OneScored } from "./one-record.ts";
import { peopleNamed } from "./people-named.ts";
import { agencyOf, DOI_ORG } from "./registration-agency.ts";
import { ONE_RECORD_LIMITS, TIMEOUT_MS } from "./request-limits.ts";
import { givenDraft, Scorer, shownDraft } from "./scorer.ts";
import { REMEMBERED_MS, SharedAnswers } from "./shared-answers.ts";
import { PATIENCE_MS, ServiceBusy } from "./upstream-fault.ts";

export interface EvaluatorOptions {
  /** Contact for the services' polite pools, or null. */
  readonly contact: string | null;
  /** Other addresses of services, by source or `doi.org`: for tests on loopback. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** Whether the researcher of this id has asked not to be shown, as of now; nobody has where it is not given. */
  readonly isWithheld?: (researcherId: string) => boolean;
  /** Of one request; 10 s unless a test is in a hurry. */
  readonly timeoutMs?: number;
  /** Of all requests of one evaluation together; 30 s. */
  readonly deadlineMs?: number;
}

export class Evaluator {
  readonly #scorer: Scorer;
  readonly #options: EvaluatorOptions;
  readonly #effects: Effects;
  readonly #services = new Map<string, OneRecordService>();
  /** By identifier and day. */
  readonly #answers: SharedAnswers<OneScored>;
  /** By payload digest, identifier and day. */
  readonly #scored: SharedAnswers<OneScored>;

  private constructor(scorer: Scorer, options: EvaluatorOptions, effects: Effects) {
    this.#scorer = scorer;
    this.#options = options;
    this.#effects = effects;
    this.#answers = new SharedAnswers(REMEMBERED_MS, effects.now);
    this.#scored = new SharedAnswers(REMEMBERED_MS, effects.now);
  }

  /** Takes half a second. Close it when no more is to be evaluated. */
  static async open(options: EvaluatorOptions, effects: Effects): Promise<Evaluator> {
    return new Evaluator(await Scorer.open(), options, effects);
  }

  /**
   * The score of what an identifier names, fetched from its source unless someone asked just now.
   * @throws EvaluationError saying why there is none
   */
  async evaluate(text: string, contract: ContractId): Promise<Evaluation> {
    const identifier = parseIdentifier(text);
    if (identifier.kind !== "refused") return this.evaluateIdentifier(identifier, contract);
    const code = identifier.refusal === "malformed" ? "malformed-identifier" : "unsupported-source";
    throw new EvaluationError(code, identifier.reason);
  }

  /** As `evaluate`, of an identifier that was parsed already. */
  async evaluateIdentifier(identifier: Identifier, contract: ContractId): Promise<Evaluation> {
    const asOf = this.#today();
    const answer = this.#answers.get(`${asOf} ${identifierKey(identifier)}`, async () =>
      this.#scoreOf(await obtain(identifier, this.#upstream()), asOf),
    );
    const { deadlineMs = DEADLINE_MS } = this.#options;
    return this.#explain(await inTime(answer, deadlineMs, this.#effects), contract, asOf);
  }

  /** The score of one payload of a source, as of a day. */
  async score(given: Given, contract: ContractId, asOf = this.#today()): Promise<Evaluation> {
    return this.#explain(await this.#scoreOf(given, asOf), contract, asOf);
  }

  /**
   * The score that metadata would have if they were deposited as they are; asks no one.
   * @throws NoDraft where the file holds no metadata of one record
   */
  async draft(source: Source, file: Uint8Array, contract: ContractId): Promise<Evaluation> {
    const { given, named } = await givenDraft(source, file);
    return shownDraft(await this.score(given, contract), named);
  }

  /** Ends what is being fetched, and waits for what is being scored. */
  close(): Promise<void> {
    for (const service of this.#services.values()) service.stop();
    return this.#scorer.close();
  }

  /** Whoever asked for the same payload has scored it; when it was retrieved is another matter. */
  async #scoreOf(given: Given, asOf: string): Promise<OneScored> {
    const { source, sourceId, payloadDigest, status, retrievedAt, isDraft } = given;
    const key = `${asOf} ${isDraft ? "draft" : status} ${payloadDigest} ${source}/${sourceId}`;
    const scored = await this.#scored.get(key, () => this.#scorer.score(given, asOf));
    const record = { ...scored.bundle.record, retrieved_at: instantOf(retrievedAt) };
    return { ...scored, bundle: { ...scored.bundle, record } };
  }

  #explain(scored: OneScored, id: ContractId, asOf: string): Evaluation {
    const { isWithheld = () => false } = this.#options;
    return peopleNamed(this.#scorer.explain(scored, id, { asOf, isWithheld }), scored.researcherIds);
  }

  #today(): string {
    return this.#effects.now().toISOString().slice(0, 10);
  }

  #upstream() {
    const { contact, upstreams, timeoutMs = TIMEOUT_MS } = this.#options;
    const agency = { base: upstreams?.["doi.org"] ?? DOI_ORG, agent: userAgent(contact), timeoutMs };
    return {
      recordOf: (source: Source, sourceId: string) => this.#service(source).byId(sourceId),
      agencyOf: (doi: string) => agencyOf(doi, agency, this.#effects),
    };
  }

  /** One a source, so that all evaluations together keep its rate. */
  #service(source: Source): OneRecordService {
    const known = this.#services.get(source.name);
    if (known !== undefined) return known;
    const { contact, upstreams, timeoutMs = TIMEOUT_MS } = this.#options;
    const base = upstreams?.[source.name] ?? source.walk.base;
    const options = {
      base,
      contact,
      allowPrivate: base !== source.walk.base,
      limits: { ...ONE_RECORD_LIMITS, timeoutMs },
    };
    const service = new OneRecordService(source, options, {
      ...this.#effects,
      sleep: (ms, signal) => this.#wait(ms, signal),
    });
    this.#services.set(source.name, service);
    return service;
  }

  /** A person is waiting: beyond some seconds they had better be told. */
  #wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (milliseconds > PATIENCE_MS) return Promise.reject(new ServiceBusy(milliseconds));
    return this.#effects.sleep(milliseconds, signal);
  }
}
