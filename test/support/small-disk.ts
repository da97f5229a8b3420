/** A file system of a few megabytes, which a test can fill or make read-only. Only root can mount it. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** True if this user can mount a file system. */
export const MOUNTS = mountable();
if (!MOUNTS) console.warn("suites on full and read-only disks skipped: this user cannot mount a tmpfs");

export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Fills the file system completely. */
  fill(): void;
  /** Removes the files with which `fill` filled the disk. */
  clear(): void;
}

/** Mounts an empty file system of this size. No file on it may be open when it is disposed of. */
export function smallDisk(size: string): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "share-disk-"));
  mount(["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  const filler = (bytes: number) => join(folder, `filler-${bytes}`);
  // The last pages are too small for a large block.
  const blocks = [1024 * 1024, 4096, 1];
  return {
    folder,
    fill: () => {
      for (const bytes of blocks) fillWith(filler(bytes), Buffer.alloc(bytes));
    },
    clear: () => {
      for (const bytes of blocks) rmSync(filler(bytes), { force: true });
    },
    [Symbol.dispose]: () => {
      spawnSync("umount", [folder]);
      rmdirSync(folder);
    },
  };
}

function fillWith(path: string, block: Buffer): void {
  for (;;) {
    try {
      writeFileSync(path, block, { flag: "a" });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC") return;
      throw error;
    }
  }
}

/** Runs the command `mount` with the parameters. Throws if the command fails. */
export function mount(parameters: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", parameters, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${parameters.join(" ")}: ${stderr}`);
}

function mountable(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "share-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (status === 0) spawnSync("umount", [folder]);
  rmdirSync(folder);
  return status === 0;
}
