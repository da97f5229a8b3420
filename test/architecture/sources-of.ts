/** Reads the files of this repository and their imports, so that suites can check the rules of the architecture. */

import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { REPOSITORY } from "../support/bundled-corpus.ts";

/** Folders of code. */
export const FOLDERS = [
  "schemas",
  "api-static",
  "pipeline",
  "releases",
  "web",
  "client",
  "server",
  "cli",
  "score",
  "fixtures",
  "test",
  "bench",
  "docs",
  "python",
  "bin",
] as const;

export interface Import {
  /** Path of the imported file from the root of the repository; null for a package. */
  readonly file: string | null;
  /** The specifier as it is written, such as `../support/tree.ts` or `node:fs`. */
  readonly specifier: string;
  /** True if only types are imported, so that nothing is loaded when the program runs. */
  readonly typesOnly: boolean;
}

export interface SourceFile {
  /** Path of the file from the root of the repository. */
  readonly path: string;
  /** The text of the file without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** Returns every TypeScript and JavaScript file of the repository, by path. */
export async function sourceFiles(): Promise<SourceFile[]> {
  const paths = await findPaths(/\.(ts|js)$/);
  return Promise.all(
    paths.map(async (path) => {
      const code = withoutComments(await readFile(join(REPOSITORY, path), "utf8"));
      return { path, code, imports: listImports(path, code) };
    }),
  );
}

/** Folders of installed packages and of build output, which are not source. */
const INSTALLED = /\/(?:node_modules|\.python|\.validators|dist)\//;

/** Returns the paths of files in FOLDERS whose names match, in order. */
export async function findPaths(pattern: RegExp): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of FOLDERS) {
    const entries = await readdir(join(REPOSITORY, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(REPOSITORY.length + 1);
      if (entry.isFile() && pattern.test(path) && !INSTALLED.test(path)) paths.push(path);
    }
  }
  return paths.sort();
}

/** Removes comments but not their line breaks, so that a message can state the line number. */
function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, "");
  return text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, blank)
    .replace(/(^|[\s;,{(])\/\/(?!\/).*$/gm, (line, before: string) => before + blank(line.slice(before.length)));
}

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm;
/**
 * Matches the first declaration of a file. Imports come before it, so a later line that looks like an import is part of a string.
 */
const DECLARATION = /^(?:export\s+)?(?:async\s+)?(?:const|let|function|class|interface|enum|type)\s+\w/m;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
/** Matches the start of a worker, whose module is named by its URL. */
const WORKER = /new URL\(\s*"([^"]+\.ts)"\s*,\s*import\.meta\.url\s*\)/g;

/**
 * Modules that differ between Node and browsers. For each name in `imports` of package.json, the file for browsers and for
 * Node.
 */
export const BY_PLATFORM: Readonly<Record<string, { readonly browser: string; readonly default: string }>> =
  manifest.imports;

function listImports(path: string, code: string): Import[] {
  const resolveImport = (specifier: string): string | null => {
    const byPlatform = BY_PLATFORM[specifier];
    if (byPlatform !== undefined) return normalize(byPlatform.default);
    return specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : null;
  };
  const resolved = (specifier: string, typesOnly: boolean): Import => ({
    file: resolveImport(specifier),
    specifier,
    typesOnly,
  });
  const first = code.search(DECLARATION);
  const head = first < 0 ? code : code.slice(0, first);
  return [
    ...[...head.matchAll(STATEMENT)].map(([, type, specifier = ""]) => resolved(specifier, type !== undefined)),
    ...[...code.matchAll(DYNAMIC)].map(([, specifier = ""]) => resolved(specifier, false)),
    ...[...code.matchAll(WORKER)].map(([, specifier = ""]) => resolved(specifier, false)),
  ];
}
