/**
 * Verifies the files of a release: the manifest matches the receipt, every file matches the manifest, and there are no
 * further files.
 */

import { createReadStream } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repeatedNameIn } from "../../pipeline/1-harvest/json-fault.ts";
import { CHANGE_FILES } from "../../pipeline/6-release/describe.ts";
import { RULE_FILES } from "../../pipeline/diff/rules.ts";
import { PART_NAME } from "../../pipeline/engine/open.ts";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { DOI_LOOKUP } from "../../pipeline/packs/doi-lookup.ts";
import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { listFamilies } from "../../pipeline/pages/keyed-pages.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { detectReleaseFormat } from "../../pipeline/store/releases.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE, type ManifestLine, manifestLine, type Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { listReleaseTables, publishedName, type TablesReceipt } from "../../schemas/public/tables.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { CSV_FILES } from "../export-csv.ts";
import { SHARE_DATABASE } from "../share-database.ts";
import type { Found } from "./finding.ts";
import type { ListedPack } from "./packs.ts";

/** Files that the manifest cannot contain, because they are written after it. */
const UNLISTED = new Set(["manifest.ndjson", "release.json"]);

/** Number of files after which progress is reported. */
const PROGRESS_FILES = 50;

/** The files of a release, as the manifest lists them. */
export interface ListedFiles {
  readonly files: number;
  readonly bytes: number;
  /** The packs in the manifest. Their bytes are verified later, when their pages are read. Null if there is no manifest. */
  readonly packs: readonly ListedPack[] | null;
  /** CSV files beside the tables. The manifest does not list them. */
  readonly csv: readonly string[];
  /** Files that the release digest does not cover. */
  readonly uncovered: readonly string[];
}

/** Verifies all files. Returns what the manifest lists, with the totals. */
export async function verifyFiles(
  folder: string,
  receipt: Receipt,
  found: Found,
  effects: Effects,
): Promise<ListedFiles> {
  const manifest = join(folder, "manifest.ndjson");
  const manifestDigest = await fileDigest(manifest).then(
    (hex) => `sha256:${hex}`,
    () => null,
  );
  if (manifestDigest === null) {
    found("missing file", "manifest.ndjson");
    return { files: 0, bytes: 0, packs: null, csv: [], uncovered: [] };
  }
  if (manifestDigest !== receipt.manifestDigest) {
    found("manifest", `manifest.ndjson is ${manifestDigest}, but the receipt states ${receipt.manifestDigest}`);
  }
  const total = await bytesIn(manifest);
  let files = 0;
  let bytes = 0;
  const packs: ListedPack[] = [];
  const required = new Set(requiredFiles(receipt));
  const csv: string[] = [];
  const uncovered: string[] = [];
  const reportUnlisted = (path: string) => {
    if (CSV_FILES.has(path)) csv.push(path);
    else if (path !== SHARE_DATABASE) found("extra file", path);
  };
  // Both sides are sorted by path, so that neither has to be in memory.
  const present = walk(folder, "");
  let next = await present.next();
  for await (const line of manifestLines(manifest)) {
    if (line === null) {
      found(
        "manifest",
        "manifest.ndjson has a line that is invalid, out of order, or not spelled as a build writes it",
      );
      continue;
    }
    while (!next.done && next.value < line.path) {
      reportUnlisted(next.value);
      next = await present.next();
    }
    required.delete(line.path);
    const isPack = readPackPath(line.path) !== null;
    if (next.done || next.value !== line.path) {
      found("missing file", line.path);
      if (isPack) packs.push({ line, exists: false });
      continue;
    }
    next = await present.next();
    if (!isReleaseFile(line.path, receipt)) found("extra file", `${line.path} is a file that no release can have`);
    if (!isCovered(line.path, receipt)) uncovered.push(line.path);
    files += 1;
    bytes += line.bytes;
    const exists = await verifySize(folder, line, found);
    if (isPack) packs.push({ line, exists });
    else if (exists) await verifyBytes(folder, line, found);
    if (files % PROGRESS_FILES === 0 || bytes === total) {
      effects.progress({ stage: "verify", step: "files", done: bytes, total, unit: "bytes" });
    }
  }
  for (; !next.done; next = await present.next()) reportUnlisted(next.value);
  for (const path of required) found("missing file", `${path}, which the manifest does not list`);
  return { files, bytes, packs, csv, uncovered };
}

async function bytesIn(manifest: string): Promise<number> {
  let bytes = 0;
  for await (const line of manifestLines(manifest)) bytes += line?.bytes ?? 0;
  return bytes;
}

async function verifySize(folder: string, line: ManifestLine, found: Found): Promise<boolean> {
  const stats = await lstat(join(folder, line.path));
  // The target of a link can change.
  if (!stats.isFile()) found("changed file", `${line.path} is not a regular file`);
  else if (stats.size !== line.bytes) found("changed file", `${line.path} has ${stats.size} bytes, not ${line.bytes}`);
  return stats.isFile() && stats.size === line.bytes;
}

async function verifyBytes(folder: string, line: ManifestLine, found: Found): Promise<void> {
  const sha256 = await fileDigest(join(folder, line.path)).catch((error: unknown) => String(error));
  if (sha256 !== line.sha256) found("changed file", `${line.path} is sha256 ${sha256}, not ${line.sha256}`);
  const repeated = line.path.endsWith(".json") ? repeatedNameIn(await readFile(join(folder, line.path))) : null;
  if (repeated !== null)
    found(
      "repeated name",
      `${line.path}:${repeated.line}:${repeated.column} has ${JSON.stringify(repeated.name)} twice in one object; readers differ in which value they use`,
    );
}

/** Longest line of a manifest in bytes. A line has a path of a few hundred characters, a size and a digest. */
export const MAX_LINE_LENGTH = 4096;

/**
 * Yields the lines of a manifest. Yields null for an invalid line: one that is too long, is not sorted by path in UTF-8, or
 * is not formatted as a build writes it.
 */
export async function* manifestLines(manifest: string): AsyncGenerator<ManifestLine | null> {
  let rest = "";
  let before = Buffer.alloc(0);
  const inOrder = (line: ManifestLine | null) => {
    if (line === null) return null;
    const path = Buffer.from(line.path);
    const isNext = path.compare(before) > 0;
    before = path;
    return isNext ? line : null;
  };
  for await (const chunk of createReadStream(manifest, { encoding: "utf8" })) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield inOrder(parseLine(line));
    // Keeps only the start of a line that is too long, so that memory stays limited.
    if (rest.length > MAX_LINE_LENGTH) rest = rest.slice(0, MAX_LINE_LENGTH + 1);
  }
  // The last line must end with a newline too.
  if (rest !== "") yield null;
}

function parseLine(text: string): ManifestLine | null {
  if (text.length > MAX_LINE_LENGTH) return null;
  try {
    const line = manifestLine.parse(JSON.parse(text));
    return JSON.stringify(line) === text ? line : null;
  } catch {
    return null;
  }
}

/**
 * Yields the paths below a folder in the order of their UTF-8 bytes. Only one folder at a time is in memory. For an empty
 * folder, yields its path with a slash at the end.
 */
async function* walk(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  if (entries.length === 0) yield `${below}/`;
  // A folder sorts with its separator, as in the paths of its files.
  const names = entries.map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }));
  names.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  for (const { entry } of names) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (!UNLISTED.has(path)) yield path;
  }
}

const FIXED = new Set<string>([
  HISTORY_FILE,
  DOI_LOOKUP,
  ...Object.values(RULE_FILES),
  ...CHANGE_FILES,
  VALIDATION_FILE,
  VALIDATION_PAGE,
  ...Object.values(DESCRIPTORS),
]);

const FAMILIES = new Set([
  RELEASE_FAMILY,
  ...(["record", "researcher", "repository"] as const).flatMap((subject) => listFamilies(subject, PUBLIC_VERSIONS)),
]);

/**
 * Returns the files that every release has, in addition to tables and packs. Without them, a release would contain less
 * than its receipt promises.
 */
function requiredFiles(receipt: Receipt): readonly string[] {
  const { vocabularies, ...rules } = RULE_FILES;
  return [
    ...Object.values(rules),
    // Releases of format 2 have no word lists.
    ...(detectReleaseFormat(receipt) === 2 ? [] : [vocabularies]),
    ...CHANGE_FILES,
    ...Object.values(DESCRIPTORS),
    VALIDATION_FILE,
    VALIDATION_PAGE,
    ...(receipt.history ? [HISTORY_FILE] : []),
  ];
}

/** Returns whether a release with this receipt may contain a file at this path. */
export function isReleaseFile(path: string, receipt: TablesReceipt): boolean {
  return FIXED.has(path) || FAMILIES.has(readPackPath(path)?.family ?? "") || isPart(path, receipt);
}

/** True for files that the release digest covers: tables, rules, and pages that do not name the release. */
function isCovered(path: string, receipt: Receipt): boolean {
  const family = readPackPath(path)?.family ?? RELEASE_FAMILY;
  const rules: readonly string[] = Object.values(RULE_FILES);
  return family !== RELEASE_FAMILY || rules.includes(path) || isPart(path, receipt);
}

function isPart(path: string, receipt: TablesReceipt): boolean {
  const end = path.lastIndexOf("/");
  const isTable = listReleaseTables(receipt).some((table) => path.slice(0, end) === `data/${publishedName(table)}`);
  return isTable && PART_NAME.test(path.slice(end + 1));
}
