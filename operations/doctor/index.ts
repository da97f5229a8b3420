/** The doctor: looks at a store and the machine under it, and changes nothing. */

import { stat } from "node:fs/promises";
import type { Store } from "../../pipeline/store/store.ts";
import { examineLocks } from "./locks.ts";
import { examineMachine } from "./machine.ts";
import { fault, type Observation, ok } from "./observation.ts";
import { readableByOthers } from "./readable.ts";
import { examineReleases } from "./releases.ts";

export type { Observation } from "./observation.ts";

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
