/** Reads the tables of a release as plain rows into memory. The rows of every list must follow from them. */

import { openDuckDB, partsIn } from "../../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../../pipeline/pages/columns.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { Receipt } from "../../../schemas/public/release.ts";

export type Cell = string | number | bigint | boolean | null;
export type Plain = Readonly<Record<string, Cell>>;

/** A record with all rows of other tables that the filters of a list need. */
export interface PlainRecord {
  readonly record: Plain;
  readonly scores: ReadonlyMap<string, Plain>;
  readonly facets: readonly Plain[];
  readonly identifiers: readonly string[];
  readonly affiliations: readonly Plain[];
}

export interface Tables {
  readonly records: readonly PlainRecord[];
  readonly researchers: readonly Plain[];
  readonly institutions: readonly Plain[];
  readonly countries: readonly Plain[];
  /**
   * The mask of the signals that a source supports, by `<source> <rubric>`. It is needed for records that could not be read,
   * because they have no score with this mask.
   */
  readonly supported: ReadonlyMap<string, number>;
}

const NAMES = ["record", "score", "facet", "alias", "researcher", "institution", "country", "attribution"] as const;

export async function readTables(store: Store, receipt: Receipt): Promise<Tables> {
  const paths = releaseTablePaths(store.release(receipt.releaseDigest));
  const db = await openDuckDB({ threads: 1 });
  try {
    // Means leave DuckDB as decimals; the API shows them as numbers of two places.
    const read = (name: (typeof NAMES)[number]) => {
      const means = ["researcher", "institution", "country"].includes(name)
        ? " replace (mean_score::double as mean_score, mean_s::double as mean_s, mean_h::double as mean_h, mean_a::double as mean_a, mean_r::double as mean_r, mean_e::double as mean_e)"
        : "";
      return db.rows(`select *${means} from read_parquet($path)`, { path: partsIn(paths[name] ?? "") });
    };
    const [records, scores, facets, aliases] = [
      await read("record"),
      await read("score"),
      await read("facet"),
      await read("alias"),
    ];
    const [researchers, institutions, countries, affiliations] = [
      await read("researcher"),
      await read("institution"),
      await read("country"),
      await read("attribution"),
    ];
    const supported = new Map<string, number>();
    const sources = new Map(records.map((record) => [record.id, record.source]));
    for (const score of scores)
      supported.set(`${sources.get(score.id ?? null)} ${score.rubric}`, popcount(score.supported_mask));
    return {
      records: joined(records, scores, facets, aliases, affiliations),
      researchers,
      institutions,
      countries,
      supported,
    };
  } finally {
    db.close();
  }
}

function joined(
  records: readonly Plain[],
  scores: readonly Plain[],
  facets: readonly Plain[],
  aliases: readonly Plain[],
  affiliations: readonly Plain[],
): PlainRecord[] {
  const by = (rows: readonly Plain[]) => Map.groupBy(rows, ({ id }) => id);
  const [scored, faceted, aliased, affiliated] = [by(scores), by(facets), by(aliases), by(affiliations)];
  return records.map((record) => ({
    record,
    scores: new Map((scored.get(record.id) ?? []).map((score) => [String(score.rubric), score])),
    facets: faceted.get(record.id) ?? [],
    identifiers: [
      `${record.source}/${record.source_id}`,
      ...(aliased.get(record.id) ?? []).map((alias) => String(alias.alias_identifier)),
    ],
    affiliations: affiliated.get(record.id) ?? [],
  }));
}

export function popcount(mask: Cell | undefined): number {
  return Number(mask).toString(2).replaceAll("0", "").length;
}
