/** The rows that differ from those of an earlier release, table by table. */

import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { RELEASE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { type Database, quote } from "../engine/open.ts";
import type { PreviousRelease } from "./previous-release.ts";

/**
 * Makes `changed_<table>` of every release table and its earlier self `before_<table>`: the rows that only one of them
 * has, or whose columns differ, as they are now. `here` says whether the row is there now: of one that is not only the
 * key is known. `shows` says whether the difference is in one of the columns `shown`. Leaves them as
 * `folder`/<table>.parquet too, for the digests of stage 6.
 */
export async function findChanged(
  db: Database,
  folder: string,
  shown: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const table of RELEASE_TABLES) {
    await db.run(`create table changed_${table.name} as ${changed(table, shown[table.name] ?? [])}`);
    await db.run(`copy changed_${table.name} to ${quote(changedPath(folder, table))} (format parquet)`);
  }
}

/**
 * Where in the folder of stage 5 the rows are that changed since that release. It bears the release's name: a build that
 * was killed after stage 5 may go on when another release is the last one, whose rows changed in other ways.
 */
export function changedFolder(folder: string, { folder: release }: PreviousRelease): string {
  return join(folder, "changed", basename(release));
}

/** Where a table's changed rows are. */
export function changedPath(folder: string, table: Table): string {
  return join(folder, `${table.name}.parquet`);
}

function changed(table: Table, shown: readonly string[]): string {
  const columns = Object.keys(table.columns).map((name) =>
    table.key.includes(name) ? `coalesce(now."${name}", before."${name}") as "${name}"` : `now."${name}"`,
  );
  const same = table.key.map((name) => `now.${name} = before.${name}`);
  const [first] = table.key;
  const lone = [`now.${first} is null`, `before.${first} is null`];
  const differs = (names: readonly string[]) =>
    names.filter((name) => !table.key.includes(name)).map((name) => `now."${name}" is distinct from before."${name}"`);
  return `select ${columns.join(", ")}, now.${first} is not null as here,
      ${[...lone, ...differs(shown)].join(" or ")} as shows
    from ${table.name} as now full join before_${table.name} as before on ${same.join(" and ")}
    where ${[...lone, ...differs(Object.keys(table.columns))].join(" or ")}`;
}
