/** Builds and packs the npm package in `client/`, and installs it into an empty project, as users do. */

import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { madeOnce } from "../support/shared-run.ts";

const run = promisify(execFile);

/** The dependencies of the package. They are copied from this repository, because suites do not use a registry. */
const STANDS_ON = ["fzstd", "openapi-fetch", "openapi-typescript-helpers"];

export interface PackedClient extends AsyncDisposable {
  /** The folder of the project in which the package is installed. */
  readonly project: string;
  /** The folder of the package in the project. */
  readonly folder: string;
  /** Imports the main module of the package from the project. */
  load(): Promise<typeof import("../../client/index.ts")>;
  /** Imports the package's module for published releases from the project. */
  loadReader(): Promise<typeof import("../../client/release/index.ts")>;
}

/** Returns the installed package. The first suite that needs it builds it, and all suites of a run share it. */
export async function packedClient(): Promise<PackedClient> {
  const { folder: project, [Symbol.asyncDispose]: dispose } = await madeOnce("packed-client", fill);
  const folder = join(project, "node_modules/share-release-client");
  return {
    project,
    folder,
    load: () => import(/* @vite-ignore */ pathToFileURL(join(folder, "dist/index.js")).href),
    loadReader: () => import(/* @vite-ignore */ pathToFileURL(join(folder, "dist/release/index.js")).href),
    [Symbol.asyncDispose]: dispose,
  };
}

async function fill(project: string): Promise<void> {
  const client = join(REPOSITORY, "client");
  await npm(client, "run", "build");
  for (const folder of [client, ...STANDS_ON.map((name) => join(REPOSITORY, "node_modules", name))]) {
    await npm(project, "pack", folder, "--pack-destination", project);
  }
  const archives = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  await npm(project, "install", "--offline", "--no-audit", "--no-fund", ...archives.map((name) => `./${name}`));
}

/** Runs an npm command in a folder, without running the scripts of packages. */
async function npm(folder: string, ...words: readonly string[]): Promise<void> {
  await run("npm", ["--ignore-scripts", "--loglevel=error", ...words], { cwd: folder });
}
