/** Where pages go. Today a tree of files; a sink is an interface so that it can be something else tomorrow. */

import { hash } from "node:crypto";
import { appendFileSync, closeSync, futimesSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentTime } from "../../api-static/pages/content-time.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";

export interface PageSink {
  /** Writes one page at a path relative to the release. */
  write(path: string, text: string): void;
  /** Writes down what is still held back. */
  flush(): void;
  readonly pages: number;
  readonly bytes: number;
}

const HELD_LINES = 4096;

/**
 * A tree of files below `root`, and the manifest lines of it appended to `manifest`. Synchronous on purpose: each
 * worker writes small files one after the other, and nothing queues up in memory. Each file carries the time of its
 * content (api-static/pages/content-time.ts).
 */
export function treeSink(root: string, manifest: string): PageSink {
  const folders = new Set<string>();
  const encode = reusedEncoder();
  let lines: string[] = [];
  const sink = {
    pages: 0,
    bytes: 0,
    write(path: string, text: string) {
      const content = encode(text);
      const folder = dirname(path);
      if (!folders.has(folder)) {
        mkdirSync(join(root, folder), { recursive: true });
        folders.add(folder);
      }
      const sha256 = hash("sha256", content, "hex");
      writePage(join(root, path), content, contentTime(sha256));
      const line: ManifestLine = { path, bytes: content.length, sha256 };
      lines.push(`${JSON.stringify(line)}\n`);
      sink.pages += 1;
      sink.bytes += content.length;
      if (lines.length >= HELD_LINES) sink.flush();
    },
    flush() {
      if (lines.length === 0) return;
      appendFileSync(manifest, lines.join(""));
      lines = [];
    },
  };
  return sink;
}

/**
 * Writes a page into a file of its own, whatever had that name: it may be a second name of a page of another release,
 * which must not change. The time is set on the open file: a second look-up of the path would cost as much as the time.
 */
export function writePage(path: string, content: Buffer, time: number): void {
  const file = openNew(path);
  try {
    writeFileSync(file, content);
    futimesSync(file, time, time);
  } finally {
    closeSync(file);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    rmSync(path);
    return openSync(path, "wx");
  }
}

/** Room for nearly every page; a larger one makes room for itself. */
const ROOM = 64 * 1024;

/**
 * Text as UTF-8 in one buffer that is used again for the next text: a buffer a page would pile up outside the heap,
 * where the collector does not see it in time.
 */
function reusedEncoder(): (text: string) => Buffer {
  let room = Buffer.allocUnsafeSlow(ROOM);
  return (text) => {
    // No UTF-16 unit takes more than three bytes of UTF-8.
    if (text.length * 3 > room.length) room = Buffer.allocUnsafeSlow(text.length * 3);
    return room.subarray(0, room.write(text, "utf8"));
  };
}
