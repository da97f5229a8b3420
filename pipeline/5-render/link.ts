/** Pages taken over from an earlier release: the same file under a second name, and its line of the manifest. */

import { hash } from "node:crypto";
import { appendFileSync, closeSync, linkSync, lstatSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentTime } from "../../api-static/content-time.ts";
import type { ManifestLine } from "../../schemas/release.ts";
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
export function linkPages(task: LinkTask): Linked {
  const touched = new Set(readFileSync(task.touched, "utf8").split("\n"));
  const tree = join(task.folder, "tree");
  const lines = join(task.folder, `linked-${String(task.number).padStart(4, "0")}.ndjson`);
  const folders = new Folders(tree, task.folders);
  let [pages, bytes] = [0, 0];
  for (const batch of linesWithin(task)) {
    const kept: string[] = [];
    for (const text of batch) {
      const line = lineOf(text);
      if (!folders.holds(line.path) || touched.has(line.path)) continue;
      folders.make();
      takeOver(`${task.release}/${line.path}`, `${tree}/${line.path}`, line);
      kept.push(text, "\n");
      pages += 1;
      bytes += line.bytes;
    }
    appendFileSync(lines, kept.join(""));
  }
  return { pages, bytes };
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
    const folder = dirname(path);
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

/** What comes after the path: parsing millions of lines in full would cost as much as half of the links. */
const TAIL = /","bytes":(\d+),"sha256":"([0-9a-f]{64})"\}$/;

/** A line as writeManifest() spells it; paths of pages need no escapes. The manifest's digest was checked. */
function lineOf(text: string): ManifestLine {
  const tail = TAIL.exec(text);
  if (tail === null) throw new Error(`no line of a manifest: ${text}`);
  return { path: text.slice(START, tail.index), bytes: Number(tail[1]), sha256: tail[2] ?? "" };
}

const START = '{"path":"'.length;

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

const CHUNK = 1 << 20;

/** The lines that begin in the share, a chunk of them at a time. */
function* linesWithin({ manifest, from, to }: LinkTask): Generator<string[]> {
  const file = openSync(manifest, "r");
  try {
    // One byte earlier: a line begins at `from` only where the byte before it ends another.
    let position = Math.max(0, from - 1);
    let skip = from > 0;
    let rest = Buffer.alloc(0);
    for (let begin = position; begin < to; ) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const read = readSync(file, chunk, 0, CHUNK, position);
      if (read === 0) return;
      position += read;
      rest = Buffer.concat([rest, chunk.subarray(0, read)]);
      const lines: string[] = [];
      let start = 0;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
        if (skip) skip = false;
        else if (begin < to) lines.push(rest.toString("utf8", start, end));
        begin += end + 1 - start;
        start = end + 1;
      }
      rest = rest.subarray(start);
      yield lines;
    }
  } finally {
    closeSync(file);
  }
}
