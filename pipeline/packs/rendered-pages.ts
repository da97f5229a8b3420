/** What stage 6 has to know of the pages that stage 5 made. */

import { z } from "zod";
import { digest, manifestLine } from "../../schemas/public/release.ts";
import type { FinishedPack } from "./pack-sink.ts";
import { pagesRoot } from "./pages-root.ts";

export const renderedPages = z.object({
  /** Lines of the manifest, one a pack. */
  lines: z.array(manifestLine),
  /** The root over the pages of each family. */
  roots: z.record(z.string(), digest),
});
export type RenderedPages = z.infer<typeof renderedPages>;

/** Packs in any order. */
export function renderedPagesOf(packs: readonly FinishedPack[]): RenderedPages {
  const sorted = packs.toSorted((one, other) => (one.line.path < other.line.path ? -1 : 1));
  const families = [...new Set(sorted.map(({ family }) => family))];
  const shardsOf = (family: string) => sorted.flatMap((pack) => (pack.family === family ? pack.shards : []));
  return {
    lines: sorted.map(({ line }) => line),
    roots: Object.fromEntries(families.map((family) => [family, pagesRoot(shardsOf(family))])),
  };
}
