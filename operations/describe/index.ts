/** What a release tells about itself: how it differs from the one before, whether it may be activated, and how to read it. */

import type { Draft, Tell } from "../../pipeline/6-release/draft.ts";
import { readHarvests } from "../../pipeline/store/raw/harvest-log.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { GateLimits } from "../../schemas/public/gates.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { compare } from "../diff/compare.ts";
import { currentRules, RULE_FILES, writeRules } from "../diff/rules.ts";
import { type Side, sideOf } from "../diff/side.ts";
import { writeDiff } from "../diff/write.ts";
import type { LastHarvest } from "../gates/first-gates.ts";
import { judge } from "../gates/index.ts";
import { writeDescriptors } from "./write-descriptors.ts";
import { writeReport } from "./write-report.ts";

export interface TellOptions {
  readonly limits: GateLimits;
  readonly threads: number;
  readonly memory: string;
}

/** For stage 6. Everything compares with the release that was active when this one was made. */
export function tellOf(store: Store, options: TellOptions): Tell {
  return async (draft) => {
    const rules = await currentRules();
    await writeRules(draft.tree, rules);
    const before = await previousSide(store, draft.receipt.previousReleaseDigest);
    const after: Side = { receipt: draft.receipt, tables: draft.tables, rules };
    const { threads, memory } = options;
    const comparison = await compare(before, after, { threads, memory, spill: draft.spill });
    try {
      const gates = await judge(
        comparison.db,
        after,
        draft.receipt.coverage,
        options.limits,
        await lastHarvests(store, draft),
      );
      const diff = await writeDiff(comparison, before, after, draft.tree);
      await writeReport(comparison.db, draft.tree, { receipt: draft.receipt, after, gates, diff });
      const lines = await linesOf(draft, [...Object.values(RULE_FILES), DIFF_FILE, ...DIFF_TABLE_FILES]);
      await writeDescriptors(draft.tree, draft.receipt, [...draft.data, ...lines]);
      return { lines: [...lines, ...(await linesOf(draft, Object.values(DESCRIPTORS)))], gates };
    } finally {
      comparison.db.close();
    }
  };
}

/** How the last harvest of each source ended. */
async function lastHarvests(store: Store, { receipt }: Draft): Promise<Map<string, LastHarvest>> {
  const last = new Map<string, LastHarvest>();
  for (const { source } of receipt.sources) last.set(source, (await readHarvests(store.raw(source))).at(-1) ?? null);
  return last;
}

async function previousSide(store: Store, digest: string | null): Promise<Side | null> {
  if (digest === null) return null;
  const folder = store.release(digest);
  const receipt = await readReceipt(folder);
  return receipt === null ? null : sideOf(folder, receipt);
}

/** One after the other: a table may be large. */
async function linesOf(draft: Draft, paths: readonly string[]): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for (const path of paths) lines.push(await draft.lineOf(path));
  return lines;
}
