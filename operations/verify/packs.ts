/** Packs: each read once, every page what its index says, and all of a family the root that the digest covers. */

import { join } from "node:path";
import { fileDigest } from "../../pipeline/files/file-digest.ts";
import { checkPack } from "../../pipeline/packs/check-pack.ts";
import { PackDamaged } from "../../pipeline/packs/format.ts";
import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/pack-names.ts";
import { type PageShard, pagesRoot } from "../../pipeline/packs/pages-root.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import { type Found, MOST_LISTED, report } from "./finding.ts";

/** A pack that the manifest lists. */
export interface ListedPack {
  readonly line: ManifestLine;
  /** Whether it is there, with as many bytes as it should have; what is wrong with it was found where not. */
  readonly there: boolean;
}

/** What reading a pack found. */
export interface ReadPack {
  readonly sha256: string;
  /** Null where the pack cannot be read to its end. */
  readonly shards: readonly PageShard[] | null;
  readonly wrong: readonly string[];
}

/** Answers the roots that the pages give, by family: as the receipt has it where a pack was found to be damaged. */
export async function verifyPacks(
  folder: string,
  listed: readonly ListedPack[],
  receipt: Receipt,
  found: Found,
): Promise<Record<string, string>> {
  const families = new Map<string, (readonly PageShard[] | null)[]>();
  const splits = new Map<string, number>();
  for (const { line, there } of listed) {
    const { family, from } = readPackPath(line.path) ?? { family: "", from: "" };
    if ((splits.get(family) ?? from.length) !== from.length)
      found("page", `${line.path} is of other ranges than the packs beside it`);
    splits.set(family, from.length);
    const read = there ? await readPack(folder, line) : null;
    if (read !== null && read.sha256 !== line.sha256)
      found("changed file", `${line.path} is sha256 ${read.sha256}, not ${line.sha256}`);
    report(
      found,
      "page",
      (read?.wrong ?? []).map((message) => `${line.path}: ${message}`),
    );
    families.set(family, [...(families.get(family) ?? []), read?.shards ?? null]);
  }
  return rootsOf(families, receipt, found);
}

/** Reads a pack once; again where it cannot be read to its end, to tell whether it is the one that was published. */
export async function readPack(folder: string, line: ManifestLine): Promise<ReadPack> {
  const wrong: string[] = [];
  const told = (message: string) => {
    if (wrong.length <= MOST_LISTED) wrong.push(message);
  };
  try {
    const { sha256, shards } = checkPack(folder, line, told);
    return { sha256, shards, wrong };
  } catch (error) {
    if (error instanceof PackDamaged) told(error.message);
    const sha256 = await fileDigest(join(folder, line.path)).catch((fault: unknown) => String(fault));
    return { sha256, shards: null, wrong };
  }
}

function rootsOf(
  families: ReadonlyMap<string, readonly (readonly PageShard[] | null)[]>,
  { content }: Receipt,
  found: Found,
): Record<string, string> {
  const roots: Record<string, string> = {};
  for (const family of new Set([...families.keys(), ...Object.keys(content.pages)])) {
    if (family === RELEASE_FAMILY) continue;
    const packs = families.get(family) ?? [];
    const said = content.pages[family];
    const root = packs.includes(null) ? said : pagesRoot(packs.flatMap((shards) => shards ?? []));
    if (root !== said) found("pages", `pages/${family} has the root ${root}, the receipt says ${said ?? "nothing"}`);
    if (root !== undefined) roots[family] = root;
  }
  return roots;
}
