/** The files a harvest of recorded input reads: found below the given paths, in an order that never changes. */

import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputMissing } from "../session/errors.ts";

export interface Input {
  /** As given, with what was found below it. */
  readonly path: string;
  readonly size: number;
  /** Modification time in milliseconds: only to notice, on resuming, that a file is another. */
  readonly mtime: number;
  /** Why it cannot be read, or null. */
  readonly fault: string | null;
}

const SIDECAR = ".headers.json";

/** All files below `paths`, sorted by path, without header files that stand beside a recorded answer. */
export async function listInputs(paths: readonly string[]): Promise<Input[]> {
  const found = new Map<string, Input>();
  for (const path of paths) {
    const entry = await statOrNull(path);
    if (entry === null) throw new InputMissing(`${path}: no such file or folder`);
    if (entry.isDirectory()) await listFolder(path, found);
    else found.set(path, inputOf(path, entry));
  }
  const inputs = [...found.values()].filter(({ path }) => !isSidecar(path, found));
  return inputs.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Path of the header file that may stand beside a recorded answer. */
export function sidecarOf(path: string): string {
  return `${path}${SIDECAR}`;
}

function isSidecar(path: string, found: ReadonlyMap<string, Input>): boolean {
  return path.endsWith(SIDECAR) && found.has(path.slice(0, -SIDECAR.length));
}

async function listFolder(folder: string, found: Map<string, Input>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await listFolder(path, found);
      continue;
    }
    const target = await statOrNull(path);
    // Links to folders are not followed: they can lead in a circle.
    if (target?.isDirectory()) continue;
    found.set(
      path,
      target === null ? { path, size: 0, mtime: 0, fault: "a link that leads nowhere" } : inputOf(path, target),
    );
  }
}

function inputOf(path: string, entry: Stats): Input {
  // Pipes and devices could block for ever and cannot be resumed.
  return { path, size: entry.size, mtime: entry.mtimeMs, fault: entry.isFile() ? null : "not a regular file" };
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ELOOP")) return null;
    throw error;
  }
}
