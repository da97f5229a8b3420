/** The files of the repository, new ones included, and what they import. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY } from "../support/bundled-corpus.ts";

/** Paths from the root, in order: what git keeps and what it would take. */
export async function ourFiles(): Promise<string[]> {
  const parameters = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await promisify(execFile)("git", parameters, { cwd: REPOSITORY, maxBuffer: 16_777_216 });
  // One that was removed and not yet committed is still listed.
  return [...new Set(stdout.split("\0"))]
    .filter((path) => path !== "" && existsSync(posix.join(REPOSITORY, path)))
    .sort();
}

/** A file of ours that uses another by its path. */
export interface Use {
  readonly from: string;
  readonly to: string;
}

/** import and export statements, `import()`, and files named to be run or read beside a module. */
const SPECIFIERS = [
  /\b(?:import|export)\b[^"';]*?\bfrom\s*"(\.[^"]*)"/g,
  /\bimport\s*\(?\s*"(\.[^"]*)"/g,
  /\bnew URL\(\s*"(\.[^"]*\.\w+)",\s*import\.meta\.url/g,
];

/** What the text of a module at `from` uses of ours. */
export function usesIn(from: string, text: string): Use[] {
  const found = SPECIFIERS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, specifier = ""]) => specifier));
  return found.map((specifier) => ({ from, to: posix.join(posix.dirname(from), specifier) }));
}

/** Text of every module of ours, by path. */
export async function modules(): Promise<Map<string, string>> {
  const paths = (await ourFiles()).filter((path) => /\.[jt]s$/.test(path));
  const entries = paths.map(
    async (path): Promise<[string, string]> => [path, await readFile(posix.join(REPOSITORY, path), "utf8")],
  );
  return new Map(await Promise.all(entries));
}
