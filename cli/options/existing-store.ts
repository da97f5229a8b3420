/** The store of a command that makes none: one that is misspelt is refused, not made and found empty. */

import { statSync } from "node:fs";
import type { Store } from "../../pipeline/store/store.ts";
import { CommandFailed } from "./exit-codes.ts";
import { type SharedOptions, storeOf } from "./shared.ts";

/** @throws CommandFailed where its folder is not there */
export function existingStoreOf(options: SharedOptions): Store {
  const store = storeOf(options);
  if (statSync(store.root, { throwIfNoEntry: false })?.isDirectory() === true) return store;
  throw new CommandFailed(`there is no store ${store.root}; give another --store, or make the folder for a new one`);
}
