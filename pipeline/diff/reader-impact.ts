/** Measures how scores change if nothing but the reader of a source (its code or word lists) changes. */

import type { RecordChange, ReleaseDiff } from "../../schemas/public/api/diff.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { publicVersion } from "../../schemas/public/rubric.ts";
import type { Database, DuckDBOptions } from "../engine/open.ts";
import type { ReleaseSide } from "./compare.ts";
import { changedReaders, compare, readChange } from "./compare.ts";

/** Score changes for one source under one version, in points, in total and for each signal. */
export interface ReaderMovement {
  readonly rubric: PublicVersion;
  readonly source: string;
  readonly records: number;
  readonly gained: number;
  readonly lost: number;
  readonly signals: readonly { readonly signal: string; readonly records: number; readonly points: number }[];
}

export interface ReaderImpact {
  /** Digest of the earlier release; null if none is active, or if the active one has format 1. */
  readonly from: string | null;
  readonly readers: ReleaseDiff["readers"];
  readonly sources: readonly ReaderMovement[];
  readonly largest: readonly RecordChange[];
}

const LISTED = 20;

/** Compares a release with the active one, which it would replace. Returns the changes that new readers cause. */
export async function readerImpact(
  before: ReleaseSide | null,
  after: ReleaseSide,
  options: DuckDBOptions,
): Promise<ReaderImpact> {
  if (before === null) return { from: null, readers: [], sources: [], largest: [] };
  const { db } = await compare(before, after, options);
  try {
    await db.runFile(new URL("./60-reader-impact.sql", import.meta.url), { listed: LISTED });
    return {
      from: before.receipt.releaseDigest,
      readers: changedReaders(before.receipt, after.receipt),
      sources: await movements(db),
      largest: (await db.rows("select * from read_otherwise_listed")).map(readChange),
    };
  } finally {
    db.close();
  }
}

async function movements(db: Database): Promise<ReaderMovement[]> {
  const signals = await db.rows("select * from read_otherwise_signal");
  return (await db.rows("select * from read_otherwise_source")).map(({ rubric, source, records, gained, lost }) => ({
    rubric: publicVersion.parse(rubric),
    source: String(source),
    records: Number(records),
    gained: Number(gained),
    lost: Number(lost),
    signals: signals
      .filter((row) => row.rubric === rubric && row.source === source)
      .map((row) => ({ signal: String(row.signal), records: Number(row.records), points: Number(row.points) })),
  }));
}
