/** Describes the reader of a source: its version, and the digest of the code and word lists that read its payloads. */

import type { ReaderVersion } from "../../schemas/public/release.ts";
import { declarationsDigest } from "../files/code-digest.ts";
import { sourceNamed } from "./index.ts";

/** Folders whose files can change how a payload of any source is read. */
const READING_FOLDERS = [
  "pipeline/2-normalise",
  "pipeline/reading",
  "pipeline/sources/adapter",
  "pipeline/vocabularies",
];

const readers = new Map<string, Promise<ReaderVersion>>();

/**
 * Returns the reader of a source in this version of the program. Its digest covers the folder of the source, the shared
 * code and the word lists.
 */
export function getReader(name: string): Promise<ReaderVersion> {
  const reader = readers.get(name) ?? readReader(name);
  readers.set(name, reader);
  return reader;
}

async function readReader(name: string): Promise<ReaderVersion> {
  const source = sourceNamed(name);
  if (source === null)
    throw new Error(`there is no source called ${name} in this version of the program; use a later version`);
  const digest = await declarationsDigest(
    [...READING_FOLDERS, `pipeline/sources/${name}`],
    (path) => !hasOwnDigest(path),
  );
  return { version: source.reader, digest: `sha256:${digest}` };
}

const OWN_DIGEST = /^pipeline\/(?:rubrics\/[^/]+|sources\/[^/]+\/pledge)\.json$/;

/**
 * True for the file of a contract or pledge, which has its own digest in a release. Digests of readers do not cover
 * these files. `path` is relative to the folder of the program.
 */
export function hasOwnDigest(path: string): boolean {
  return OWN_DIGEST.test(path);
}
