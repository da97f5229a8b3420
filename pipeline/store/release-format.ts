/** Formats of releases: a release of an earlier one is listed, logged and pruned, and nothing is read out of it but its receipt. */

import type { Receipt } from "../../schemas/public/release.ts";

/** 1: pages are single files, and the digest has no root over them. 2: pages are in packs (ADR 2). */
export type ReleaseFormat = 1 | 2;

export function formatOf({ content }: Pick<Receipt, "content">): ReleaseFormat {
  return content.pages === undefined ? 1 : 2;
}

/** What a release of format 1 is, and how its scores come over: in words that follow "the release". */
export function format1Words({ tool, asOf, sources }: Pick<Receipt, "tool" | "asOf" | "sources">): string {
  const names = sources.map(({ source }) => source).join(" ");
  return (
    `is of format 1, with a file for each page; version ${tool.version} made it, and this one reads packs. Build it again from ` +
    `the same raw payloads, \`share-release build --as-of ${asOf} --source ${names}\`, and remove it with \`share-release prune\``
  );
}

/** A release is of a format that can be listed and no longer read. */
export class ReleaseOutdated extends Error {
  readonly code = "ERR_RELEASE_OUTDATED";
  constructor(receipt: Receipt) {
    super(`${receipt.releaseDigest} ${format1Words(receipt)}`);
    this.name = "ReleaseOutdated";
  }
}

/** @throws ReleaseOutdated */
export function requireReadable(receipt: Receipt): void {
  if (formatOf(receipt) === 1) throw new ReleaseOutdated(receipt);
}
