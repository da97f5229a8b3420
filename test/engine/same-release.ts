/**
 * Compares two releases with the same digest by different engines: all rows, and all files except those that name the engine.
 */

import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { findRelease } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { listReleaseTables, publishedName } from "../../schemas/public/tables.ts";
import { releaseContent } from "../support/release-content.ts";

/** Expects the tables of both releases to have the same rows, and returns the number of rows of one release. */
export async function rowsOfBoth(one: Store, other: Store, digest: string): Promise<number> {
  const db = await openDuckDB({ threads: 2 });
  try {
    let rows = 0;
    for (const table of listReleaseTables(await findRelease(one, digest))) {
      const { name } = table;
      for (const [prefix, store] of [
        ["one", one],
        ["other", other],
      ] as const) {
        const folder = releaseTablePaths(store.release(digest), [table])[name] ?? "";
        expect(await readdir(folder)).not.toEqual([]);
        await db.input({ ...table, name: `${prefix}_${name}` }, folder);
      }
      const differing = await db.rows(
        `((select * from one_${name} except all select * from other_${name})
         union all (select * from other_${name} except all select * from one_${name})) limit 5`,
      );
      expect({ table: publishedName(table), differing }).toEqual({ table: publishedName(table), differing: [] });
      rows += Number((await db.rows(`select count(*) as rows from one_${name}`))[0]?.rows);
    }
    return rows;
  } finally {
    db.close();
  }
}

/**
 * Returns the files by path, without those that differ between engines: Parquet files, descriptors with their digests, reports.
 */
export async function filesAlike(store: Store, digest: string): Promise<ReadonlyMap<string, unknown>> {
  const { files } = await releaseContent(store.release(digest));
  return new Map(
    [...files].filter(([path]) => !/\.parquet$|^(?:report|validation|datapackage|croissant|ro-crate)[^/]*$/.test(path)),
  );
}
