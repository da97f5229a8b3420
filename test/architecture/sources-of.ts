/** Files of this repository and their imports, on which the architecture rules are checked. */

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
  /** Path of one of our files, below the repository; null for a package. */
  readonly file: string | null;
  /** As it stands in the text. */
  readonly specifier: string;
  /** True where only types come in: nothing is loaded. */
  readonly typesOnly: boolean;
}

export interface SourceFile {
  /** Path below the repository. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** Every TypeScript and JavaScript file, by path. */
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

/** Paths below our folders whose names match, in order. */
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

/** The line breaks stay, so that a message can name a line. */
function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, "");
  return text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, blank)
    .replace(/(^|[\s;,{(])\/\/(?!\/).*$/gm, (line, before: string) => before + blank(line.slice(before.length)));
}

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm;
/** The first declaration of a file. Imports come before it; what looks like one after it is text of a template. */
const DECLARATION = /^(?:export\s+)?(?:async\s+)?(?:const|let|function|class|interface|enum|type)\s+\w/m;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
/** A worker is started by the address of its module. */
const WORKER = /new URL\(\s*"([^"]+\.ts)"\s*,\s*import\.meta\.url\s*\)/g;

/** Modules that differ between Node and browsers: the file of each name in the manifest, by condition. */
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
