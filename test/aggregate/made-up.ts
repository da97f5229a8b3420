/** Runs stage 4 over made-up records and scores, in tables as stages 2 and 3 write them. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBAppender } from "@duckdb/node-api";
import { makeReportedInstitution } from "../../pipeline/2-normalise/rows.ts";
import { type AggregateOptions, aggregate } from "../../pipeline/4-aggregate/index.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import type { StageManifest } from "../../pipeline/stage/stage.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import {
  AGGREGATE_TABLES,
  type ColumnType,
  RECORD_TABLES,
  REPORTED_TABLES,
  SCORE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { type Row, withTables } from "../normalise/captures.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";

export interface Person {
  readonly name: string;
  readonly orcid?: string;
  /** True for a person, and false for an organisation. True by default, and the name then has a full given name. */
  readonly person?: boolean;
  readonly full?: boolean;
  /** The affiliations: each is a text such as "Uni X, France", or a pair of a text and a ROR id. */
  readonly at?: readonly (string | readonly [text: string, ror: string])[];
}

export interface Work {
  readonly id: string;
  /** The version family; by default the record is the only one in its family. */
  readonly family?: string;
  readonly repository?: string | null;
  /** The source; zenodo by default. */
  readonly source?: string;
  /** The time of retrieval; 2026-03-01T00:00:00Z by default. */
  readonly retrieved?: string | null;
  readonly updated?: string | null;
  /** The number of supported signals, counted from the first; 25 by default. */
  readonly supported?: number;
  /** The number of signals that could be judged, counted from the first; by default all that are supported. */
  readonly evaluable?: number;
  readonly citations?: number | null;
  /**
   * The total by public version; null if too few signals were judged. A single value is the total under 2.0. Without a total,
   * the record has no score, because it could not be read.
   */
  readonly total?: number | null | Partial<Record<PublicVersion, number | null>>;
  readonly by?: readonly Person[];
  readonly terms?: string;
}

export type Aggregated = Readonly<
  Record<keyof typeof AGGREGATE_TABLES | keyof typeof REPORTED_TABLES, readonly Row[]>
> & {
  readonly manifest: StageManifest;
};

const { names, countries } = await loadVocabularies();

/** Runs stage 4 over made-up datasets, and returns its tables. `options` override those of a build for 2.0 alone. */
export async function aggregateWorks(
  works: readonly Work[],
  options: Partial<AggregateOptions> = {},
): Promise<Aggregated> {
  await using bench = await temporaryStore();
  const [records, scores, folder] = ["2", "3", "4"].map((name) => join(bench.folder, name));
  if (records === undefined || scores === undefined || folder === undefined)
    throw new Error("a folder for the tables is missing");
  await Promise.all([records, scores].map((path) => mkdir(path)));
  await write(records, [
    [RECORD_TABLES.record, works.map(recordRow)],
    [RECORD_TABLES.creator, works.flatMap(creatorRows)],
    [RECORD_TABLES.affiliation, works.flatMap(affiliationRows)],
  ]);
  await write(scores, [[SCORE_TABLES.score, works.flatMap(scoreRows)]]);
  const defaults = {
    rubrics: ["2.0"],
    withheld: [],
    ror: null,
    attribution: true,
    threads: 2,
    memory: "512MB",
  } as const;
  const manifest = await aggregate(records, scores, folder, { ...defaults, ...options }, recordedEffects());
  return await withTables(folder, async (read) => ({
    manifest,
    authorship: await read(AGGREGATE_TABLES.authorship),
    attribution: await read(AGGREGATE_TABLES.attribution),
    researcher: await read(AGGREGATE_TABLES.researcher),
    researcher_dataset: await read(AGGREGATE_TABLES.researcher_dataset),
    metrics: await read(AGGREGATE_TABLES.metrics),
    repository: await read(AGGREGATE_TABLES.repository),
    repository_source: await read(AGGREGATE_TABLES.repository_source),
    institution: await read(AGGREGATE_TABLES.institution),
    country: await read(AGGREGATE_TABLES.country),
    search: await read(AGGREGATE_TABLES.search),
    reported_affiliation: await read(REPORTED_TABLES.reported_affiliation),
  }));
}

type Value = string | number | boolean | null;

type MadeUpRow = Readonly<Record<string, Value>>;

async function write(folder: string, tables: readonly (readonly [Table, readonly MadeUpRow[]])[]): Promise<void> {
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    for (const [table, rows] of tables) {
      await db.create(table);
      const appender = await db.appender(table);
      for (const row of rows) {
        for (const [name, type] of Object.entries(table.columns)) append(appender, type, row[name] ?? null);
        appender.endRow();
      }
      appender.closeSync();
      await db.output(table, join(folder, table.name));
    }
  } finally {
    db.close();
  }
}

function append(appender: DuckDBAppender, type: ColumnType, value: Value): void {
  if (value === null) appender.appendNull();
  else if (type === "bool") appender.appendBoolean(value === true);
  else if (type === "int") appender.appendInteger(Number(value));
  else appender.appendVarchar(String(value));
}

function recordRow(work: Work) {
  const { id, family = id, repository = "Repo", source = "zenodo", citations = null, total, terms = "" } = work;
  const { retrieved = "2026-03-01T00:00:00Z", updated = null } = work;
  const status = total === undefined ? "failed" : "ok";
  return {
    id,
    source,
    source_id: id,
    status,
    retrieved_at: retrieved,
    updated,
    repository,
    citations,
    version_family: family,
    search_terms: terms,
  };
}

function creatorRows({ id, by = [] }: Work) {
  return by.map(({ name, orcid = null, person = true, full = true, at = [] }, position) => {
    const folded = names.foldName(name);
    const [first] = at;
    return {
      id,
      position,
      name,
      person,
      full_name: full,
      orcid,
      folded_name: folded,
      slug_name: folded.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, ""),
      affiliation: first === undefined ? null : getText(first),
    };
  });
}

function getText(at: string | readonly [string, string]): string {
  return typeof at === "string" ? at : at[0];
}

function affiliationRows({ id, by = [] }: Work) {
  return by.flatMap(({ at = [] }, position) =>
    at.map((one, place) => {
      const text = getText(one);
      const { id: institution_id, reported: reported_json, label } = makeReportedInstitution(text);
      const ror = typeof one === "string" ? null : one[1];
      const country = countries.ofAffiliation(label);
      return {
        id,
        position,
        place,
        institution_id,
        reported_json,
        label,
        folded: names.foldText(label),
        ror,
        country: country?.alpha3 ?? null,
        country_basis: country?.basis ?? null,
      };
    }),
  );
}

/**
 * Returns the score rows of a dataset, one for each version. The total fills the buckets S, H, A, R, E in this order with at
 * most 20 points each, and the first signals pass.
 */
function scoreRows({ id, total, supported = 25, evaluable = supported }: Work) {
  if (total === undefined) return [];
  const totals = typeof total === "number" || total === null ? { "2.0": total } : total;
  return Object.entries(totals).map(([rubric, points]) => {
    const [s, h, a, r, e] = [0, 20, 40, 60, 80].map((below) =>
      points === null ? null : Math.min(Math.max(points - below, 0), 20),
    );
    return {
      id,
      rubric,
      status: points === null ? "insufficient_evidence" : "scored",
      total: points,
      s: s ?? null,
      h: h ?? null,
      a: a ?? null,
      r: r ?? null,
      e: e ?? null,
      observed_use: s ?? null,
      supported_mask: 2 ** supported - 1,
      evaluable_mask: 2 ** evaluable - 1,
      passed_mask: 2 ** Math.floor((points ?? 0) / 4) - 1,
      source_missing_mask: 0,
      failed_mask: 0,
    };
  });
}
