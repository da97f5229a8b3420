/** Reuses normalised parts and unchanged pages of earlier builds, and stores the results of this build for the next one. */

import { join } from "node:path";
import { z } from "zod";
import type { PublicVersion } from "../schemas/public/rubric.ts";
import type { PartCache } from "./2-normalise/part-cache.ts";
import { filesDigest } from "./files/code-digest.ts";
import {
  type FinishedRelease,
  type PreviousRelease,
  previousRelease,
  recordRelease,
} from "./pages/previous-release.ts";
import { hasOwnDigest } from "./sources/reader-of.ts";
import type { StageManifest } from "./stage/stage.ts";
import { listParts } from "./store/raw-parts.ts";
import type { Store } from "./store/store.ts";

export interface ReuseOptions {
  readonly sources: readonly string[];
  readonly rubrics: readonly PublicVersion[];
  readonly reuse?: "auto" | "always" | "never";
}

export interface Reuse {
  readonly partCache: PartCache | null;
  /** Finds the last release that can be reused. Reads its tables and its manifest, which takes time. */
  readonly previous: () => Promise<PreviousRelease | null>;
  readonly rowDigests: boolean;
  readonly record: (released: FinishedRelease) => Promise<void>;
}

/** Size of the raw payloads in bytes (about 2,000 records) below which reuse saves no time. */
const WORTHWHILE = 1 << 20;

/**
 * Decides which results of earlier builds a build reuses. `inputs` are the digests of its inputs, as in the receipt.
 * The results are in `cache/` of the store; if that folder is removed, the next build computes everything.
 */
export async function planReuse(
  store: Store,
  options: ReuseOptions,
  inputs: Readonly<Record<string, string>>,
): Promise<Reuse> {
  if (!(await isWanted(store, options))) return NOTHING;
  const { cache } = store;
  const program = await programDigest();
  return {
    partCache: { folder: join(store.cache, "normalised"), program },
    previous: () => previousRelease(store, cache, { program, inputs, rubrics: options.rubrics }),
    rowDigests: true,
    record: (released) => recordRelease(cache, released, program),
  };
}

const NOTHING: Reuse = {
  partCache: null,
  previous: async () => null,
  rowDigests: false,
  record: async () => undefined,
};

async function isWanted(store: Store, { sources, reuse = "auto" }: ReuseOptions): Promise<boolean> {
  if (reuse !== "auto") return reuse === "always";
  let bytes = 0;
  for (const source of sources) for (const part of await listParts(store.raw(source))) bytes += part.bytes;
  return bytes >= WORTHWHILE;
}

const partFacts = z.object({ parts: z.int(), normalised: z.int() });
const pageFacts = z.object({ linked: z.int(), rendered: z.int() });

/** Numbers of reused raw parts, and of reused pages of records and researchers. */
export interface ReuseCounts {
  readonly parts: number;
  readonly normalisedParts: number;
  readonly pages: number;
  readonly renderedPages: number;
}

export function readReuse(normalised: StageManifest, rendered: StageManifest): ReuseCounts {
  const parts = partFacts.parse(normalised.facts.reused);
  const pages = pageFacts.parse(rendered.facts.reused);
  return {
    parts: parts.parts,
    normalisedParts: parts.normalised,
    pages: pages.linked,
    renderedPages: pages.rendered,
  };
}

/**
 * Files and folders that can change a row or a page: everything that stages 2 to 6 import, with SQL, contracts and word
 * lists. A test fails if their code imports from another folder.
 */
export const PROGRAM_FOLDERS = [
  "schemas",
  "api-static/pages",
  "api-static/routes",
  "pipeline/2-normalise",
  "pipeline/3-score",
  "pipeline/4-aggregate",
  "pipeline/5-render",
  "pipeline/6-release",
  "pipeline/engine",
  "pipeline/files",
  "pipeline/packs",
  "pipeline/pages",
  "pipeline/reading",
  "pipeline/rubrics",
  "pipeline/sources",
  "pipeline/stage",
  "pipeline/store/raw-parts.ts",
  "pipeline/vocabularies",
  "package-lock.json",
] as const;

/**
 * All folders whose code runs in a build. Code outside {@link PROGRAM_FOLDERS} can change a report, but not a row or a
 * page.
 */
const BUILD_FOLDERS = [...PROGRAM_FOLDERS, "api-static", "web", "pipeline"];

const digests = new Map<string, Promise<string>>();

/**
 * Returns the digest of the code that reads payloads and writes pages. Contracts and pledges are not part of it. They
 * have their own digests, because changing one of them must not invalidate the whole cache.
 */
export function programDigest(): Promise<string> {
  return once("program", () => filesDigest(PROGRAM_FOLDERS, (path) => !hasOwnDigest(path)));
}

/** Returns the digest of all code that a build runs. An interrupted build is resumed only by the same code. */
export function buildCodeDigest(): Promise<string> {
  return once("build", () => filesDigest(BUILD_FOLDERS, () => true));
}

function once(name: string, make: () => Promise<string>): Promise<string> {
  const digest = digests.get(name) ?? make();
  digests.set(name, digest);
  return digest;
}
