/** The digest of a part of the program: which code, SQL and word lists something was made by. */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * sha256, in hex, over the paths and bytes of the wanted files of rooms: folders with all that lies below them, or single
 * JSON files.
 */
export async function roomsDigest(rooms: readonly string[], wanted: (path: string) => boolean): Promise<string> {
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
