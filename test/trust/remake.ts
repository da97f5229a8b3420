/**
 * Makes a forged release: changes one thing, and then makes everything that depends on it again, with the program's own stages.
 * Only the signature stays that of the genuine release, because a forger does not have the key.
 */

import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { score } from "../../pipeline/3-score/index.ts";
import { aggregate } from "../../pipeline/4-aggregate/index.ts";
import { render } from "../../pipeline/5-render/index.ts";
import { describeWith, writeDescriptors, writeReport } from "../../pipeline/6-release/describe.ts";
import { releaseDigest } from "../../pipeline/6-release/digest.ts";
import { type Describe, type ReleaseCounts, release, writeManifest } from "../../pipeline/6-release/index.ts";
import { laterCounts } from "../../pipeline/build.ts";
import { compare, readSide } from "../../pipeline/diff/compare.ts";
import { currentRules } from "../../pipeline/diff/rules.ts";
import { localRuntime, type Runtime } from "../../pipeline/engine/runtime.ts";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import { packPath, RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { pagesRoot, type RenderedPages } from "../../pipeline/packs/page-store.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import type { StageManifest } from "../../pipeline/stage/stage.ts";
import type { WorkerPool } from "../../pipeline/stage/worker-pool.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { linkPrevious, statedCounts, statedOptions } from "../../releases/verify/rebuild.ts";
import { DIFF_FILE, releaseDiff } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { DEFAULT_GATE_LIMITS, type Gate, type GateLimits } from "../../schemas/public/gates.ts";
import { HISTORY_FILE, type ManifestLine, type Receipt } from "../../schemas/public/release.ts";
import {
  AGGREGATE_TABLES,
  listReleaseTables,
  OTHER_SCORE_TABLES,
  publishedName,
  RECORD_TABLES,
  REPORTED_TABLES,
  SCORE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, makeLine, repack } from "../support/forgery.ts";
import { forgeRows } from "./forge.ts";

/** A lie in a forged release. Each field is a place in which the forger can put the lie. */
export interface Forgery {
  /** Changes rows of tables: SQL on `forged`, by the published name of the table. */
  readonly rows?: Readonly<Record<string, string>>;
  /** Changes packs of the finished release. The release digest is then computed from the changed packs. */
  readonly pages?: (folder: string) => Promise<unknown>;
  readonly counts?: (counts: ReleaseCounts, genuine: Receipt) => ReleaseCounts;
  readonly options?: (genuine: Receipt) => Partial<Stated>;
  /** Returns results of gates for the receipt, in place of those that the program judged. */
  readonly gates?: (judged: readonly Gate[]) => readonly Gate[];
  /** Changes fields of the receipt that the program normally fills. */
  readonly receipt?: <R extends Given>(receipt: R) => R;
  /** Changes files of the finished release. Descriptors, manifest and receipt are then made consistent with them. */
  readonly files?: (folder: string) => Promise<unknown>;
  /** Changes files after the descriptors were made. Only manifest and receipt are then made consistent with them. */
  readonly listed?: (folder: string) => Promise<unknown>;
  /** Changes files after everything else was made consistent. */
  readonly last?: (folder: string) => Promise<unknown>;
}

type Given = Pick<Receipt, "tool" | "content" | "rubrics" | "sources">;

/** The options of the build that a release states in its receipt. */
interface Stated {
  readonly label: string;
  readonly licence: string;
  readonly force: string | null;
  readonly limits: Partial<GateLimits>;
  readonly publishedAt: string;
  readonly withheldReceipt: Receipt["withheld"];
  readonly enrichments: Receipt["enrichments"];
  readonly predecessor: string | null;
}

/** Returns one forgery that combines the lies of several. These may only be in rows, counts and files. */
export function combine(forgeries: readonly Forgery[]): Forgery {
  const rows: Record<string, string> = {};
  for (const { rows: own = {}, counts: _counts, files: _files, listed: _listed, ...others } of forgeries) {
    if (Object.keys(others).length > 0) throw new Error(`forgeries with ${Object.keys(others)} cannot be combined`);
    for (const [table, statement] of Object.entries(own)) rows[table] = `${rows[table] ?? ""}${statement};\n`;
  }
  const each = (name: "files" | "listed") => async (folder: string) => {
    for (const forgery of forgeries) await forgery[name]?.(folder);
  };
  return {
    rows,
    counts: (counts, genuine) => forgeries.reduce((made, forgery) => forgery.counts?.(made, genuine) ?? made, counts),
    files: each("files"),
    listed: each("listed"),
  };
}

/** A genuine release in its store, and workers for the stages. */
export interface Original {
  readonly store: Store;
  readonly digest: string;
  readonly workers: WorkerPool;
}

const SETTINGS = { threads: 1, memory: "512MB", rangeMemory: "512MB" } as const;

/**
 * The tables that each stage reads from a release. Stage 4 also reads tables that it wrote itself, because only raw payloads
 * can give them.
 */
const READ_BY: readonly (readonly ["score" | "aggregate" | "render", readonly Table[]])[] = [
  ["score", Object.values(RECORD_TABLES)],
  [
    "aggregate",
    [
      ...Object.values(SCORE_TABLES),
      ...Object.values(OTHER_SCORE_TABLES),
      AGGREGATE_TABLES.authorship,
      AGGREGATE_TABLES.attribution,
      AGGREGATE_TABLES.institution,
      REPORTED_TABLES.reported_affiliation,
    ],
  ],
  ["render", Object.values(AGGREGATE_TABLES)],
];

/** Makes the forged release in the new folder `into`. `scratch` is an empty folder for the output of the stages. */
export async function remake(original: Original, forgery: Forgery, scratch: string, into: string): Promise<void> {
  const genuine = await readReceipt(original.store.release(original.digest));
  if (genuine === null) throw new Error(`there is no release ${original.digest}`);
  const work = join(scratch, "work");
  await cp(original.store.release(original.digest), work, { recursive: true });
  const runtime = localRuntime({ ...SETTINGS, workers: original.workers });
  const options = { ...statedOptions(genuine), ...SETTINGS, runtime, ...forgery.options?.(genuine) };
  const { rows, options: others, counts: otherCounts, gates, receipt } = forgery;
  // The stages 3 to 6 run only for changes on which their results depend. After other changes, `seal` alone updates digests and names.
  const isStaged = [rows, others, otherCounts, gates, receipt].some((change) => change !== undefined);
  if (isStaged) {
    const counts = { ...statedCounts(genuine), ...(await remakeTables(work, scratch, genuine, forgery, options)) };
    await rename(await releaseAgain(original, work, scratch, genuine, forgery, counts, options), into);
  } else await rename(work, into);
  await forgery.pages?.(into);
  await forgery.files?.(into);
  await seal(into, genuine, forgery);
  await forgery.last?.(into);
}

type Options = ReturnType<typeof statedOptions> & typeof SETTINGS & Partial<Stated> & { readonly runtime: Runtime };

/**
 * Changes tables in `work`, runs the stages that depend on them, and replaces the genuine tables by their output. Returns the
 * new counts.
 */
async function remakeTables(
  work: string,
  scratch: string,
  genuine: Receipt,
  { rows = {} }: Forgery,
  options: Options,
): Promise<Pick<ReleaseCounts, "insufficient" | "attribution">> {
  const tables = listReleaseTables(genuine);
  const paths = releaseTablePaths(work, tables);
  const stages = join(scratch, "in");
  await mkdir(stages);
  for (const [name, path] of Object.entries(paths)) await symlink(path, join(stages, name));
  const effects = recordedEffects();
  const stated = { ...options, published: paths, withheld: [], ror: null };
  const run = {
    score: (out: string) => score(stages, out, options, effects),
    aggregate: (out: string) => aggregate(stages, stages, out, stated, effects),
    render: (out: string) => render(paths, out, options, effects),
  };
  const left = new Map(Object.entries(rows));
  const insufficient = new Map(genuine.rubrics.map((rubric) => [rubric.version, rubric.insufficient]));
  let { attribution } = genuine;
  for (const [stage, before] of READ_BY) {
    for (const name of before.map(publishedName)) {
      const statement = left.get(name);
      if (statement !== undefined) await forgeRows(work, name, statement);
      left.delete(name);
    }
    if (left.size === Object.keys(rows).length) continue;
    const out = join(scratch, stage);
    const made = await run[stage](out);
    if (stage === "aggregate")
      ({ attribution } = laterCounts({ scored: NO_SCORES, aggregated: made }, { rubrics: [] }));
    for (const { name } of tables.filter((table) => existsSync(join(out, table.name))))
      await cp(join(out, name), paths[name] ?? "", { recursive: true, force: true });
    if (stage === "render") await cp(join(out, "tree/pages"), join(work, "pages"), { recursive: true, force: true });
  }
  return { insufficient, attribution };
}

const NO_SCORES: StageManifest = { stage: "3-score", tables: {}, facts: { insufficient: [] } };

/** Runs stage 6 on the tables and pages in `work`. Returns the folder of the new release. */
async function releaseAgain(
  { store }: Original,
  work: string,
  scratch: string,
  genuine: Receipt,
  forgery: Forgery,
  counts: ReleaseCounts,
  { limits, publishedAt = genuine.publishedAt, predecessor, ...options }: Options,
): Promise<string> {
  // The raw folder is that of the genuine store, because stage 6 reads the harvest logs in it.
  const again = { ...openStore(join(scratch, "store")), raw: store.raw };
  const missing = await linkPrevious(
    work,
    { ...genuine, ...(predecessor === undefined ? {} : { previousReleaseDigest: predecessor }) },
    store,
    again,
  );
  const rendered = join(scratch, "rendered");
  await mkdir(rendered);
  await rename(join(work, "pages"), join(scratch, "pages"));
  await mkdir(join(rendered, "tree"));
  await rename(join(scratch, "pages"), join(rendered, "tree/pages"));
  await rm(join(rendered, "tree", packPath(RELEASE_FAMILY)));
  const { receipt } = await release(
    again,
    releaseTablePaths(work, listReleaseTables(genuine)),
    rendered,
    await packsIn(join(rendered, "tree")),
    forgery.counts?.(counts, genuine) ?? counts,
    {
      ...options,
      ...(missing === null ? {} : { missingPrevious: missing }),
      describe: describeForged(again, forgery, { ...DEFAULT_GATE_LIMITS, ...genuine.gateLimits, ...limits }),
    },
    recordedEffects(publishedAt),
  );
  return again.release(receipt.releaseDigest);
}

/** Writes reports and descriptors of the release as the program does, but with the forged receipt and gates. */
function describeForged(store: Store, { receipt: change, gates: forge }: Forgery, limits: GateLimits): Describe {
  const settings = { threads: SETTINGS.threads, memory: SETTINGS.memory };
  return async (unsealed) => {
    const receipt = change?.(unsealed.receipt) ?? unsealed.receipt;
    const described = await describeWith(store, { ...settings, limits })({ ...unsealed, receipt });
    if (forge === undefined) return described;
    const gates = forge(described.gates);
    const { previousReleaseDigest: last } = receipt;
    const previous = last === null ? null : await readReceipt(store.release(last));
    const before = previous === null ? null : await readSide(store.release(previous.releaseDigest), previous);
    const after = { receipt, tables: unsealed.tables, rules: await currentRules() };
    const { db } = await compare(before, after, { ...settings, spill: unsealed.spill });
    try {
      const diff = releaseDiff.parse(JSON.parse(await readFile(join(unsealed.tree, DIFF_FILE), "utf8")));
      await writeReport(db, unsealed.tree, { receipt, after, gates, diff });
    } finally {
      db.close();
    }
    const lines = described.lines.filter(({ path }) => path !== DESCRIPTORS.report);
    return { ...described, gates, lines: [...lines, await unsealed.makeLine(DESCRIPTORS.report)] };
  };
}

/** Returns the packs that the release digest covers, and their root digests, as stage 5 does. */
async function packsIn(folder: string): Promise<RenderedPages> {
  const isPack = ({ path }: ManifestLine) => (readPackPath(path)?.family ?? RELEASE_FAMILY) !== RELEASE_FAMILY;
  const lines = (await linesIn(folder)).filter(isPack);
  const shards = new Map<string, ReturnType<typeof checkPack>["shards"]>();
  for (const line of lines) {
    const { family } = readPackPath(line.path) ?? { family: "" };
    shards.set(family, [...(shards.get(family) ?? []), ...checkPack(folder, line, () => undefined).shards]);
  }
  return { lines, roots: Object.fromEntries([...shards].map(([family, each]) => [family, pagesRoot(each)])) };
}

/** Files that contain the release digest. */
const NAMING = [DIFF_FILE, HISTORY_FILE, "data/validation.json", "validation.html", DESCRIPTORS.report];

/** Makes receipt, file names, descriptors and manifest consistent with the files and with each other. */
async function seal(folder: string, genuine: Receipt, { receipt: change, pages, listed }: Forgery): Promise<void> {
  let [before, after] = ["", ""];
  const roots = pages === undefined ? {} : { pages: (await packsIn(folder)).roots };
  await editReceipt(folder, (own) => {
    const given = { ...own, content: { ...own.content, ...roots } };
    const changed = change?.(given) ?? given;
    [before, after] = [own.releaseDigest, releaseDigest(changed.content)];
    return { ...changed, releaseDigest: after, signature: genuine.signature };
  });
  if (before !== after) {
    await repack(folder, RELEASE_FAMILY, (pages) => {
      for (const [key, text] of pages) pages.set(key, text.replaceAll(before, after));
    });
    for (const path of NAMING.filter((each) => existsSync(join(folder, each)))) {
      const text = await readFile(join(folder, path), "utf8");
      await writeFile(join(folder, path), text.replaceAll(before, after));
    }
  }
  const own = await readReceipt(folder);
  if (own === null) throw new Error(`${folder} has no receipt`);
  const data = (await linesIn(folder)).filter(({ path }) => path.startsWith("data/") && path !== HISTORY_FILE);
  await writeDescriptors(folder, own, data);
  await listed?.(folder);
  const manifestDigest = await writeManifest(folder, await linesIn(folder));
  await editReceipt(folder, (receipt) => ({ ...receipt, manifestDigest }));
}

/** Returns the manifest lines of all files in a release folder, except the manifest and the receipt. */
async function linesIn(folder: string): Promise<ManifestLine[]> {
  const paths = (await filesIn(folder)).filter((path) => !["manifest.ndjson", "release.json"].includes(path));
  return Promise.all(paths.map((path) => makeLine(folder, path)));
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
