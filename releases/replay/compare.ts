/** Compares a release with a rebuild of it: causes before effects, and everything in the receipt except the signature. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openDuckDB, partsIn, quote } from "../../pipeline/engine/open.ts";
import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE, type ManifestLine, type Receipt } from "../../schemas/public/release.ts";
import { publishedName, type Table, tablesOf } from "../../schemas/public/tables.ts";
import { DIFFERENCE_FILES, manifestLines } from "../verify/files.ts";
import { type Finding, type Found, report } from "../verify/finding.ts";
import { otherRenderer } from "../verify/pages.ts";

/** The rebuilt release. */
export interface Rebuilt {
  readonly folder: string;
  readonly receipt: Receipt;
  /** Sources with payloads that are younger than the release. */
  readonly harvestedSince: readonly string[];
  /** Whether the store has the previous release. */
  readonly predecessor: boolean;
}

export interface Replayed {
  readonly findings: readonly Finding[];
  /** Files and fields that could not be compared. */
  readonly unproven: readonly string[];
}

/** Receipt fields that are compared part by part, or that identify the maker and the tool. */
const APART = ["releaseDigest", "manifestDigest", "content", "sources", "tool", "signature"];

export async function compareReplayed(folder: string, theirs: Receipt, rebuilt: Rebuilt): Promise<Replayed> {
  const findings: Finding[] = [];
  const found: Found = (check, detail) => {
    findings.push({ check, detail });
  };
  const tell = (detail: string) => found("replay", detail);
  const ours = rebuilt.receipt;
  const raw = theirs.sources.filter(({ source, rawDigest }) => rawDigest !== sourceOf(ours, source)?.rawDigest);
  for (const { source } of raw) tell(`raw/${source} does not hold what the release was made of`);
  const inputs = differing(theirs.content.inputs, ours.content.inputs);
  for (const name of inputs) tell(`${name} is not what the release was made with`);
  const table = tablesOf(theirs).find((each) => {
    const name = publishedName(each);
    return theirs.content.tables[name] !== ours.content.tables[name];
  });
  if (table !== undefined) tell(await firstDifference(table, folder, rebuilt.folder));
  // Everything below follows from what differs already.
  if (findings.length > 0) return { findings, unproven: [] };
  if ((await otherRenderer(theirs)) !== null) {
    if (theirs.releaseDigest !== ours.releaseDigest) tell(`it comes to ${ours.releaseDigest}`);
    return { findings, unproven: [`pages, which version ${theirs.tool.version} rendered`] };
  }
  for (const family of differing(theirs.content.pages ?? {}, ours.content.pages ?? {}))
    tell(`pages/${family} has other pages than a build gives`);
  const left = leftOut(rebuilt);
  for (const name of differing(members(theirs), members(ours))) {
    if (!left.members.has(name)) tell(`release.json says another ${name} than a build gives`);
  }
  compareSources(theirs, rebuilt, tell);
  await compareFiles(folder, rebuilt.folder, left.files, found);
  return {
    findings,
    unproven: [...left.files, ...rebuilt.harvestedSince.map((source) => `what was refused of ${source}`)].sort(),
  };
}

/** Files and fields that may differ because the previous release is missing, or because sources were harvested since. */
function leftOut({ harvestedSince, predecessor }: Rebuilt) {
  const files = new Set<string>();
  const members = new Set<string>();
  if (!predecessor) {
    for (const path of [...DIFFERENCE_FILES, HISTORY_FILE, `pages/${RELEASE_FAMILY}.zst`]) files.add(path);
    for (const name of ["previousReleaseDigest", "gates", "forced"]) members.add(name);
    // They list the diff with its digest.
    for (const path of Object.values(DESCRIPTORS)) files.add(path);
  }
  if (harvestedSince.length > 0) {
    for (const path of [`pages/${RELEASE_FAMILY}.zst`, DESCRIPTORS.report]) files.add(path);
    for (const name of ["refused", "gates", "forced"]) members.add(name);
  }
  return { files, members };
}

function members(receipt: Receipt): Record<string, string> {
  return Object.fromEntries(
    Object.entries(receipt)
      .filter(([name]) => !APART.includes(name))
      .map(([name, value]) => [name, JSON.stringify(value)]),
  );
}

/** If a source was carried forward, the release that it was taken from documents its harvest. */
function compareSources(
  theirs: Receipt,
  { receipt: ours, harvestedSince }: Rebuilt,
  tell: (detail: string) => void,
): void {
  for (const { source, ...said } of theirs.sources) {
    const carried = said.carriedFrom !== undefined;
    const left = carried || harvestedSince.includes(source) ? ["refused", "completeness", "carriedFrom"] : [];
    const again = asTexts(sourceOf(ours, source) ?? {});
    for (const name of differing(asTexts({ source, ...said }), again)) {
      if (!left.includes(name)) tell(`release.json says another ${name} of ${source} than a build gives`);
    }
  }
}

function asTexts(value: object): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, JSON.stringify(each)]));
}

/** Compares every line of the manifest: Parquet files of release tables by their rows, packs by their pages. */
async function compareFiles(folder: string, again: string, left: ReadonlySet<string>, found: Found): Promise<void> {
  const [theirs, ours] = [await linesOf(folder), await linesOf(again)];
  const wrong: string[] = [];
  for (const path of [...new Set([...theirs.keys(), ...ours.keys()])].sort()) {
    if (left.has(path) || TABLE_PART.test(path)) continue;
    if (!theirs.has(path)) wrong.push(`${path} should be there`);
    else if (!ours.has(path)) wrong.push(`${path} is a file that a build does not give`);
    else if (theirs.get(path)?.sha256 !== ours.get(path)?.sha256 && !(await isAlike(path, folder, again)))
      wrong.push(`${path} is not what a build gives`);
  }
  report(found, "replay", wrong);
}

/** Skipped here, because the roots of their rows were compared. */
const TABLE_PART = /^data\/[a-z-]+\/part-\d+\.parquet$/;

async function linesOf(folder: string): Promise<Map<string, ManifestLine>> {
  const lines = new Map<string, ManifestLine>();
  for await (const line of manifestLines(join(folder, "manifest.ndjson")))
    if (line !== null) lines.set(line.path, line);
  return lines;
}

/** Compares files whose bytes depend on the machine by their content. */
async function isAlike(path: string, folder: string, again: string): Promise<boolean> {
  const both = [folder, again].map((root) => join(root, path));
  const family = readPackPath(path)?.family;
  if (family !== undefined) {
    const [theirs, ours] = await Promise.all([folder, again].map((root) => pagesOf(root, family)));
    return theirs === ours;
  }
  if (Object.values(DIFF_TABLES).some(({ published }) => path === `data/${published}.parquet`)) return sameRows(both);
  // Descriptors contain digests of files whose bytes may differ here. `--rescore` checks the descriptors again.
  const told: readonly string[] = Object.values(DESCRIPTORS);
  if (!told.includes(path)) return false;
  const [theirs, ours] = await Promise.all(both.map(async (file) => withoutDigests(await readFile(file, "utf8"))));
  return theirs === ours;
}

function withoutDigests(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{64}\b|"bytes": \d+|"\d+(?: B)?"/g, "");
}

async function pagesOf(folder: string, family: string): Promise<string> {
  const store = await PageStore.open(folder);
  try {
    return [...store.entries(family)].map(({ key, sha256 }) => `${key} ${sha256.toString("hex")}`).join();
  } finally {
    store.close();
  }
}

async function sameRows(both: readonly string[]): Promise<boolean> {
  const db = await openDuckDB({ threads: 1 });
  try {
    const [one, two] = both.map((file) => `(select * from read_parquet(${quote(file)}))`);
    const sql = `select count(*) as n from ((${one} except all ${two}) union all (${two} except all ${one}))`;
    return (await db.rows(sql).catch(() => []))[0]?.n === 0n;
  } finally {
    db.close();
  }
}

function differing(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).sort();
}

function sourceOf({ sources }: Receipt, source: string): Receipt["sources"][number] | undefined {
  return sources.find((each) => each.source === source);
}

async function firstDifference(table: Table, folder: string, again: string): Promise<string> {
  const columns = Object.keys(table.columns).join(", ");
  const read = (release: string) =>
    `(select ${columns} from read_parquet(${quote(partsIn(releaseTablePaths(release, [table])[table.name] ?? ""))}))`;
  const key = table.key.join(", ");
  const db = await openDuckDB({ threads: 1 });
  const first = `the first table that differs is data/${table.published}`;
  try {
    const [one, two] = [read(folder), read(again)];
    const [row] = await db.rows(
      `select ${key} from ((${one} except all ${two}) union all (${two} except all ${one})) order by ${key} limit 1`,
    );
    if (row === undefined) return `${first}: its rows are those of the replay, but not those the receipt names`;
    return `${first}, its first row that does that of ${table.key.map((name) => `${name} ${row[name]}`).join(", ")}`;
  } catch {
    return `${first}; it cannot be read`;
  } finally {
    db.close();
  }
}
