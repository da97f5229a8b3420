/** Questions to a release that no page answers: what became of an id, whose slug this is, a label no file can have. */

import { hash } from "node:crypto";
import { type Database, openDuckDB } from "../pipeline/duckdb/open.ts";
import { releaseTablePaths } from "../pipeline/pages/tables.ts";
import type { PublicVersion } from "../schemas/rubric.ts";
import { AGGREGATE_TABLES, RECORD_TABLES } from "../schemas/tables.ts";

/** What a release knows of a record id. */
export type RecordFate =
  | { readonly fate: "listed" | "unknown" }
  | { readonly fate: "alias"; readonly winner: string }
  | { readonly fate: "tombstone" | "not_dataset"; readonly reason: string | null };

/** Every lookup reads a row group or two; this is room for several at a time. */
const OPTIONS = { threads: 1, memory: "128MB" } as const;

const { record, alias, unlisted } = RECORD_TABLES;
const { researcher, repository } = AGGREGATE_TABLES;

const ORCID_SUFFIX = /(?:^|-)(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/;
const HEX_SUFFIX = /(?:^|-)([0-9a-f]{24}|[0-9a-f]{10})$/;

export class Lookups {
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
  }

  /** Opens the tables of a release folder; they are read as they are asked for. */
  static async open(folder: string): Promise<Lookups> {
    const db = await openDuckDB(OPTIONS);
    try {
      // The files never change, so their footers are read once.
      await db.run("set parquet_metadata_cache = true");
      const paths = releaseTablePaths(folder);
      for (const table of [record, alias, unlisted, researcher, repository]) {
        const path = paths[table.name];
        if (path === undefined) throw new Error(`a release has no table ${table.name}`);
        await db.input(table, path);
      }
    } catch (error) {
      db.close();
      throw error;
    }
    return new Lookups(db);
  }

  async recordFate(id: string): Promise<RecordFate> {
    const [row] = await this.#db.rows(
      `select 'alias' as fate, id as detail from alias where alias_id = $id
       union all select kind, reason from unlisted where id = $id
       union all select 'listed', null from record where id = $id
       order by fate limit 1`,
      { id },
    );
    const detail = typeof row?.detail === "string" ? row.detail : null;
    switch (row?.fate) {
      case "alias":
        return { fate: "alias", winner: detail ?? "" };
      case "tombstone":
      case "not_dataset":
        return { fate: row.fate, reason: detail };
      case "listed":
        return { fate: "listed" };
      default:
        return { fate: "unknown" };
    }
  }

  /** The right slug of the researcher whose ORCID or id ends this one; null where there is none, or more than one. */
  async slugLike(slug: string, version: PublicVersion): Promise<string | null> {
    const range = idRangeOf(slug);
    if (range === null) return null;
    const rows = await this.#db.rows(
      "select slug from researcher where rubric = $version and id between $from and $to order by id limit 2",
      { version, from: range.from, to: range.to },
    );
    const known = rows[0]?.slug;
    // Someone with an ORCID is not known by the digits of their id: a suffix counts only if the right slug ends in it.
    return rows.length === 1 && typeof known === "string" && known.endsWith(range.suffix) ? known : null;
  }

  /** Mean total of a repository as text, null where nothing of it is scored; undefined where there is no such label. */
  async repositoryMean(label: string, version: PublicVersion): Promise<string | null | undefined> {
    const [row] = await this.#db.rows(
      `select cast(mean_score as varchar) as mean from repository where rubric = $version and repository = $label`,
      { version, label },
    );
    if (row === undefined) return undefined;
    return typeof row.mean === "string" ? row.mean : null;
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Researcher ids that the end of a slug can mean (decisions.md, "Identity of researchers"): an ORCID names one id,
 * ten or twenty-four hex digits name a range. The table is ordered by id, so a range reads one part of it; there is no
 * index by slug.
 */
function idRangeOf(slug: string): { readonly suffix: string; readonly from: string; readonly to: string } | null {
  const orcid = ORCID_SUFFIX.exec(slug)?.[1];
  if (orcid !== undefined) {
    const id = `a${hash("sha256", `orcid:${orcid}`, "hex").slice(0, 24)}`;
    return { suffix: orcid, from: id, to: id };
  }
  const digits = HEX_SUFFIX.exec(slug)?.[1];
  return digits === undefined ? null : { suffix: digits, from: `a${digits}`, to: `a${digits}g` };
}
