/** Locks of a store: whose they are, and whether that process still runs. Looked at, never taken. */

import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import type { Store } from "../store.ts";
import { note, type Observation, ok, warning } from "./observation.ts";

/** As pipeline/raw/lock.ts writes it. */
const holder = z.object({ pid: z.int().positive(), started: z.string().nullable() });

export async function examineLocks(store: Store): Promise<Observation[]> {
  const folders = [store.root, store.releases, join(store.root, "keys")];
  for (const parent of [store.raw(""), store.work(""), store.incoming]) {
    for (const name of await readdir(parent).catch(() => [])) folders.push(join(parent, name));
  }
  const found: Observation[] = [];
  for (const folder of folders) {
    const text = await readFile(join(folder, "lock"), "utf8").catch(() => null);
    if (text !== null) found.push(await told(relative(store.root, join(folder, "lock")), text));
  }
  return found.length > 0 ? found : [ok("locks", "none")];
}

async function told(path: string, text: string): Promise<Observation> {
  const lock = holderOf(text);
  if (lock === null) return warning("locks", `${path} is no lock of ours`, "whoever needs it next takes it over");
  if (await isAlive(lock)) return note("locks", `${path} is held by process ${lock.pid}, which runs`);
  return warning(
    "locks",
    `${path} was held by process ${lock.pid}, which is gone`,
    "whoever needs it next takes it over",
  );
}

function holderOf(text: string): z.infer<typeof holder> | null {
  try {
    return holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A number that was given to another process since is not the one that took the lock. */
async function isAlive({ pid, started }: z.infer<typeof holder>): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  const tick = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return tick === undefined || started === null || started.endsWith(`:${tick}`);
}
