/** Digests of the code: of what can change a row or a page, and of everything a build runs. */

import { filesDigest } from "../../pipeline/files/code-digest.ts";
import { hasOwnDigest } from "../../pipeline/sources/reader-of.ts";

/**
 * Folders whose files can change a row or a page: everything that stages 2 to 6 import, with SQL, contracts and word lists.
 * A test follows the imports and fails if one leads out of these folders.
 */
export const PROGRAM_FOLDERS = [
  "schemas",
  "api-static/pages",
  "api-static/routes",
  "pipeline/2-normalise",
  "pipeline/3-score",
  "pipeline/4-aggregate",
  "pipeline/5-render",
  "pipeline/6-release",
  "pipeline/engine",
  "pipeline/files",
  "pipeline/identifiers",
  "pipeline/packs",
  "pipeline/pages",
  "pipeline/reading",
  "pipeline/rubrics",
  "pipeline/sources",
  "pipeline/stage",
  "pipeline/store/raw",
  "pipeline/vocabularies",
  "package-lock.json",
] as const;

/** Folders of everything that a build runs. The code outside PROGRAM_FOLDERS can change a report, but no row and no page. */
const BUILD_FOLDERS = [...PROGRAM_FOLDERS, "api-static", "pipeline", "operations"];

const digests = new Map<string, Promise<string>>();

/**
 * Digest of the code that reads payloads and writes pages: what was made by another program is not taken over. A contract or
 * pledge that changed need not make everything anew.
 */
export function programDigest(): Promise<string> {
  return once("program", () => filesDigest(PROGRAM_FOLDERS, (path) => !hasOwnDigest(path)));
}

/** Digest of all that a build runs: an interrupted build does not go on with what other code left behind. */
export function buildCodeDigest(): Promise<string> {
  return once("build", () => filesDigest(BUILD_FOLDERS, () => true));
}

function once(name: string, make: () => Promise<string>): Promise<string> {
  const digest = digests.get(name) ?? make();
  digests.set(name, digest);
  return digest;
}
