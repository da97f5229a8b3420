/** The descriptors of a release: what it is, for catalogues, for citing, and for tools that read its tables. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UnsealedRelease } from "../../pipeline/6-release/index.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { citationFile } from "./citation.ts";
import { croissant } from "./croissant.ts";
import { datapackage } from "./datapackage.ts";
import { describeFiles } from "./files.ts";
import { roCrate } from "./ro-crate.ts";

/**
 * They name the files under data/ with their digests; nothing can name the manifest, which names them. History is left
 * out: it has the time of publication, and with its digest every descriptor would differ between two builds of the same.
 */
export async function writeDescriptors(
  tree: string,
  receipt: UnsealedRelease["receipt"],
  lines: readonly ManifestLine[],
): Promise<void> {
  const files = describeFiles(lines);
  const write = (path: string, text: string) => writeFile(join(tree, path), text);
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  await write(DESCRIPTORS.datapackage, json(datapackage(receipt, files)));
  await write(DESCRIPTORS.roCrate, json(roCrate(receipt, files)));
  await write(DESCRIPTORS.croissant, json(croissant(receipt, files)));
  await write(DESCRIPTORS.citation, citationFile(receipt));
}
