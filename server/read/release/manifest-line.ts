/** Finds a file in a release's manifest, which has some hundred lines. */

import { readFile } from "node:fs/promises";
import { type ManifestLine, manifestLine } from "../../../schemas/public/release.ts";

/** The line of `path` in the manifest file; null where the release has no such file. */
export async function findManifestLine(manifest: string, path: string): Promise<ManifestLine | null> {
  const start = `{"path":${JSON.stringify(path)},`;
  const line = (await readFile(manifest, "utf8")).split("\n").find((text) => text.startsWith(start));
  return line === undefined ? null : manifestLine.parse(JSON.parse(line));
}
