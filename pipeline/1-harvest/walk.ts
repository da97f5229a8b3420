/** One walk over a service's list: each page into the part, the walk's state into the checkpoint. */

import { hash } from "node:crypto";
import type { Effects } from "../effects.ts";
import { appendHarvest } from "../raw/harvest-log.ts";
import { type Source, WalkFault, type WalkOptions, type WalkState } from "../sources/source.ts";
import type { Answer, Caller, HttpLimits } from "./ask.ts";
import type { HttpRun, Progress } from "./checkpoint.ts";
import { type Captured, type Findings, recordsIn } from "./document.ts";
import { isUpstream, UpstreamRefused } from "./errors.ts";
import { PAGES_A_PART } from "./limits.ts";
import type { RawSession } from "./session.ts";
import { type HarvestSummary, newTally, refusedOf } from "./summary.ts";

export interface HttpOptions {
  /** Only what changed on or after this day; "last" for since the last complete walk; null for everything. */
  readonly since: string | null;
  /** Stop after so many records. */
  readonly limit: number | null;
  /** Another address of the service; the source's own by default. */
  readonly base?: string;
  /** E-mail address the service can write to. */
  readonly contact: string | null;
  /** Allows `base` to be any address: for tests on loopback. */
  readonly allowPrivate?: boolean;
  readonly limits?: Partial<HttpLimits>;
}

/** How a walk ended: null for at its last page. */
type Ending = string | null;

export class WalkUnderWay {
  private readonly session: RawSession;
  private readonly source: Source;
  private readonly caller: Caller;
  private readonly options: HttpOptions & { readonly base: string };
  private readonly effects: Effects;
  private readonly resumed: boolean;
  private current: HttpRun;
  private before: number;
  private pages = 0;
  private startedOver = false;
  /** Digests of the addresses this process asked for: one that comes again leads in a circle. */
  private readonly seen = new Set<string>();

  constructor(
    session: RawSession,
    source: Source,
    caller: Caller,
    options: HttpOptions & { readonly base: string },
    effects: Effects,
  ) {
    this.session = session;
    this.source = source;
    this.caller = caller;
    this.options = options;
    this.effects = effects;
    const interrupted = session.progress.http;
    this.resumed = interrupted !== null && this.isSameWalk(interrupted);
    this.current = interrupted !== null && this.resumed ? structuredClone(interrupted) : this.newRun();
    this.before = this.current.counts.requests;
  }

  async run(): Promise<HarvestSummary> {
    this.log("info", this.resumed ? "harvest-resumed" : "harvest-started", { since: this.current.since });
    try {
      return await this.finish(await this.walk());
    } catch (error) {
      // What came is worth keeping, and the next run goes on from here; a disk that is full keeps its last checkpoint.
      if (isUpstream(error)) await this.checkpoint();
      throw error;
    }
  }

  private async walk(): Promise<Ending> {
    for (;;) {
      let next: WalkState | null;
      try {
        next = await this.page();
      } catch (error) {
        if (this.resumed && this.pages === 0 && !this.startedOver && isStale(error)) {
          this.startOver(error);
          continue;
        }
        if (error instanceof WalkFault) return error.message;
        throw error;
      }
      if (this.full) return `stopped at the limit of ${this.options.limit} records`;
      if (next === null) return null;
      this.current.state = next;
      if (this.session.due || this.pages % PAGES_A_PART === 0) await this.checkpoint();
    }
  }

  /** Fetches and keeps one page; answers the state after it. */
  private async page(): Promise<WalkState | null> {
    const { state } = this.current;
    const walkOptions = this.walkOptions;
    const { url, headers } = this.source.walk.request(state, walkOptions);
    const key = hash("sha256", url).slice(0, 24);
    if (this.seen.has(key)) throw new WalkFault(`the walk leads in a circle: ${url} comes again`);
    const answer = await this.caller.ask(url, headers ?? {});
    const found = this.findingsOf(answer, url);
    const sourceIds = found.records.map((record) => record.sourceId);
    if (sourceIds.length > 0 && sameIds(sourceIds, this.current.previous)) {
      throw new WalkFault(`the service answered the same page again: ${url}`);
    }
    const next = this.source.walk.advance(
      state,
      { document: answer.document, headers: answer.headers, sourceIds },
      walkOptions,
    );
    this.seen.add(key);
    this.current.expected ??= this.source.walk.total(answer.document);
    await this.keep(found, answer, url);
    if (sourceIds.length > 0) this.current.previous = sourceIds;
    this.pages += 1;
    this.report();
    return next;
  }

  /** An error with status 200 is still an error; a page without records is not. */
  private findingsOf(answer: Answer, url: string): Findings {
    const shape = this.source.shapeOf(answer.document);
    const found = recordsIn(answer.document, answer.bytes, this.source);
    if (shape.kind === "list") return { ...found, refused: found.refused.filter(({ item }) => item !== null) };
    const why = found.refused[0];
    throw new UpstreamRefused(
      `${url} answered no list: ${why === undefined ? "one record" : `${why.reason}, ${why.detail}`}`,
      200,
    );
  }

  private async keep(found: Findings, answer: Answer, url: string): Promise<void> {
    const before = new Set(this.current.previous);
    for (const { item, reason, detail } of found.refused) {
      this.current.counts.refused[reason] += 1;
      this.current.got += 1;
      this.session.refuse({ source: this.source.name, file: url, line: item, reason, detail: detail.slice(0, 300) });
    }
    for (const record of found.records) {
      if (this.full) return;
      // A record that moved to the next page while we walked comes twice.
      if (before.has(record.sourceId)) continue;
      this.current.got += 1;
      await this.keepOne(record, answer);
    }
  }

  private async keepOne(record: Captured, answer: Answer): Promise<void> {
    this.current.counts.records += 1;
    this.current.counts.bytes += record.bytes;
    const slow = this.session.keep({
      source: this.source.name,
      sourceId: record.sourceId,
      retrievedAt: answer.retrievedAt,
      url: this.source.urlOf(record.sourceId),
      status: 200,
      payloadDigest: record.payloadDigest,
      payload: record.payload,
    });
    if (slow !== null) await slow;
  }

  private async finish(ending: Ending): Promise<HarvestSummary> {
    await this.checkpoint();
    const summary = this.summary(ending);
    const { current, options } = this;
    await appendHarvest(this.session.folder, {
      source: this.source.name,
      mode: "http",
      started: current.started,
      finished: this.effects.now().toISOString(),
      since: current.since,
      limit: options.limit,
      records: current.counts.records,
      refused: refusedOf(current.counts),
      expected: current.expected,
      got: current.got,
      complete: summary.complete,
      missing: summary.missing ?? null,
    });
    const last = summary.complete ? { started: current.started } : this.session.progress.last;
    await this.session.settle({ ...this.session.progress, http: null, last });
    this.log("info", "harvest-finished", {
      records: summary.records,
      expected: summary.expected,
      complete: summary.complete,
    });
    return summary;
  }

  private summary(ending: Ending): HarvestSummary {
    const { counts, expected, got } = this.current;
    const short = expected !== null && got < expected ? `the service lists ${expected} records, ${got} came` : null;
    const missing = [ending, short].filter((text) => text !== null).join("; ");
    const summary = { source: this.source.name, files: 0, requests: this.requests, records: counts.records };
    const rest = { refused: counts.refused, bytes: counts.bytes, resumed: this.resumed, expected };
    return missing === "" ? { ...summary, ...rest, complete: true } : { ...summary, ...rest, complete: false, missing };
  }

  private async checkpoint(): Promise<void> {
    this.current.counts.requests = this.requests;
    await this.session.commit({ ...this.others, http: structuredClone(this.current) });
  }

  private get others(): Pick<Progress, "files" | "last"> {
    return { files: this.session.progress.files, last: this.session.progress.last };
  }

  private get requests(): number {
    return this.before + this.caller.requests;
  }

  private get full(): boolean {
    return this.options.limit !== null && this.current.counts.records >= this.options.limit;
  }

  private get walkOptions(): WalkOptions {
    return { since: this.current.since, base: this.options.base, contact: this.options.contact };
  }

  private isSameWalk(run: HttpRun): boolean {
    const { base, since, limit } = this.options;
    return run.base === base && run.asked === since && run.limit === limit;
  }

  private newRun(): HttpRun {
    const { base, since: asked, limit, contact } = this.options;
    const since = asked === "last" ? dayBefore(this.session.progress.last?.started ?? null) : asked;
    const state = this.source.walk.start({ since, base, contact });
    const started = this.effects.now().toISOString();
    return {
      base,
      asked,
      since,
      limit,
      started,
      state: { ...state },
      expected: null,
      got: 0,
      previous: [],
      counts: newTally(),
    };
  }

  /** Page tokens run out: then the walk begins anew, and what came before is superseded or the same. */
  private startOver(error: unknown): void {
    const reason = error instanceof Error ? error.message : "";
    this.log("warn", "harvest-started-over", { reason });
    this.current = this.newRun();
    this.before = 0;
    this.startedOver = true;
    this.seen.clear();
  }

  private log(level: "info" | "warn", event: string, details: Record<string, unknown>): void {
    this.effects.log({ level, event, source: this.source.name, ...details });
  }

  private report(): void {
    const { got, expected } = this.current;
    this.effects.progress({ stage: "harvest", step: this.source.name, done: got, total: expected, unit: "records" });
  }
}

/** The service no longer knows the place an interrupted walk had come to. */
function isStale(error: unknown): boolean {
  return (
    error instanceof WalkFault || (error instanceof UpstreamRefused && [400, 404, 410, 422].includes(error.status))
  );
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}

/** A day's margin: services date changes in their own time zone, and clocks differ. */
function dayBefore(started: string | null): string | null {
  return started === null ? null : new Date(Date.parse(started) - 86_400_000).toISOString().slice(0, 10);
}
