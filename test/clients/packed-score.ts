/** Builds and packs the npm package in `score/`, and installs it into an empty project, as users do. */

import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtScore } from "../support/built-score.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { madeOnce } from "../support/shared-run.ts";

const run = promisify(execFile);

export interface PackedScore extends AsyncDisposable {
  /** The folder of the project in which the package is installed. */
  readonly project: string;
  /** The archive that npm would publish. */
  readonly archive: string;
}

/** Returns the installed package. The first suite that needs it builds it, and all suites of a run share it. */
export async function packedScore(): Promise<PackedScore> {
  const { folder: project, ...rest } = await madeOnce("packed-score", fill);
  const [archive = ""] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
  return { project, archive: join(project, archive), [Symbol.asyncDispose]: rest[Symbol.asyncDispose] };
}

async function fill(project: string): Promise<void> {
  await using _built = await builtScore();
  await npm(project, "pack", join(REPOSITORY, "score"), "--pack-destination", project);
  const archives = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  await npm(project, "install", "--offline", "--no-audit", "--no-fund", ...archives.map((name) => `./${name}`));
}

/** Runs an npm command in a folder, without running the scripts of packages. */
async function npm(folder: string, ...words: readonly string[]): Promise<void> {
  await run("npm", ["--ignore-scripts", "--loglevel=error", ...words], { cwd: folder });
}
