/** The file of --withhold: ids of researchers who opted out, one a line; and who opted out and is not in it. */

import { readFile } from "node:fs/promises";
import { hasAccounts, withAccounts } from "./account-store.ts";
import { UsageError } from "./exit-codes.ts";
import { readableFile } from "./readable-file.ts";
import type { SharedOptions } from "./shared.ts";

/** @throws UsageError naming the line that is no id */
export async function readWithheld(file: string): Promise<string[]> {
  const lines = (await readFile(await readableFile("--withhold", file), "utf8")).split(/\r?\n/);
  return lines.flatMap((line, i) => {
    const id = line.trim();
    if (id === "" || id.startsWith("#")) return [];
    if (!/^a[0-9a-f]{24}$/.test(id))
      throw new UsageError(`${file}:${i + 1}: "${id}" is no researcher id (a and 24 hex digits)`);
    return [id];
  });
}

/** How many researchers are hidden by the servers of this store, and would be shown again in the files of this release. */
export async function countForgotten(options: SharedOptions, withheld: readonly string[]): Promise<number> {
  return (await hiddenIds(options)).filter((id) => !withheld.includes(id)).length;
}

/** Researchers that the servers of this store hide; none where it has no accounts. */
export async function hiddenIds(options: SharedOptions): Promise<string[]> {
  if (!hasAccounts(options)) return [];
  const { hiddenResearchers } = await import("../../server/people/moderation/queue.ts");
  return (await withAccounts(options, ({ db }) => hiddenResearchers(db))).map(({ id }) => id);
}
