/** The lines of a release's manifest, some hundred of them. What was not verified is read by `verify`, which trusts no line. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ManifestLine, manifestLine } from "../../schemas/public/release.ts";

/** Of the release in a folder. */
export async function manifestLinesIn(folder: string): Promise<ManifestLine[]> {
  const text = await readFile(join(folder, "manifest.ndjson"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => manifestLine.parse(JSON.parse(line)));
}
