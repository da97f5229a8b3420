/** Pages taken over from an earlier release: the same file under a second name, and its line of the manifest. */

import { hash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { contentTime } from "../../api-static/pages/content-time.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { wholeLines } from "../files/whole-lines.ts";
import { writePage } from "../pages/page-sink.ts";

/** A share of the earlier manifest, by bytes; a line belongs to the share it begins in. */
export interface LinkTask {
  readonly number: number;
  readonly subject: "untouched";
  readonly from: number;
  readonly to: number;
  readonly manifest: string;
  readonly release: string;
  readonly folder: string;
  /** File of the paths that must not be taken. */
  readonly touched: string;
  /** What the paths of pages that may be taken begin with. */
  readonly folders: readonly string[];
}

export interface Linked {
  readonly pages: number;
  readonly bytes: number;
}

/** A page of the earlier release is not what its manifest says. */
export class PreviousDamaged extends Error {
  readonly code = "previous-damaged";
  constructor(path: string) {
    super(`${path} is not what the manifest of its release says`);
  }
}

/**
 * Links every untouched page of the share below `folder`/tree. Shares are in the order of the manifest, so that the
 * files linked-NNNN.ndjson one after the other are ordered by path.
 * @throws PreviousDamaged
 */
export async function linkPages(task: LinkTask): Promise<Linked> {
  const touched = new Set(readFileSync(task.touched, "utf8").split("\n"));
  const tree = join(task.folder, "tree");
  const folders = new Folders(tree, task.folders);
  const kept = openSync(join(task.folder, `linked-${String(task.number).padStart(4, "0")}.ndjson`), "w");
  let [pages, bytes] = [0, 0];
  const isTaken = (line: ManifestLine): boolean => {
    if (!folders.holds(line.path) || touched.has(line.path)) return false;
    folders.make();
    takeOver(`${task.release}/${line.path}`, `${tree}/${line.path}`, line);
    pages += 1;
    bytes += line.bytes;
    return true;
  };
  try {
    for await (const lines of linesWithin(task)) {
      for (const run of runsOf(lines, isTaken)) writeFileSync(kept, run);
    }
  } finally {
    closeSync(kept);
  }
  return { pages, bytes };
}

/** The lines that `isTaken`, as they stand: most follow one another, and are written as one. */
function* runsOf(lines: Buffer, isTaken: (line: ManifestLine) => boolean): Generator<Buffer> {
  const text = lines.toString("latin1");
  let begin = 0;
  for (let [start, end] = [0, 0]; start < text.length; start = end) {
    end = text.indexOf("\n", start) + 1;
    if (isTaken(lineAt(text, start, end))) continue;
    if (begin < start) yield lines.subarray(begin, start);
    begin = end;
  }
  if (begin < lines.length) yield lines.subarray(begin);
}

/** The folder of the line at hand: lines are ordered by path, so that each is asked about once. */
class Folders {
  readonly #tree: string;
  readonly #starts: readonly string[];
  #folder = "";
  #wanted = false;
  #made = false;

  constructor(tree: string, starts: readonly string[]) {
    this.#tree = tree;
    this.#starts = starts;
  }

  /** Whether the path is of a page that may be taken over. */
  holds(path: string): boolean {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (folder !== this.#folder) {
      this.#folder = folder;
      this.#wanted = this.#starts.some((start) => path.startsWith(start));
      this.#made = false;
    }
    return this.#wanted;
  }

  /** Only for a page that goes there: a release has no empty folders. */
  make(): void {
    if (this.#made) return;
    mkdirSync(join(this.#tree, this.#folder), { recursive: true });
    this.#made = true;
  }
}

const START = '{"path":"';
const BYTES = '","bytes":';
const SHA256 = ',"sha256":"';
const END = '"}\n';
const SHA256_DIGITS = 64;

/**
 * A line as writeManifest() spells it, whose digest was checked; paths of pages need no escapes. Parsing millions of
 * lines as JSON would cost as much as half of the links.
 */
function lineAt(text: string, start: number, end: number): ManifestLine {
  const pathEnd = text.indexOf('"', start + START.length);
  const sha256 = end - END.length - SHA256_DIGITS;
  const bytes = sha256 - SHA256.length;
  if (!text.startsWith(BYTES, pathEnd) || !text.startsWith(SHA256, bytes)) {
    throw new Error(`no line of a manifest: ${text.slice(start, end)}`);
  }
  return {
    path: text.slice(start + START.length, pathEnd),
    bytes: Number(text.slice(pathEnd + BYTES.length, bytes)),
    sha256: text.slice(sha256, sha256 + SHA256_DIGITS),
  };
}

/** A page's time is made of its sha256, so that time and size together tell a page that is not what it was. */
function takeOver(from: string, to: string, line: ManifestLine): void {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size !== line.bytes) throw new PreviousDamaged(from);
  const timely = stats.mtimeMs === contentTime(line.sha256) * 1000;
  if (!timely || !linked(from, to)) copyOver(from, to, line);
}

/** Times that a copy of the store has lost, or names that the file system gives no more of: the bytes decide. */
function copyOver(from: string, to: string, line: ManifestLine): void {
  const content = readFileSync(from);
  if (hash("sha256", content, "hex") !== line.sha256) throw new PreviousDamaged(from);
  writePage(to, content, contentTime(line.sha256));
}

/** False on another file system, where a file has too many names, or where there are no links. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (["EXDEV", "EMLINK", "EPERM", "ENOTSUP"].includes(code)) return false;
    throw error;
  }
}

/** The lines that begin in the share, whole, a chunk of them at a time. */
async function* linesWithin({ manifest, from, to }: LinkTask): AsyncGenerator<Buffer> {
  const file = openSync(manifest, "r");
  let [start, end] = [0, 0];
  try {
    [start, end] = [lineStart(file, from), lineStart(file, to)];
  } finally {
    closeSync(file);
  }
  // A stream includes the byte at its end.
  if (start < end) yield* wholeLines(createReadStream(manifest, { start, end: end - 1, highWaterMark: 1 << 20 }));
}

/** Where the first line begins at `position` or after it; the end of the file where none does. */
function lineStart(file: number, position: number): number {
  if (position === 0) return 0;
  // One byte earlier: a line begins at `position` only where the byte before it ends another.
  for (let at = position - 1; ; ) {
    const chunk = Buffer.allocUnsafe(FEW);
    const read = readSync(file, chunk, 0, FEW, at);
    const end = chunk.subarray(0, read).indexOf("\n");
    if (end >= 0) return at + end + 1;
    if (read === 0) return at;
    at += read;
  }
}

/** Nearly every line is shorter. */
const FEW = 512;
