/** The files in which a release tells about itself: how it differs from the one before, whether it may be activated, and how to read it. */

import type { Describe, UnsealedRelease } from "../../pipeline/6-release/index.ts";
import { readHarvests } from "../../pipeline/store/raw/harvest-log.ts";
import { formatOf } from "../../pipeline/store/release-format.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { GateLimits } from "../../schemas/public/gates.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { compare } from "../diff/compare.ts";
import { currentRules, RULE_FILES, writeRules } from "../diff/rules.ts";
import { type Side, sideOf } from "../diff/side.ts";
import { writeDiff } from "../diff/write.ts";
import type { LastHarvest } from "../gates/first-gates.ts";
import { judge } from "../gates/index.ts";
import { writeValidation } from "../validation/write.ts";
import { writeDescriptors } from "./write-descriptors.ts";
import { writeReport } from "./write-report.ts";

export interface DescribeOptions {
  readonly limits: GateLimits;
  readonly threads: number;
  readonly memory: string;
}

/** For stage 6. Everything compares with the release that was active when this one was made. */
export function describeWith(store: Store, options: DescribeOptions): Describe {
  return async (release) => {
    const rules = await currentRules();
    await writeRules(release.tree, rules);
    const before = await previousSide(store, release.receipt.previousReleaseDigest);
    const after: Side = { receipt: release.receipt, tables: release.tables, rules };
    const { threads, memory } = options;
    const comparison = await compare(before, after, { threads, memory, spill: release.spill });
    try {
      const gates = await judge(
        comparison.db,
        after,
        release.receipt.coverage,
        options.limits,
        await lastHarvests(store, release),
      );
      const diff = await writeDiff(comparison, before, after, release.tree);
      await writeValidation(
        release.tree,
        { receipt: release.receipt, tables: release.tables, rules },
        { threads, memory, spill: release.spill },
      );
      await writeReport(comparison.db, release.tree, { receipt: release.receipt, after, gates, diff });
      const lines = await linesOf(release, [
        ...Object.values(RULE_FILES),
        VALIDATION_FILE,
        DIFF_FILE,
        ...DIFF_TABLE_FILES,
      ]);
      await writeDescriptors(release.tree, release.receipt, [...release.data, ...lines]);
      return {
        lines: [...lines, ...(await linesOf(release, [...Object.values(DESCRIPTORS), VALIDATION_PAGE]))],
        gates,
        limits: options.limits,
      };
    } finally {
      comparison.db.close();
    }
  };
}

/** How the last harvest of each source ended. */
async function lastHarvests(store: Store, { receipt }: UnsealedRelease): Promise<Map<string, LastHarvest>> {
  const last = new Map<string, LastHarvest>();
  for (const { source } of receipt.sources) last.set(source, (await readHarvests(store.raw(source))).at(-1) ?? null);
  return last;
}

async function previousSide(store: Store, digest: string | null): Promise<Side | null> {
  if (digest === null) return null;
  const folder = store.release(digest);
  const receipt = await readReceipt(folder);
  // A release that is brought over to another format is told about as a first one.
  return receipt === null || formatOf(receipt) === 1 ? null : sideOf(folder, receipt);
}

/** One after the other: a table may be large. */
async function linesOf(release: UnsealedRelease, paths: readonly string[]): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for (const path of paths) lines.push(await release.lineOf(path));
  return lines;
}
