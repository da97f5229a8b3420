/** Fetches one record by its id. Requests the parts of the record one after another and joins them byte for byte. */

import { hash } from "node:crypto";
import type { RejectionReason } from "../../schemas/public/problem.ts";
import { decodeText } from "../files/decode-text.ts";
import { parsePayload } from "../reading/normalised.ts";
import type { FetchPart, Source, SourceOptions, SourceRequest } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import { buildCapture, type CapturedRecord, recordsIn } from "./document.ts";
import { userAgent } from "./identification.ts";
import { PAGES_OF_A_PART, PAYLOAD_BYTES } from "./limits.ts";
import type { Objection } from "./objection.ts";
import { getErrorDetail } from "./page-records.ts";
import {
  AllowedHosts,
  Budget,
  type HostOptions,
  HTTP_LIMITS,
  type HttpLimits,
  NO_BOUNDS,
  ServiceCaller,
  type ServiceResponse,
} from "./requests.ts";
import type { Service } from "./service.ts";
import type { RawSession, WantedCounts, WantedOutcome } from "./session.ts";
import { BodyTooLarge, BudgetSpent, isUpstream, UpstreamRejected } from "./session.ts";

/** The outcome of a fetch: the record, a missing record, or a rejection. */
export type RecordFetchResult = { readonly url: string; readonly retrievedAt: string } & (
  | { readonly kind: "record"; readonly record: CapturedRecord; readonly left: readonly string[] }
  | { readonly kind: "gone"; readonly sourceId: string; readonly status: number }
  | { readonly kind: "rejected"; readonly sourceId: string; readonly objection: Objection }
);

/** A record from a list, with the URL of the record and the time at which the list arrived. */
export interface ListedItem {
  readonly record: CapturedRecord;
  readonly url: string;
  readonly retrievedAt: string;
}

interface StoredPart {
  readonly name: string;
  readonly text: string;
  readonly optional: boolean;
}

/** HTTP statuses with which a service responds if a record never existed or was removed. */
const GONE = [404, 410];

export class RecordFetch {
  private readonly source: Source;
  private readonly caller: ServiceCaller;
  private readonly options: SourceOptions;
  private readonly now: () => Date;

  constructor(source: Source, caller: ServiceCaller, options: SourceOptions, now: () => Date) {
    this.source = source;
    this.caller = caller;
    this.options = options;
    this.now = now;
  }

  byId(sourceId: string): Promise<RecordFetchResult> {
    return new Assembly(this.source, this.caller, this.options, this.now, sourceId).run(null);
  }

  /** Fetches the other parts of a listed record. Returns the record unchanged if it has only one part. */
  async complete(listed: ListedItem): Promise<RecordFetchResult> {
    const { record, url, retrievedAt } = listed;
    const parts = this.source.planFetch(record.sourceId);
    if (parts.length <= 1 || record.envelope !== null) return { kind: "record", record, url, retrievedAt, left: [] };
    return new Assembly(this.source, this.caller, this.options, this.now, record.sourceId).run(listed);
  }
}

class Assembly {
  private readonly source: Source;
  private readonly caller: ServiceCaller;
  private readonly options: SourceOptions;
  private readonly now: () => Date;
  private readonly sourceId: string;
  private readonly found: Record<string, unknown> = {};
  private readonly kept: StoredPart[] = [];
  /**
   * Names of optional parts that the payload does not contain, because the service did not send them or they were too
   * large.
   */
  private readonly left: string[] = [];
  private url: string | null = null;
  private retrievedAt: string | null = null;

  constructor(source: Source, caller: ServiceCaller, options: SourceOptions, now: () => Date, sourceId: string) {
    this.source = source;
    this.caller = caller;
    this.options = options;
    this.now = now;
    this.sourceId = sourceId;
  }

  async run(listed: ListedItem | null): Promise<RecordFetchResult> {
    const parts = this.source.planFetch(this.sourceId);
    // Parts before the record are only needed to find it.
    const recordPart = listed === null ? -1 : parts.findIndex(({ take }) => take === "record");
    if (listed !== null) this.takeListed(parts, listed);
    for (const part of parts.slice(recordPart + 1)) {
      const ended = await this.take(part);
      if (ended !== null) return ended;
    }
    return parts.length === 1 ? this.single() : this.combined();
  }

  private takeListed(parts: readonly FetchPart[], { record, url, retrievedAt }: ListedItem): void {
    const part = parts.find(({ take }) => take === "record");
    if (part === undefined) return;
    this.keep(part, toText(record.payload, parts.length), parsePayload(record.payload));
    this.url = url;
    this.retrievedAt = retrievedAt;
  }

  private async take(part: FetchPart): Promise<RecordFetchResult | null> {
    try {
      const objection = await this.fetchPart(part);
      if (objection === null) return null;
      if (part.optional !== true) return this.ending({ kind: "rejected", objection });
    } catch (error) {
      if (!(error instanceof UpstreamRejected || error instanceof BodyTooLarge)) throw error;
      if (part.optional !== true) return this.rejectedBy(error);
    }
    this.left.push(part.name);
    return null;
  }

  private async fetchPart(part: FetchPart): Promise<Objection | null> {
    const requests = part.buildRequest(this.found, this.options);
    if (requests === null) return null;
    const answers = await this.requestPages(part, Array.isArray(requests) ? requests : [requests]);
    if (answers === null)
      return {
        reason: "too-large",
        detail: `a record with more than ${PAGES_OF_A_PART} pages of ${part.name}, which is the limit`,
      };
    return part.take === "record" ? this.keepRecord(part, answers) : this.keepResponses(part, answers);
  }

  /**
   * Requests all pages of a part. Returns null if there are more than {@link PAGES_OF_A_PART}, because a list that is
   * cut off would count as complete.
   */
  private async requestPages(part: FetchPart, asks: readonly SourceRequest[]): Promise<ServiceResponse[] | null> {
    const { ask, answer: first } = await this.requestFirst(asks);
    const answers = [first];
    for (let next = part.next?.(first.document, ask, this.found) ?? null; next !== null; ) {
      if (answers.length >= PAGES_OF_A_PART) return null;
      const answer = await this.caller.ask(next);
      answers.push(answer);
      next = part.next?.(answer.document, next, this.found) ?? null;
    }
    return answers;
  }

  private async requestFirst(
    asks: readonly SourceRequest[],
  ): Promise<{ readonly ask: SourceRequest; readonly answer: ServiceResponse }> {
    for (const [i, ask] of asks.entries()) {
      try {
        const answer = await this.caller.ask(ask);
        this.url ??= ask.url;
        this.retrievedAt ??= answer.retrievedAt;
        return { ask, answer };
      } catch (error) {
        const elsewhere = error instanceof UpstreamRejected && GONE.includes(error.status) && i < asks.length - 1;
        if (!elsewhere) {
          this.url ??= ask.url;
          throw error;
        }
      }
    }
    throw new Error(
      `the reader of ${this.source.name} has no request for a part of the record ${this.sourceId}; report this`,
    );
  }

  private keepRecord(part: FetchPart, answers: readonly ServiceResponse[]): Objection | null {
    const [answer] = answers;
    if (answer === undefined) return null;
    const { records, rejected } = recordsIn(answer, this.source);
    const record =
      records.find(({ sourceId }) => sourceId === this.sourceId) ?? (records.length === 1 ? records[0] : undefined);
    if (record === undefined)
      return (
        rejected[0] ?? {
          reason: "no-identifier",
          detail: "a response with other records, but not the requested one; check the identifier",
        }
      );
    const parts = this.source.planFetch(this.sourceId).length;
    this.keep(part, toText(record.payload, parts), parsePayload(record.payload));
    return null;
  }

  private keepResponses(part: FetchPart, answers: readonly ServiceResponse[]): Objection | null {
    const texts = answers.map(({ bytes, language }) => {
      const text = decodeText(bytes);
      return language === "json" ? text : JSON.stringify(text);
    });
    const documents = answers.map(({ document }) => document);
    const single = texts.length === 1;
    this.keep(part, single ? (texts[0] ?? "") : `[${texts.join(",")}]`, single ? documents[0] : documents);
    return null;
  }

  private keep(part: FetchPart, text: string, document: unknown): void {
    this.found[part.name] = document;
    if (part.take === "nothing") return;
    this.kept.push({ name: part.name, text, optional: part.optional === true });
  }

  private single(): RecordFetchResult {
    const text = Buffer.from(this.kept[0]?.text ?? "");
    if (text.length > PAYLOAD_BYTES) return this.ending({ kind: "rejected", objection: tooLarge(text.length) });
    const record = buildCapture(this.identified() ?? this.sourceId, text);
    return this.ending({ kind: "record", record, left: this.left });
  }

  /** Joins all parts in one object. While the object is too large, drops the last optional part. */
  private combined(): RecordFetchResult {
    const storedParts = [...this.kept];
    for (;;) {
      const members = storedParts.map(({ name, text }) => `${JSON.stringify(name)}:${text}`);
      const text = Buffer.from(`{${members.join(",")}}`);
      if (text.length <= PAYLOAD_BYTES) return this.identifiedAs(text);
      const last = storedParts.findLastIndex(({ optional }) => optional);
      if (last < 0) return this.ending({ kind: "rejected", objection: tooLarge(text.length) });
      this.left.push(...storedParts.splice(last, 1).map(({ name }) => name));
    }
  }

  private identifiedAs(text: Buffer): RecordFetchResult {
    const sourceId = this.identified();
    if (sourceId === null || sourceId.length > 2048) {
      const objection: Objection = {
        reason: "no-identifier",
        detail: `a record without an identifier of ${this.source.name} such as ${this.source.example}`,
      };
      return this.ending({ kind: "rejected", objection });
    }
    return this.ending({ kind: "record", record: buildCapture(sourceId, text), left: this.left });
  }

  /**
   * Returns the source id of the fetched record; null if it has none. The source identifies a record with several parts
   * from an object that contains each part under its name.
   */
  private identified(): string | null {
    const parts = this.source.planFetch(this.sourceId);
    const only = parts.length === 1 ? parts[0] : undefined;
    return this.source.identify(only === undefined ? this.found : this.found[only.name]);
  }

  private rejectedBy(error: UpstreamRejected | BodyTooLarge): RecordFetchResult {
    if (error instanceof BodyTooLarge) {
      return this.ending({ kind: "rejected", objection: { reason: "too-large", detail: error.message } });
    }
    if (GONE.includes(error.status)) return this.ending({ kind: "gone", status: error.status });
    return this.ending({ kind: "rejected", objection: { reason: "error-answer", detail: error.message } });
  }

  private ending(end: Ending): RecordFetchResult {
    const url = this.url ?? this.source.buildUrl(this.sourceId);
    const retrievedAt = this.retrievedAt ?? this.now().toISOString();
    return end.kind === "record" ? { ...end, url, retrievedAt } : { ...end, sourceId: this.sourceId, url, retrievedAt };
  }
}

type Ending =
  | { readonly kind: "record"; readonly record: CapturedRecord; readonly left: readonly string[] }
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "rejected"; readonly objection: Objection };

/** Writes XML as a JSON string if the payload has several parts, because the parts are members of one JSON object. */
function toText(payload: string, parts: number): string {
  return parts > 1 && payload.startsWith("<") ? JSON.stringify(payload) : payload;
}

function tooLarge(bytes: number): Objection {
  return { reason: "too-large", detail: `a record of ${bytes} bytes; the limit is ${PAYLOAD_BYTES}` };
}

interface CheckOptions extends SourceOptions, HostOptions {
  readonly limits: Partial<HttpLimits>;
}

/**
 * Number of requests to a service that checks by users may send in parallel. The rate limit is the same as in a
 * harvest.
 */
export const CONCURRENCY = 4;

export function openCaller(
  service: Service,
  { base, installations, allowPrivate, contact, limits }: CheckOptions,
  effects: Effects,
): ServiceCaller {
  const hosts = new AllowedHosts(service, { base, installations, allowPrivate });
  const concurrentService = { ...service, concurrency: Math.max(CONCURRENCY, service.concurrency ?? 1) };
  const budget = new Budget(NO_BOUNDS, effects);
  const options = { hosts, agent: userAgent(contact), limits: { ...HTTP_LIMITS, ...limits }, budget };
  return new ServiceCaller(concurrentService, options, effects);
}

interface WantedRecord {
  readonly sourceId: string;
  /**
   * True if this is the last attempt to fetch the record. If the service fails again, the record is rejected, and not
   * requested any more.
   */
  readonly lastTry: boolean;
}

export interface WantedRecords {
  readonly records: readonly WantedRecord[];
  /**
   * Called with the outcomes after the records are on the disk. If the process is killed before the call, the next
   * harvest fetches the same records again.
   */
  readonly done: (outcomes: ReadonlyMap<string, WantedOutcome>) => Promise<void>;
}

/** Number of requested records that are fetched before they are written to the disk and reported. */
const AT_ONCE = 100;

/** Number of consecutive failures of the service after which the remaining records wait for the next harvest. */
const PATIENCE = 2;

interface WantedTarget {
  readonly session: RawSession;
  readonly source: Source;
  readonly fetch: RecordFetch;
  readonly log: Effects["log"];
}

/**
 * Fetches requested records into the raw folder. Throws an error if the disk fails, but not if the service fails: the
 * records are then requested again later.
 */
export async function fetchWanted(wanted: WantedRecords, context: WantedTarget): Promise<WantedCounts> {
  const counts = { kept: 0, gone: 0, rejected: 0, unanswered: 0 };
  const work = new WantedHarvest(context);
  for (let at = 0; at < wanted.records.length && !work.over; at += AT_ONCE) {
    const outcomes = await work.batch(wanted.records.slice(at, at + AT_ONCE));
    const { files, http, last } = context.session.progress;
    await context.session.commit({ files, http, last });
    for (const outcome of outcomes.values()) counts[outcome] += 1;
    await wanted.done(outcomes);
  }
  context.log({ level: "info", event: "harvest-wanted", source: context.source.name, ...counts });
  return counts;
}

class WantedHarvest {
  /** True if the service failed too often, or if the run reached its limits. */
  over = false;
  private readonly context: WantedTarget;
  private failures = 0;

  constructor(context: WantedTarget) {
    this.context = context;
  }

  async batch(records: readonly WantedRecord[]): Promise<Map<string, WantedOutcome>> {
    const outcomes = new Map<string, WantedOutcome>();
    for (const record of records) {
      if (this.over) break;
      const outcome = await this.one(record);
      if (outcome !== null) outcomes.set(record.sourceId, outcome);
    }
    return outcomes;
  }

  /** Fetches one record. Returns null if the run has reached its limit of requests or minutes. */
  private async one(record: WantedRecord): Promise<WantedOutcome | null> {
    try {
      const outcome = await this.keep(record.sourceId, await this.context.fetch.byId(record.sourceId));
      this.failures = 0;
      return outcome;
    } catch (error) {
      this.over = error instanceof BudgetSpent;
      if (this.over) return null;
      if (!isUpstream(error)) throw error;
      return this.unanswered(record, error);
    }
  }

  private async keep(requestedId: string, fetched: RecordFetchResult): Promise<WantedOutcome> {
    const { session, source } = this.context;
    const { url, retrievedAt } = fetched;
    const got = { source: source.name, retrievedAt, url };
    switch (fetched.kind) {
      case "record": {
        const { sourceId, payload, payloadDigest } = fetched.record;
        await session.keep({ ...got, sourceId, status: 200, payloadDigest, payload });
        return "kept";
      }
      case "gone": {
        const { sourceId, status } = fetched;
        await session.keep({ ...got, sourceId, status, payloadDigest: hash("sha256", ""), payload: "" });
        return "gone";
      }
      case "rejected":
        return this.reject(requestedId, url, fetched.objection.reason, fetched.objection.detail);
      default:
        return fetched satisfies never;
    }
  }

  private unanswered({ sourceId, lastTry }: WantedRecord, error: unknown): WantedOutcome {
    const { source, log } = this.context;
    this.failures += 1;
    this.over = this.failures >= PATIENCE;
    log({ level: "warn", event: "harvest-wanted-unanswered", source: source.name, reason: getErrorDetail(error) });
    return lastTry
      ? this.reject(sourceId, source.buildUrl(sourceId), "error-answer", getErrorDetail(error))
      : "unanswered";
  }

  private reject(sourceId: string, url: string, reason: RejectionReason, detail: string): WantedOutcome {
    const { session, source } = this.context;
    session.reject({ source: source.name, file: url, line: null, reason, detail: `${sourceId}: ${detail}` });
    return "rejected";
  }
}
