/** The file of --withhold: ids of researchers who opted out, one a line. */

import { readFile } from "node:fs/promises";
import { UsageError } from "./exit-codes.ts";
import { readableFile } from "./readable-file.ts";

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
