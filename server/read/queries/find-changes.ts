/**
 * Finds what moved in a release: rows of its `diff-records`, read where it lies. The table is ordered by version and id, so
 * that the number of a row is a place to go on from.
 */

import type { Cell } from "../../../pipeline/engine/open.ts";
import { quote } from "../../../pipeline/engine/open.ts";
import { type ChangeRow, changeRow } from "../../../schemas/public/api/changes.ts";
import type { ChangeListQuery } from "../../../schemas/public/api/queries.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Parameters, Prepared } from "./prepared.ts";

/** Columns of the table, by the member of a row that shows them. */
const COLUMNS = {
  id: "id",
  kind: "kind",
  previousId: "previous_id",
  identifier: "identifier",
  source: "source",
  previousSource: "previous_source",
  repository: "repository",
  title: "title",
  statusBefore: "status_before",
  statusAfter: "status_after",
  totalBefore: "total_before",
  totalAfter: "total_after",
  points: "points",
  causes: "causes",
  reason: "reason",
} as const satisfies Record<keyof ChangeRow, string>;

const FILTERS = ["kind", "reason", "source"] as const;

/** Which of the rows that fit: so many, behind a row or behind so many. */
export interface ChangesPart {
  readonly after: number | null;
  readonly offset: number;
  readonly limit: number;
}

export interface FoundChanges {
  readonly rows: readonly ChangeRow[];
  /** Number of the last of them in the table, where more follow it; null where none do. */
  readonly next: number | null;
}

/** `file`: the table of the release. */
export class ChangesTable {
  readonly #prepared: Prepared;
  readonly #from: string;
  readonly #file: string;

  constructor(prepared: Prepared, file: string) {
    this.#prepared = prepared;
    this.#file = file;
    this.#from = `from read_parquet(${quote(file)}, file_row_number = true)`;
  }

  /** Rows that fit, whatever the part. */
  count(asked: ChangeListQuery): Promise<number> {
    const { where, parameters } = conditionsOf(asked);
    const { totals } = this.#prepared;
    return totals.of(JSON.stringify([this.#file, parameters]), async () => {
      const [row] = await this.#prepared.rows(`select cast(count(*) as integer) ${this.#from} ${where}`, parameters);
      return Number(row?.[0] ?? 0);
    });
  }

  async find(asked: ChangeListQuery, { after, offset, limit }: ChangesPart): Promise<FoundChanges> {
    const { where, parameters } = conditionsOf(asked);
    const behind = after === null ? "" : "and file_row_number > $after";
    // One more than is asked for tells whether there are more.
    const rows = await this.#prepared.rows(
      `select file_row_number, ${Object.values(COLUMNS).join(", ")} ${this.#from} ${where} ${behind}
        order by file_row_number limit $limit offset $offset`,
      { ...parameters, ...(after === null ? {} : { after }), limit: limit + 1, offset },
    );
    const found = rows.slice(0, limit);
    const last = found.at(-1)?.[0];
    return {
      rows: found.map(([, ...cells]) => rowOf(cells)),
      next: rows.length > limit && last !== undefined ? Number(last) : null,
    };
  }
}

function conditionsOf(asked: ChangeListQuery): { readonly where: string; readonly parameters: Parameters } {
  const given = FILTERS.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]] as const]));
  return {
    where: ["where rubric = $rubric", ...given.map(([name]) => `${name} = $${name}`)].join(" and "),
    parameters: { rubric: asked.rubric, ...Object.fromEntries(given) },
  };
}

/** @throws ProblemError `not-found` for a table of words that this version does not know, as those of a later one may be */
function rowOf(cells: readonly Cell[]): ChangeRow {
  const row = changeRow.safeParse(Object.fromEntries(Object.keys(COLUMNS).map((name, i) => [name, cells[i] ?? null])));
  if (row.success) return row.data;
  throw new ProblemError(
    "not-found",
    "That release tells its changes in words that this service does not know; its file data/diff-records.parquet has them.",
  );
}
