/** Digests of the code: of what can change a row or a page, and of everything a build runs. */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Rooms whose files can change a row or a page: what stages 2 to 6 import, with their SQL, contracts and word lists.
 * A room is a folder with all that lies below it. A test follows the imports and fails where one leads out of here.
 */
export const PROGRAM_ROOMS = [
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
  "pipeline/parquet",
  "pipeline/pledges",
  "pipeline/previous",
  "pipeline/reading",
  "pipeline/rubrics",
  "pipeline/sources",
  "pipeline/stage",
  "pipeline/store/raw",
  "pipeline/vocabularies",
  "package-lock.json",
] as const;

/** What a build runs besides, to tell about a release: it can change a report, but no row and no page. */
const BUILD_ROOMS = [...PROGRAM_ROOMS, "api-static", "pipeline", "operations"];

/** Data with digests of their own among the inputs: a change of one need not make everything anew. */
const OWN_DIGEST = /^pipeline\/(?:rubrics\/[^/]+|sources\/[^/]+\/(?:pledge|forms))\.json$/;

const digests = new Map<string, Promise<string>>();

/** Digest of the code that reads payloads and writes pages: what was made by another program is not taken over. */
export function programDigest(): Promise<string> {
  return once("program", () => digestOf(PROGRAM_ROOMS, (path) => !OWN_DIGEST.test(path)));
}

/** Digest of all that a build runs: an interrupted build does not go on with what other code left behind. */
export function buildCodeDigest(): Promise<string> {
  return once("build", () => digestOf(BUILD_ROOMS, () => true));
}

/** Rooms whose files can change what a payload of any source is read as. */
const READING_ROOMS = [
  "pipeline/2-normalise",
  "pipeline/identifiers",
  "pipeline/reading",
  "pipeline/sources/adapter",
  "pipeline/vocabularies",
];

/** Digest of a source's reader: its own folder, what all normalisers read with, and the word lists; no pledge, which has one of its own. */
export function readerDigest(source: string): Promise<string> {
  const rooms = [...READING_ROOMS, `pipeline/sources/${source}`];
  return once(`reader ${source}`, () => digestOf(rooms, (path) => !OWN_DIGEST.test(path)));
}

function once(name: string, make: () => Promise<string>): Promise<string> {
  const digest = digests.get(name) ?? make();
  digests.set(name, digest);
  return digest;
}

async function digestOf(rooms: readonly string[], wanted: (path: string) => boolean): Promise<string> {
  const paths = new Set((await Promise.all(rooms.map(filesOf))).flat());
  const lines = [...paths]
    .filter((path) => /\.(?:ts|sql|json|csv|py)$/.test(path) && wanted(path))
    .sort()
    .map(async (path) => `${path} ${hash("sha256", await readFile(join(ROOT, path)))}`);
  return hash("sha256", (await Promise.all(lines)).join("\n"));
}

/** Paths below the program's folder. */
async function filesOf(room: string): Promise<string[]> {
  if (room.endsWith(".json")) return [room];
  return (await readdir(join(ROOT, room), { recursive: true })).map((name) => `${room}/${name}`);
}
