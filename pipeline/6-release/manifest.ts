/** The manifest: every file of a release with bytes and sha256, one line a file, by path. */

import { hash } from "node:crypto";
import { join } from "node:path";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { replaceFile } from "../files/durable.ts";
import { fileDigest } from "../files/file-digest.ts";

/** Writes manifest.ndjson below the tree, ordered by path. Returns `sha256:<hex>` of it. */
export async function writeManifest(tree: string, lines: readonly ManifestLine[]): Promise<string> {
  const text = lines
    .toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  await replaceFile(join(tree, "manifest.ndjson"), text);
  return `sha256:${hash("sha256", text)}`;
}

/** `sha256:<hex>` of a manifest file. */
export async function manifestDigestOf(path: string): Promise<string> {
  return `sha256:${await fileDigest(path)}`;
}
