/** The doctor: looks at a store and the machine under it, and changes nothing. */

import { stat } from "node:fs/promises";
import { examineLocks } from "./doctor/locks.ts";
import { examineMachine } from "./doctor/machine.ts";
import { fault, type Observation, ok } from "./doctor/observation.ts";
import { readableByOthers } from "./doctor/readable.ts";
import { examineReleases } from "./doctor/releases.ts";
import type { Store } from "./store.ts";

export type { Observation } from "./doctor/observation.ts";

/** Everything worth telling, in the order one would look. */
export async function examine(store: Store): Promise<Observation[]> {
  const folder = await stat(store.root).catch(() => null);
  if (folder === null) return [fault("store", `there is none at ${store.root}`, "`share-release harvest` makes one")];
  if (!folder.isDirectory()) return [fault("store", `${store.root} is no folder`, "give another --store")];
  return [
    ok("store", store.root),
    ...(await examineMachine(store)),
    ...(await examineLocks(store)),
    ...(await examineReleases(store)),
    ...(await readableByOthers(store)),
  ];
}
