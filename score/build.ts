/**
 * Builds the npm package in `dist/package/`: a module for browsers and Node, the command, and types. Also builds the worker
 * of the check page in `dist/page/`. `make install` runs this file. With `--page`, only the worker is built.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { rolldown } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { openApi } from "../api-static/openapi/index.ts";
import { SOURCES } from "../pipeline/sources/index.ts";
import { getReader } from "../pipeline/sources/reader-of.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const READERS = Object.fromEntries(await Promise.all(SOURCES.map(async ({ name }) => [name, await getReader(name)])));

/** Bundles an entry module. Code that it loads on demand becomes separate files. */
async function bundle(
  entry: string,
  platform: "browser" | "node",
  dir: string,
  entryFileNames: string,
  isOneFile = false,
) {
  const bundled = await rolldown({
    input: join(ROOT, "score", entry),
    cwd: ROOT,
    platform,
    // The package runs in Node 20, and its code is the same in browsers.
    resolve: {
      conditionNames: ["browser", "import", "default"],
      ...(isOneFile ? { alias: { yaml: join(ROOT, "score/element/without-yaml.ts") } } : {}),
    },
    transform: {
      target: "es2022",
      define: { READERS: JSON.stringify(READERS) },
      inject: { "Map.groupBy": join(ROOT, "score/group-by.ts") },
    },
    checks: { ineffectiveDynamicImport: false },
  });
  await bundled.write({ dir, entryFileNames, format: "esm", minify: true, codeSplitting: !isOneFile });
  await bundled.close();
}

/**
 * Writes the types of results, which are generated from the OpenAPI document, so that users need no other package for
 * them.
 */
function writeTypes(folder: string): void {
  const { openapi, info, components } = openApi();
  const document = join(folder, "openapi.json");
  writeFileSync(document, JSON.stringify({ openapi, info, paths: {}, components: { schemas: components.schemas } }));
  const generator = join(ROOT, "client/node_modules/openapi-typescript/bin/cli.js");
  const words = [generator, document, "--output", join(folder, "described.d.ts")];
  execFileSync(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  rmSync(document);
  const declared = ["pipeline/repair/metadata-change.ts", "score/index.ts"].map(readDeclarations);
  writeFileSync(join(folder, "index.d.ts"), [IMPORTED_TYPES, ...declared].join("\n"));
}

/** The types that the modules of the package import, as users see them. */
const IMPORTED_TYPES = `import type { components } from "./described.js";

/** The score of a draft, as POST /evaluations/draft returns it in \`draft\`. */
export type DraftScore = components["schemas"]["DraftResult"]["draft"];

type RubricVersion = DraftScore["rubric"];
type EvidenceName = DraftScore["basis"]["unreadable"][number];

/**
 * The error for metadata that do not belong to one dataset of a known source. Its message continues a sentence about
 * the file, such as "cannot be read: …".
 */
export class NoDraft extends Error {
  readonly code: "no-draft";
}
`;

/** Returns the type declarations of a module, without its imports. */
function readDeclarations(path: string): string {
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(join(ROOT, path), "utf8"));
  if (errors.length > 0) throw new Error(`the exported types of ${path} must be written out: ${errors[0]?.message}`);
  return code.replace(/^(?:import |export \{).*\n/gm, "");
}

/** Compresses all scripts in a folder at the highest level during the build, because a server has no time for this. */
function compressScripts(folder: string): void {
  for (const name of readdirSync(folder)) {
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(readFileSync(join(folder, name))));
  }
}

const DIST = join(ROOT, "score/dist");
// A server that starts meanwhile reads the last build.
const made = mkdtempSync(join(ROOT, "score/.dist-"));
if (!process.argv.includes("--page")) {
  await bundle("index.ts", "browser", join(made, "package"), "[name].js");
  await bundle("command.ts", "node", join(made, "package"), "[name].js");
  chmodSync(join(made, "package/command.js"), 0o755);
  await bundle("element/share-check.ts", "browser", join(made, "package"), "[name].js", true);
  writeTypes(join(made, "package"));
}
await bundle("check-worker.ts", "browser", join(made, "page"), "[name]-[hash].js");
compressScripts(join(made, "page"));
await bundle("lists.ts", "browser", join(made, "static"), "lists.js", true);
rmSync(DIST, { recursive: true, force: true });
renameSync(made, DIST);
