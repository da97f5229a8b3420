/** Records that people asked for: fetched one by one before the walk, which may be long, and need not come to them. */

import { hash } from "node:crypto";
import type { RefusalReason } from "../../../schemas/public/refusal.ts";
import type { Source } from "../../sources/adapter/source.ts";
import type { Effects } from "../../stage/effects.ts";
import { BudgetSpent, isUpstream } from "../session/errors.ts";
import type { RawSession } from "../session/session.ts";
import type { WantedCounts, WantedOutcome } from "../session/summary.ts";
import type { Fetched, RecordFetch } from "./fetch-record.ts";
import { messageOf } from "./walk-questions.ts";

export interface WantedRecord {
  readonly sourceId: string;
  /** Not to be asked for again: where the service does not answer for it now, that is recorded as a refusal. */
  readonly lastTry: boolean;
}

/** A list of wanted records, which is told what became of them. */
export interface WantedRecords {
  readonly records: readonly WantedRecord[];
  /** Called when it is on the disk. What is never told, by a kill in between, is fetched once more: that does no harm. */
  readonly done: (outcomes: ReadonlyMap<string, WantedOutcome>) => Promise<void>;
}

/** Records fetched before they are written down and said to be done. */
const AT_ONCE = 100;

/** After as many failures of the service in a row, the others wait for the next harvest. */
const PATIENCE = 2;

interface Context {
  readonly session: RawSession;
  readonly source: Source;
  readonly fetch: RecordFetch;
  readonly log: Effects["log"];
}

/** Fetches what is wanted into the raw folder; a failure of the service ends no harvest, one of the disk does. */
export async function harvestWanted(wanted: WantedRecords, context: Context): Promise<WantedCounts> {
  const counts = { kept: 0, gone: 0, refused: 0, unanswered: 0 };
  const work = new WantedUnderWay(context);
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

class WantedUnderWay {
  /** Nothing more is asked for: the service fails, or the bounds of the run are reached. */
  over = false;
  private readonly context: Context;
  private failures = 0;

  constructor(context: Context) {
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

  /** Null where nothing was asked. */
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

  private async keep(asked: string, fetched: Fetched): Promise<WantedOutcome> {
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
      case "refused":
        return this.refuse(asked, url, fetched.objection.reason, fetched.objection.detail);
      default:
        return fetched satisfies never;
    }
  }

  private unanswered({ sourceId, lastTry }: WantedRecord, error: unknown): WantedOutcome {
    const { source, log } = this.context;
    this.failures += 1;
    this.over = this.failures >= PATIENCE;
    log({ level: "warn", event: "harvest-wanted-unanswered", source: source.name, reason: messageOf(error) });
    return lastTry ? this.refuse(sourceId, source.urlOf(sourceId), "error-answer", messageOf(error)) : "unanswered";
  }

  private refuse(sourceId: string, url: string, reason: RefusalReason, detail: string): WantedOutcome {
    const { session, source } = this.context;
    session.refuse({ source: source.name, file: url, line: null, reason, detail: `${sourceId}: ${detail}` });
    return "refused";
  }
}
