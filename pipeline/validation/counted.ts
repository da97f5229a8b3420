/** Counts of the SQL as numbers, and those of all sources together. */

import type { Cell, Database } from "../engine/open.ts";

/** A row of counts: what it is of as text, the rest as numbers. */
export type Counted<Number extends string> = { readonly source: string; readonly rubric: string } & Readonly<
  Record<Number, number>
>;

/** All rows of a relation that has a source, a rubric and the numbers named. */
export async function counted<Name extends string>(
  db: Database,
  relation: string,
  names: readonly Name[],
): Promise<Counted<Name>[]> {
  const rows = await db.rows(`select source, rubric, ${names.join(", ")} from ${relation}`);
  return rows.map((row) => countedRow(row, names));
}

function countedRow<Name extends string>(row: Readonly<Record<string, Cell>>, names: readonly Name[]): Counted<Name> {
  const numbers = Object.fromEntries(names.map((name) => [name, Number(row[name])]));
  return { source: String(row.source), rubric: String(row.rubric), ...numbers } as Counted<Name>;
}

/** The sum of a number over rows. */
export function sumOf<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
