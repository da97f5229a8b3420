/** The work that a build takes over from earlier ones, normalised parts and unchanged pages, and keeps for the next. */

import { join } from "node:path";
import { z } from "zod";
import type { PublicVersion } from "../schemas/public/rubric.ts";
import type { PartCache } from "./2-normalise/kept-parts.ts";
import { filesDigest } from "./files/code-digest.ts";
import { type MadeRelease, noteRelease, type PreviousRelease, previousRelease } from "./pages/previous-release.ts";
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
  /** Where normalised parts are kept, and by which code they must have been made. */
  readonly keptParts: PartCache | null;
  /** Looks the last release up, which takes reading its tables and its manifest. */
  readonly previous: () => Promise<PreviousRelease | null>;
  /** Whether the digests of the release's rows are wanted for the note. */
  readonly rowDigests: boolean;
  /** Notes the release for the next build. */
  readonly note: (released: MadeRelease) => Promise<void>;
}

/** Bytes of raw payloads below which a build takes seconds, and nothing is kept or looked up: about 2,000 records. */
const WORTHWHILE = 1 << 20;

/**
 * `cache/` of the store can be removed at any time: the next build is a full one then. `inputs` are the digests of what
 * the release is made with, as its receipt will have them.
 */
export async function reuseOf(
  store: Store,
  options: ReuseOptions,
  inputs: Readonly<Record<string, string>>,
): Promise<Reuse> {
  if (!(await isWanted(store, options))) return NOTHING;
  const { cache } = store;
  const program = await programDigest();
  return {
    keptParts: { folder: join(store.cache, "normalised"), program },
    previous: () => previousRelease(store, cache, { program, inputs, rubrics: options.rubrics }),
    rowDigests: true,
    note: (released) => noteRelease(cache, released, program),
  };
}

const NOTHING: Reuse = {
  keptParts: null,
  previous: async () => null,
  rowDigests: false,
  note: async () => undefined,
};

async function isWanted(store: Store, { sources, reuse = "auto" }: ReuseOptions): Promise<boolean> {
  if (reuse !== "auto") return reuse === "always";
  let bytes = 0;
  for (const source of sources) for (const part of await listParts(store.raw(source))) bytes += part.bytes;
  return bytes >= WORTHWHILE;
}

const partFacts = z.object({ parts: z.int(), normalised: z.int() });
const pageFacts = z.object({ linked: z.int(), rendered: z.int() });

/** How much of a build was taken over, in parts of raw payloads and in pages of records and researchers. */
export interface Reused {
  readonly parts: number;
  readonly normalisedParts: number;
  readonly pages: number;
  readonly renderedPages: number;
}

/** The reuse that the facts of stages 2 and 5 tell. */
export function reusedBy(normalised: StageManifest, rendered: StageManifest): Reused {
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
 * Folders whose files can change a row or a page: everything that stages 2 to 6 import, with SQL, contracts and word lists.
 * A test follows the imports and fails if one leads out of these folders.
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

/** Folders of everything that a build runs. The code outside PROGRAM_FOLDERS can change a report, but no row and no page. */
const BUILD_FOLDERS = [...PROGRAM_FOLDERS, "api-static", "web", "pipeline"];

const digests = new Map<string, Promise<string>>();

/**
 * Digest of the code that reads payloads and writes pages: what was made by another program is not taken over. A contract or
 * pledge that changed need not make everything anew.
 */
export function programDigest(): Promise<string> {
  return once("program", () => filesDigest(PROGRAM_FOLDERS, (path) => !hasOwnDigest(path)));
}

/** Digest of all that a build runs: an interrupted build does not go on with what other code left behind. */
export function buildCodeDigest(): Promise<string> {
  return once("build", () => filesDigest(BUILD_FOLDERS, () => true));
}

function once(name: string, make: () => Promise<string>): Promise<string> {
  const digest = digests.get(name) ?? make();
  digests.set(name, digest);
  return digest;
}
