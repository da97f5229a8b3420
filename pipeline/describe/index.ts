/** What a release tells about itself: how it differs from the one before, whether it may be activated, and how to read it. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reportPage } from "../../api-static/report/index.ts";
import { DESCRIPTORS } from "../../schemas/descriptors.ts";
import { DIFF_FILE } from "../../schemas/diff.ts";
import type { GateLimits } from "../../schemas/gates.ts";
import type { ManifestLine } from "../../schemas/release.ts";
import { compare } from "../diff/compare.ts";
import { currentRules, RULE_FILES, writeRules } from "../diff/rules.ts";
import { type Side, sideOf } from "../diff/side.ts";
import { DIFF_TABLE_FILES, writeDiff } from "../diff/write.ts";
import type { Database } from "../duckdb/open.ts";
import type { LastHarvest } from "../gates/first-gates.ts";
import { judge } from "../gates/index.ts";
import { readHarvests } from "../raw/harvest-log.ts";
import { readReceipt } from "../releases.ts";
import type { Store } from "../store.ts";
import { citationFile, citationText } from "./citation.ts";
import { croissant } from "./croissant.ts";
import { datapackage } from "./datapackage.ts";
import type { Draft, Tell } from "./draft.ts";
import { describeFiles } from "./files.ts";
import { rubricFigures } from "./report-data.ts";
import { roCrate } from "./ro-crate.ts";

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
      await writeReport(comparison.db, draft, { after, gates, diff });
      const lines = await linesOf(draft, [...Object.values(RULE_FILES), DIFF_FILE, ...DIFF_TABLE_FILES]);
      await writeDescriptors(draft, [...draft.data, ...lines]);
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

type Told = Pick<Parameters<typeof reportPage>[0], "gates" | "diff"> & { readonly after: Side };

async function writeReport(db: Database, { tree, receipt }: Draft, { after, gates, diff }: Told): Promise<void> {
  const rubrics = await rubricFigures(db, after);
  const page = reportPage({ receipt, citation: citationText(receipt), gates, diff, rubrics });
  await writeFile(join(tree, DESCRIPTORS.report), page);
}

/**
 * They name the files under data/ with their digests; nothing can name the manifest, which names them. History is left
 * out: it has the time of publication, and with its digest every descriptor would differ between two builds of the same.
 */
async function writeDescriptors({ tree, receipt }: Draft, lines: readonly ManifestLine[]): Promise<void> {
  const files = describeFiles(lines);
  const write = (path: string, text: string) => writeFile(join(tree, path), text);
  const json = (value: object) => `${JSON.stringify(value, null, 1)}\n`;
  await write(DESCRIPTORS.datapackage, json(datapackage(receipt, files)));
  await write(DESCRIPTORS.roCrate, json(roCrate(receipt, files)));
  await write(DESCRIPTORS.croissant, json(croissant(receipt, files)));
  await write(DESCRIPTORS.citation, citationFile(receipt));
}

/** One after the other: a table may be large. */
async function linesOf(draft: Draft, paths: readonly string[]): Promise<ManifestLine[]> {
  const lines: ManifestLine[] = [];
  for (const path of paths) lines.push(await draft.lineOf(path));
  return lines;
}
