/** Which file may use which: the layers, the stages, the sources. */

import type { Use } from "./our-files.ts";

/** What each top folder may use besides itself. The product runs one way: cli → server → pipeline → api-static → schemas. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  "api-static": ["schemas"],
  pipeline: ["api-static", "schemas"],
  server: ["pipeline", "api-static", "schemas"],
  cli: ["server", "pipeline", "api-static", "schemas", "fixtures"],
  bin: ["cli"],
  fixtures: ["pipeline", "api-static", "schemas"],
  docs: ["server", "pipeline", "api-static", "schemas", "fixtures"],
  bench: ["server", "pipeline", "api-static", "schemas", "fixtures"],
  test: ["cli", "bin", "server", "pipeline", "api-static", "schemas", "fixtures", "bench", "docs"],
  // Files at the root: the configurations of tools.
  "": ["test"],
};

/** The name and version of the package belong to no layer. */
const BELONGS_TO_NONE = "package.json";

/** Outside the stages, the files of pipeline/ that know them. */
const KNOW_STAGES = ["pipeline/stages.ts", "pipeline/build.ts", "pipeline/verify.ts"];

/** Folders that may use a stage by itself. */
const USE_STAGES = ["cli", "docs", "bench", "test"];

/** The rules a use breaks. */
export function rulesBroken(use: Use): string[] {
  return [layers(use), stages(use), sources(use)].filter((rule) => rule !== null);
}

function layers({ from, to }: Use): string | null {
  const [one, other] = [topOf(from), topOf(to)];
  if (one === other || to === BELONGS_TO_NONE) return null;
  return MAY_USE[one]?.includes(other) ? null : `${one || "the root"} does not use ${other || "the root"}`;
}

function stages({ from, to }: Use): string | null {
  const [one, other] = [stageOf(from), stageOf(to)];
  if (other === null || one === other) return null;
  if (one !== null) return "a stage uses no other stage";
  return KNOW_STAGES.includes(from) || USE_STAGES.includes(topOf(from)) ? null : "this file does not know the stages";
}

function sources({ from, to }: Use): string | null {
  const [one, other] = [sourceOf(from), sourceOf(to)];
  if (one === null || one === other) return null;
  // The list of sources is all of them.
  return other !== null || to === "pipeline/sources/index.ts" ? "a source uses no other source" : null;
}

function topOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function stageOf(path: string): string | null {
  return /^pipeline\/(\d-[^/]+)\//.exec(path)?.[1] ?? null;
}

function sourceOf(path: string): string | null {
  return /^pipeline\/sources\/([^/]+)\//.exec(path)?.[1] ?? null;
}
