/**
 * Researchers and the rows of their lists, as relations: of one researcher straight from the tables, or of all of them laid
 * down once in the order of their pages, so that a range of pages reads what is its own and no more.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { AGGREGATE_TABLES } from "../../schemas/public/tables.ts";
import { quote } from "../engine/open.ts";
import { PLACE_BYTES } from "../packs/place.ts";
import { select, textOfRow } from "./columns.ts";
import { LISTED_RECORD, LISTED_SCORE, RESEARCHER } from "./list-rows.ts";
import { openTables, type TablePaths, type TablesOptions } from "./tables.ts";

/** Relations for a statement with the parameter `rubric`. */
export interface ListedRelations {
  /** `place` of the page, `id`, and `row`: the columns of a researcher as the text of a row (columns.ts). */
  readonly persons: string;
  /** `place` of the page, `position` in its list, and `row`: those of a record and its score, in the same way. */
  readonly listings: string;
}

/** {@link RESEARCHER}, means as exact text. */
const PERSON = RESEARCHER.map((name) =>
  AGGREGATE_TABLES.researcher.columns[name] === "hundredths" ? `${name}::varchar` : name,
);

const PLACE = `substr(sha256(slug), 1, ${2 * PLACE_BYTES})`;

/** Of the researcher whose id is the parameter `id`. */
export const ONE_RESEARCHER: ListedRelations = relationsUnder(
  "$rubric",
  "id = $id",
  "record.id in (select id from researcher_dataset where researcher_id = $id and rubric = $rubric)",
);

/** Those of a version that {@link layDown} wrote below `folder`, with places from the parameter `from` up to, not including, `to`. */
export function laidDownIn(folder: string, version: PublicVersion): ListedRelations {
  const within = (name: ListedName) =>
    `select * from read_parquet(${quote(fileOf(folder, name, version))})
     where rubric = $rubric and place >= $from and place < $to`;
  return { persons: within("persons"), listings: within("listings") };
}

/**
 * Writes the researchers of some versions and the rows of their lists below `folder`, one version after the other: both at
 * once take the engine more memory than it puts on the disk.
 */
export async function layDown(
  tables: TablePaths,
  folder: string,
  versions: readonly PublicVersion[],
  options: TablesOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const db = await openTables(tables, options);
  try {
    for (const version of versions) {
      const relations = relationsUnder(quote(version), "true", "true");
      for (const name of LISTED_NAMES) {
        await db.run(
          `copy (select * from (${relations[name]}) order by ${ORDERS[name]})
           to ${quote(fileOf(folder, name, version))}
           (format parquet, compression zstd, row_group_size ${ROWS_READ_AT_ONCE})`,
        );
      }
    }
  } finally {
    db.close();
  }
}

/** Small, so that a range reads few rows of its neighbours. */
const ROWS_READ_AT_ONCE = 8192;

type ListedName = keyof ListedRelations;
const LISTED_NAMES = ["persons", "listings"] as const satisfies readonly ListedName[];
const ORDERS: Readonly<Record<ListedName, string>> = { persons: "place", listings: "place, position" };

function fileOf(folder: string, name: ListedName, version: PublicVersion): string {
  return join(folder, `${name}-${version}.parquet`);
}

/**
 * The researchers of a condition, and the rows of their lists, which are made of the records of another. The version is a literal
 * throughout: compared between tables, it would be what the engine joins them by.
 */
function relationsUnder(version: string, condition: string, listedCondition: string): ListedRelations {
  const persons = `select rubric, ${PLACE} as place, id, ${textOfRow(PERSON)} as row
    from researcher where rubric = ${version} and ${condition}`;
  // The text of a row is made once, however many lists have it.
  const rows = `select record.id, ${textOfRow([select("record", LISTED_RECORD), select("score", LISTED_SCORE)])} as row
    from record
    join score on score.id = record.id and score.rubric = ${version}
    where ${listedCondition}`;
  const listings = `select person.rubric, person.place, listed.place as position, rows.row
    from (${persons}) as person
    join researcher_dataset as listed on listed.researcher_id = person.id and listed.rubric = ${version}
    join (${rows}) as rows on rows.id = listed.id`;
  return { persons, listings };
}
