/** A copy of the repository in a temporary folder, in which commands may write any file. */

import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const NOT_COPIED = new Set(["node_modules", ".git", ".demo", ".share", "coverage", ".python", ".validators", "dist"]);

export interface RepositoryCopy extends AsyncDisposable {
  readonly folder: string;
}

/** Copies the files as they are now. `isInstalled` is true if the copy also has the installed packages. */
export async function repositoryCopy({ isInstalled = true } = {}): Promise<RepositoryCopy> {
  const folder = await mkdtemp(join(tmpdir(), "share-copy-"));
  await cp(REPOSITORY, folder, {
    recursive: true,
    filter: (path) => path === REPOSITORY || !NOT_COPIED.has(basename(path)),
  });
  if (isInstalled) await linkPackages(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Links each installed package, and not their folder, because an installation in the copy would then empty the original folder.
 */
async function linkPackages(from: string, to: string): Promise<void> {
  const programs = join(to, ".bin");
  await mkdir(programs, { recursive: true });
  const link = async (name: string) => symlink(join(from, name), join(to, name));
  for (const name of await readdir(from)) if (name !== ".bin") await link(name);
  for (const name of await readdir(join(from, ".bin"))) if (name !== "share-release") await link(`.bin/${name}`);
  // As `make install` does: the command of the copy.
  await symlink("../../bin/share-release.js", join(programs, "share-release"));
}
