/** The records of one page of a walk: which of them are new, what they are put together to, and that each is kept once. */

import { hash } from "node:crypto";
import type { Envelope } from "../../../schemas/internal/envelope.ts";
import type { Source, Step } from "../../sources/adapter/source.ts";
import type { Effects } from "../../stage/effects.ts";
import type { Answer } from "../asking/ask.ts";
import type { Findings, Refused } from "../documents/document.ts";
import { REMEMBERED_RECORDS } from "../documents/limits.ts";
import type { HttpRun } from "../session/checkpoint.ts";
import type { RawSession } from "../session/session.ts";
import type { Fetched, Listed, RecordFetch } from "./fetch-record.ts";
import { inOrder } from "./in-order.ts";
import { SeenRecords } from "./seen-records.ts";

/** One record of a page: given by it, or only named and to be fetched. */
interface Item {
  readonly sourceId: string;
  readonly listed: Listed | null;
  /** Not had before in this walk. */
  readonly isNew: boolean;
}

/** The walk a page belongs to. */
export interface WalkContext {
  readonly session: RawSession;
  readonly source: Source;
  readonly records: RecordFetch;
  readonly log: Effects["log"];
  /** True once as many records have come as were asked for. */
  readonly full: () => boolean;
  /** Called behind each record: the place to write a checkpoint, where one is due. */
  readonly kept: () => Promise<void>;
}

export class PageRecords {
  private readonly context: WalkContext;
  private readonly had = new SeenRecords(REMEMBERED_RECORDS);

  constructor(context: WalkContext) {
    this.context = context;
  }

  /** Forgets what the walk has had, for a walk that begins anew. */
  clear(): void {
    this.had.clear();
  }

  /** Keeps what is new on a page, in its order; counts in `run`, which says what of the page is kept already. */
  async keep(run: HttpRun, step: Step, found: Findings, answer: Answer, url: string): Promise<void> {
    for (const refused of found.refused) this.refuse(run, refused, url);
    const work = async (item: Item) => ({ item, fetched: await this.fetchOne(item) });
    const items = this.itemsOf(run, step, found, answer);
    for await (const { item, fetched } of inOrder(items, this.context.source.concurrency ?? 1, work)) {
      if (fetched === null || this.context.full()) return;
      await this.keepOne(run, fetched, item);
      run.done.push(item.sourceId);
      await this.context.kept();
    }
  }

  /** A record that moved to the next page while we walked comes twice; one that changed meanwhile is kept again. */
  private itemsOf(run: HttpRun, step: Step, found: Findings, answer: Answer): Item[] {
    const before = new Set([...run.previous, ...run.done]);
    if (step.fetch !== undefined) {
      const fresh = step.fetch.filter((id) => this.had.note(id, "") === "new" && !before.has(id));
      return fresh.map((sourceId) => ({ sourceId, listed: null, isNew: true }));
    }
    return found.records.flatMap((record) => {
      const { sourceId, payloadDigest } = record;
      const sight = this.had.note(sourceId, payloadDigest);
      if (sight === "same" || (sight === "new" && before.has(sourceId))) return [];
      const listed = { record, url: this.context.source.urlOf(sourceId), retrievedAt: answer.retrievedAt };
      return [{ sourceId, listed, isNew: sight === "new" }];
    });
  }

  private async fetchOne({ sourceId, listed }: Item): Promise<Fetched | null> {
    if (this.context.full()) return null;
    return listed === null ? this.context.records.byId(sourceId) : this.context.records.complete(listed);
  }

  private async keepOne(run: HttpRun, fetched: Fetched, item: Item): Promise<void> {
    const { url, retrievedAt } = fetched;
    if (fetched.kind === "refused") {
      const { reason, detail } = fetched.objection;
      this.refuse(run, { item: null, reason, detail: `${item.sourceId}: ${detail}` }, url);
      return;
    }
    if (item.isNew) run.got += 1;
    if (fetched.kind === "gone") {
      const { sourceId, status } = fetched;
      await this.write(run, { sourceId, retrievedAt, url, status, payloadDigest: hash("sha256", ""), payload: "" });
      return;
    }
    const { sourceId, payload, payloadDigest, bytes } = fetched.record;
    if (fetched.left.length > 0) this.logLeft(sourceId, fetched.left);
    run.counts.bytes += bytes;
    await this.write(run, { sourceId, retrievedAt, url, status: 200, payloadDigest, payload });
  }

  private refuse(run: HttpRun, { item, reason, detail }: Refused, url: string): void {
    run.counts.refused[reason] += 1;
    run.got += 1;
    const { session, source } = this.context;
    session.refuse({ source: source.name, file: url, line: item, reason, detail });
  }

  private async write(run: HttpRun, record: Omit<Envelope, "source">): Promise<void> {
    run.counts.records += 1;
    const slow = this.context.session.keep({ source: this.context.source.name, ...record });
    if (slow !== null) await slow;
  }

  private logLeft(sourceId: string, parts: readonly string[]): void {
    const { log, source } = this.context;
    log({ level: "info", event: "harvest-parts-left-out", source: source.name, sourceId, parts });
  }
}
