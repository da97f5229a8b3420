/** Locks of a store: whose they are, and whether that process still runs. Looked at, never taken. */

import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { holderRuns, lockHolder } from "../../pipeline/store/lock-holder.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { note, type Observation, ok, warning } from "./observation.ts";

export async function examineLocks(store: Store): Promise<Observation[]> {
  const folders = [store.root, store.releases, store.run, join(store.root, "keys")];
  for (const parent of [store.raw(""), store.work(""), store.incoming]) {
    for (const name of await readdir(parent).catch(() => [])) folders.push(join(parent, name));
  }
  const found: Observation[] = [];
  for (const folder of folders) {
    const path = join(folder, "lock");
    if ((await lstat(path).catch(() => null)) !== null) found.push(await told(relative(store.root, path), path));
  }
  return found.length > 0 ? found : [ok("locks", "none")];
}

async function told(name: string, path: string): Promise<Observation> {
  const holder = await lockHolder(path);
  if (holder === null) return warning("locks", `${name} is no lock of ours`, "whoever needs it next takes it over");
  if (await holderRuns(holder)) return note("locks", `${name} is held by process ${holder.pid}, which runs`);
  return warning(
    "locks",
    `${name} was held by process ${holder.pid}, which is gone`,
    "whoever needs it next takes it over",
  );
}
