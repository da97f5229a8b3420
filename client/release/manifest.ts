/** The manifest of a release: its files, and the packs of each family of pages. */

import { REPORT, ReleaseFault } from "./files.ts";

export interface ManifestLine {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly index?: { readonly bytes: number; readonly sha256: string };
}

export interface Pack {
  readonly path: string;
  readonly bytes: number;
  /**
   * The first hex digits of the lowest place in the pack, for example `80` (docs/packs.md); "" if the pack has all pages.
   */
  readonly from: string;
  readonly index: { readonly bytes: number; readonly sha256: string };
}

export interface Manifest {
  readonly files: ReadonlyMap<string, ManifestLine>;
  /** Packs by family, in order of their ranges. */
  readonly packs: ReadonlyMap<string, readonly Pack[]>;
}

const PACK = /^pages\/((?:\d+\.\d+\/)?[a-z-]+)(?:\.([0-9a-f]{1,2}))?\.zst$/;

export function readManifest(text: string, url: string): Manifest {
  const files = new Map<string, ManifestLine>();
  const packs = new Map<string, Pack[]>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const file = readLine(line, url);
    if (files.has(file.path)) throw new ReleaseFault(url, `lists ${file.path} twice. ${REPORT}`);
    files.set(file.path, file);
    const [, family, from = ""] = PACK.exec(file.path) ?? [];
    if (family === undefined || file.index === undefined) continue;
    const { path, bytes, index } = file;
    const known = packs.get(family) ?? [];
    known.push({ path, bytes, from, index });
    packs.set(family, known);
  }
  for (const family of packs.values()) family.sort((one, other) => (one.from < other.from ? -1 : 1));
  return { files, packs };
}

function readLine(line: string, url: string): ManifestLine {
  try {
    const read: ManifestLine = JSON.parse(line);
    if (typeof read.path === "string" && Number.isSafeInteger(read.bytes)) return read;
  } catch {
    // The error below has the URL.
  }
  throw new ReleaseFault(
    url,
    "is not the manifest of a release: a line is not a JSON object with path and bytes. Check the URL of the release.",
  );
}
