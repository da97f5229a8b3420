/** A look at whether a web server with a user of its own could give out the active release: one that cannot passes everything on unnoticed. */

import { existsSync } from "node:fs";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { closedToOthers, OPENING } from "./closed-to-others.ts";
import { note, type Observation, ok, warning } from "./observation.ts";

export async function readableByOthers(store: Store): Promise<Observation[]> {
  const active = await currentDigest(store).catch(() => null);
  if (active === null) return [];
  const tree = store.tree(active);
  const told = existsSync(tree) ? [] : [withoutTree(store, tree)];
  const closed = await closedToOthers(store.release(active), tree);
  if (closed === null) return [...told, ok("pages", "every user of this machine can read them, nginx's too")];
  const detail = `only the owner and group can read ${closed}: nginx under another user passes every page on to the server`;
  return [...told, warning("pages", detail, OPENING)];
}

function withoutTree({ root }: Store, tree: string): Observation {
  return note(
    "pages",
    `there is no tree of the active release at ${tree}: every page comes from the server; \`share-release publish --pages --to ${root}\` makes one`,
  );
}
