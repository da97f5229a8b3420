/** Whether a web server with a user of its own could give out the pages: where not, it passes every one on unnoticed. */

import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { manifestLines } from "../verify/files.ts";
import { type Observation, ok, warning } from "./observation.ts";

const ENTER = 0o001;
const READ = 0o004;

/** Modes alone are looked at: who is in the group, and what lists of access say besides, is for the administrator to know. */
export async function readableByOthers(store: Store): Promise<Observation[]> {
  const active = await currentDigest(store).catch(() => null);
  if (active === null) return [];
  const folder = resolve(store.release(active));
  const page = await firstPage(folder);
  const closed = [
    ...(await without(READ, page === null ? [] : [page])),
    ...(await without(ENTER, page === null ? foldersAbove(folder) : foldersAbove(page))),
  ];
  const [first] = closed;
  if (first === undefined) return [ok("pages", "every user of this machine can read them, nginx's too")];
  return [
    warning(
      "pages",
      `only the owner and group can read ${first}: nginx under another user passes every page on to the server`,
      "put nginx's user into the group, or build with umask 022 and open what lies above; without nginx it is as it should be",
    ),
  ];
}

async function firstPage(folder: string): Promise<string | null> {
  try {
    for await (const line of manifestLines(join(folder, "manifest.ndjson"))) {
      if (line?.path.startsWith("api/") === true) return join(folder, line.path);
    }
  } catch {
    // What is wrong with the release is told elsewhere.
  }
  return null;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

async function without(bit: number, paths: readonly string[]): Promise<string[]> {
  const closed: string[] = [];
  for (const path of paths) {
    const mode = (await stat(path).catch(() => null))?.mode;
    if (mode !== undefined && (mode & bit) === 0) closed.push(path);
  }
  return closed;
}
