/**
 * Reads the list of a service page by page (a walk). Writes records to the unfinished raw part, and the position in the
 * list to the checkpoint.
 */

import { plural } from "../reading/text.ts";
import { selectionText } from "../sources/adapter/selection.ts";
import {
  type PartSelection,
  type Source,
  type SourceRequest,
  type Step,
  WalkFault,
  type WalkOptions,
} from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import type { Effects } from "../stage/effects.ts";
import { appendHarvest, readHarvests } from "../store/harvest-log.ts";
import { type Findings, recordsIn } from "./document.ts";
import { RecordFetch, type WantedRecords } from "./fetch-record.ts";
import { PAGES_A_PART, REQUESTS_A_PART } from "./limits.ts";
import { dayBefore, getErrorDetail, isError200, isStale, PageRecords, requestKey, sameIds } from "./page-records.ts";
import type { HarvestBounds, HttpLimits, ServiceCaller, ServiceResponse } from "./requests.ts";
import {
  BudgetSpent,
  countRejected,
  type HarvestSummary,
  type HttpRun,
  isUpstream,
  newTally,
  type RawSession,
  UpstreamRejected,
  walkKey,
} from "./session.ts";

/** The reason why the walk ended early; null if it read the last page. */
type Ending = string | null;

export class SourceWalk {
  private readonly session: RawSession;
  private readonly source: Source;
  private readonly caller: ServiceCaller;
  private readonly options: HttpOptions & { readonly base: string };
  private readonly effects: Effects;
  /** The part of the service to harvest (`--only`); null for everything. */
  private readonly only: string | null;
  private readonly key: string;
  private readonly resumed: boolean;
  private current: HttpRun;
  private before: number;
  private pages = 0;
  private written = 0;
  private hasStartedOver = false;
  private recovered = false;
  /** Digests of the requests sent so far. If a request repeats, the walk is in a loop. */
  private readonly seen = new Set<string>();
  private readonly records: PageRecords;

  constructor(
    session: RawSession,
    source: Source,
    caller: ServiceCaller,
    options: HttpOptions & { readonly base: string },
    effects: Effects,
  ) {
    this.session = session;
    this.source = source;
    this.caller = caller;
    this.options = options;
    this.effects = effects;
    this.records = new PageRecords({
      session,
      source,
      records: new RecordFetch(source, caller, { base: options.base, contact: options.contact }, effects.now),
      log: effects.log,
      full: () => this.full,
      kept: () => this.checkpointWithin(),
    });
    this.only = options.only === undefined || options.only === null ? null : selectionText(options.only);
    this.key = walkKey(options.base, this.only);
    const interrupted = session.progress.http[this.key];
    this.resumed = interrupted !== undefined && this.isSameWalk(interrupted);
    this.current = interrupted !== undefined && this.resumed ? structuredClone(interrupted) : this.newRun();
    this.before = this.current.counts.requests;
  }

  async run(): Promise<HarvestSummary> {
    const { only } = this;
    this.log("info", this.resumed ? "harvest-resumed" : "harvest-started", { since: this.current.since, only });
    try {
      return await this.finish(this.current.ended === null ? await this.walk() : this.current.ended.reason);
    } catch (error) {
      // Stores the progress for the next run. If the disk is full, the last checkpoint stays.
      if (isUpstream(error) || error instanceof BudgetSpent) await this.checkpoint();
      if (error instanceof BudgetSpent) return this.pause(error.message);
      throw error;
    }
  }

  private async walk(): Promise<Ending> {
    for (;;) {
      let step: Step;
      try {
        step = await this.page();
      } catch (error) {
        if (this.tryToRecover(error)) continue;
        if (error instanceof WalkFault) return error.message;
        throw error;
      }
      if (this.full) return `stopped at the limit of ${plural(this.options.limit ?? 0, "record")}, which --limit set`;
      if (step.next === null) return null;
      this.current.state = { ...step.next };
      if (this.checkpointDue) await this.checkpoint();
    }
  }

  /**
   * Continues at another position if the service rejects the present one. Returns false if the source knows no other
   * position.
   */
  private tryToRecover(error: unknown): boolean {
    if (!isStale(error)) return false;
    const known = this.recovered || !(error instanceof UpstreamRejected);
    const elsewhere = known ? null : this.source.walk.recover?.(this.current.state, this.walkOptions);
    if (elsewhere !== null && elsewhere !== undefined) {
      this.recovered = true;
      this.current.state = { ...elsewhere };
      this.current.overlaps = true;
      this.seen.clear();
      this.log("warn", "harvest-recovered", { reason: getErrorDetail(error) });
      return true;
    }
    if (!this.resumed || this.pages > 0 || this.hasStartedOver || isError200(error)) return false;
    this.startOver(error);
    return true;
  }

  private async page(): Promise<Step> {
    const { state } = this.current;
    const walkOptions = this.walkOptions;
    const ask = this.source.walk.request(state, walkOptions);
    const key = requestKey(ask);
    if (this.seen.has(key))
      throw new WalkFault(`the service sends the harvest in a loop: it names ${ask.url} as the next page again`);
    const answer = await this.caller.ask(ask);
    const found = readListing(answer, ask, this.source);
    const sourceIds = found.records.map((record) => record.sourceId);
    this.rejectRepetition(sourceIds, ask);
    const { document, headers } = answer;
    const step = this.source.walk.read(state, { document, headers, sourceIds }, walkOptions);
    // A list of ids to fetch is not a list of records. Faults are found when the records are fetched.
    if (step.fetch === undefined && found.objection !== null) throw found.objection;
    if (step.fetch !== undefined) this.rejectRepetition(step.fetch, ask);
    this.seen.add(key);
    this.current.expected ??= step.total ?? null;
    if (step.more !== undefined && step.more !== null) this.current.expected = (this.current.expected ?? 0) + step.more;
    await this.records.keep(this.current, step, found, answer, ask.url);
    const ids = step.fetch ?? sourceIds;
    if (ids.length > 0) this.current.previous = [...ids];
    this.current.done = [];
    this.current.overlaps = step.overlaps === true;
    this.pages += 1;
    this.recovered = false;
    this.report();
    return step;
  }

  private rejectRepetition(ids: readonly string[], ask: SourceRequest): void {
    const { previous, done, overlaps } = this.current;
    // If a page is stored in part, it is requested again and stays the same.
    if (ids.length === 0 || done.length > 0 || overlaps || !sameIds(ids, previous)) return;
    throw new WalkFault(`the service returned the same page again: ${ask.url}`);
  }

  private async finish(ending: Ending): Promise<HarvestSummary> {
    const summary = this.summary(ending);
    const { current } = this;
    const before = current.ended === null ? [] : await readHarvests(this.session.folder);
    current.ended = { reason: ending };
    await this.checkpoint();
    // If the process was killed, the harvest is not logged a second time.
    const isSaid = before.some(({ only = null, started }) => only === this.only && started === current.started);
    if (!isSaid) await this.logHarvest(summary);
    const last = this.session.progress.last;
    const complete = summary.complete ? { ...last, [this.key]: { started: current.started } } : last;
    const { [this.key]: _ended, ...http } = this.session.progress.http;
    await this.session.settle({ ...this.session.progress, http, last: complete });
    this.log("info", "harvest-finished", {
      records: summary.records,
      expected: summary.expected,
      complete: summary.complete,
    });
    return summary;
  }

  private async logHarvest(summary: HarvestSummary): Promise<void> {
    const { current, options } = this;
    await appendHarvest(this.session.folder, {
      source: this.source.name,
      mode: "http",
      ...(this.isOwnService ? {} : { service: options.base }),
      ...(this.only === null ? {} : { only: this.only }),
      started: current.started,
      finished: this.effects.now().toISOString(),
      since: current.since,
      limit: options.limit,
      records: current.counts.records,
      rejected: countRejected(current.counts),
      expected: current.expected,
      got: current.got,
      complete: summary.complete,
      missing: summary.missing ?? null,
    });
  }

  /** Stops because the run reached its limits. The same command resumes the walk later. */
  private pause(message: string): HarvestSummary {
    this.log("info", "harvest-paused", { reason: message });
    return { ...this.summary(message), paused: true };
  }

  private summary(ending: Ending): HarvestSummary {
    const { counts, expected, got } = this.current;
    const short =
      expected !== null && got < expected
        ? `the service lists ${plural(expected, "record")}, but only ${got} arrived`
        : null;
    const missing = [ending, short].filter((text) => text !== null).join("; ");
    const { only, source, requests } = this;
    const summary = { source: source.name, only, files: 0, requests, records: counts.records };
    const { rejected, first: firstRejected, bytes } = counts;
    const rest = { rejected, firstRejected, bytes, resumed: this.resumed, expected };
    return missing === "" ? { ...summary, ...rest, complete: true } : { ...summary, ...rest, complete: false, missing };
  }

  private get checkpointDue(): boolean {
    const requestCount = this.caller.requests - this.written;
    return this.session.due || this.pages % PAGES_A_PART === 0 || requestCount >= REQUESTS_A_PART;
  }

  /**
   * Writes a checkpoint in the middle of a page if one is due, because a page can take long if each of its records
   * needs a request.
   */
  private async checkpointWithin(): Promise<void> {
    if (this.session.due || this.caller.requests - this.written >= REQUESTS_A_PART) await this.checkpoint();
  }

  private async checkpoint(): Promise<void> {
    this.written = this.caller.requests;
    this.current.counts.requests = this.requests;
    const { files, http, last } = this.session.progress;
    await this.session.commit({ files, http: { ...http, [this.key]: structuredClone(this.current) }, last });
  }

  /**
   * True if the walk reads the source's own service, and not another installation of its software, such as another
   * Dataverse.
   */
  private get isOwnService(): boolean {
    const { source, options } = this;
    return source.installations !== true || options.base === sourceNamed(source.name)?.walk.base;
  }

  private get requests(): number {
    return this.before + this.caller.requests;
  }

  private get full(): boolean {
    return this.options.limit !== null && this.current.counts.records >= this.options.limit;
  }

  private get walkOptions(): WalkOptions {
    const { base, contact, only = null } = this.options;
    return { since: this.current.since, base, contact, only };
  }

  private isSameWalk(run: HttpRun): boolean {
    const { since, limit } = this.options;
    return run.asked === since && run.limit === limit;
  }

  private newRun(): HttpRun {
    const { base, since: asked, limit, contact, only = null } = this.options;
    const day = asked === "last" ? dayBefore(this.session.progress.last[this.key]?.started ?? null) : asked;
    const since = this.source.walk.since ? day : null;
    if (day !== null && since === null) this.log("warn", "harvest-since-unknown", { asked: day });
    const state = this.source.walk.start({ since, base, contact, only });
    const started = this.effects.now().toISOString();
    return {
      base,
      only: this.only,
      asked,
      since,
      limit,
      started,
      state: { ...state },
      expected: null,
      got: 0,
      previous: [],
      done: [],
      overlaps: false,
      ended: null,
      counts: newTally(),
    };
  }

  /**
   * Starts the walk again after page tokens expired. Records that arrive a second time do no harm: they are equal or newer.
   */
  private startOver(error: unknown): void {
    this.log("warn", "harvest-started-over", { reason: getErrorDetail(error) });
    this.current = this.newRun();
    this.before = 0;
    this.hasStartedOver = true;
    this.seen.clear();
    this.records.clear();
  }

  private log(level: "info" | "warn", event: string, details: Record<string, unknown>): void {
    this.effects.log({ level, event, source: this.source.name, ...details });
  }

  private report(): void {
    const { got, expected } = this.current;
    this.effects.progress({ stage: "harvest", step: this.source.name, done: got, total: expected, unit: "records" });
  }
}

/** The records of a response. `objection` is an error that says why the response is not a list; null if it is one. */
type Listing = Findings & { readonly objection: Error | null };

/**
 * Reads the records of a page, which may be empty. Throws an error if the service sent an error message with status
 * 200.
 */
function readListing(answer: ServiceResponse, { url }: SourceRequest, source: Source): Listing {
  if (answer.language === "text") return { records: [], rejected: [], objection: null };
  const { kind } = source.readShape(answer.document);
  if (kind === "record") return { records: [], rejected: [], objection: notAListError(url, "one record") };
  const { records, rejected } = recordsIn(answer, source);
  if (kind !== "rejected") return { records, rejected: rejected.filter(({ item }) => item !== null), objection: null };
  const why = rejected[0];
  const objection = notAListError(url, why === undefined ? "nothing" : `${why.detail} (${why.reason})`);
  if (why?.reason === "error-answer") throw objection;
  return { records: [], rejected: [], objection };
}

function notAListError(url: string, what: string): UpstreamRejected {
  return new UpstreamRejected(
    `${url} did not return a list of records, but ${what}; check --host and --oai-url, or run the same command again later`,
    200,
  );
}

export interface HttpOptions {
  /**
   * First day of changes to harvest: only records that changed on or after it. "last" is the day before the last complete
   * walk began; null harvests all.
   */
  readonly since: string | null;
  /** The part of the source to harvest; null or absent for everything. */
  readonly only?: PartSelection | null;
  readonly limit: number | null;
  readonly base?: string;
  readonly installations?: readonly string[];
  /** Email address at which the service can reach the operator; null to send none. */
  readonly contact: string | null;
  /** Credential for the service; null to send none. It is never logged or stored. */
  readonly secret?: string | null;
  /** Records that users requested; they are fetched by id before the walk. */
  readonly wanted?: WantedRecords;
  readonly bounds?: Partial<HarvestBounds>;
  readonly allowPrivate?: boolean;
  readonly limits?: Partial<HttpLimits>;
}
