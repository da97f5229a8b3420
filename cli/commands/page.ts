/** share-release page: one page of a release, or where it lies. */

import type { Command } from "commander";
import { type AskedPage, askedPage } from "../../api-static/routes/index.ts";
import { type PageOfRelease, pageOfRelease } from "../../releases/page.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { command, type SharedOptions } from "../options/shared.ts";
import { wantedRelease } from "../options/wanted-release.ts";
import { printLines, terminalText } from "../text/terminal-text.ts";

interface PageOptions extends SharedOptions {
  readonly release?: string;
  readonly index?: true;
}

export function pageCommand(): Command {
  return command("page", "print one page of a release, or say where in its packs it lies", [
    "page /records/rfe033edf024c8af1f4201500",
    "page '/records/rfe033edf024c8af1f4201500/impact?rubric=1.0' --release 3f9c71",
    "page /widgets/datasets/rfe033edf024c8af1f4201500/badge.svg --index",
  ])
    .argument("<address>", "an address of the API that releases have pages of, with its query")
    .option("--release <digest>", "of this release; of the active one if not given")
    .option("--index", "print where it lies: pack, leaf, frame, offsets and sha256 (docs/packs.md)")
    .action(async (address: string, options: PageOptions) => {
      const store = existingStoreOf(options);
      const digest = await wantedRelease(store, options.release);
      const page = await pageOfRelease(store.release(digest), askedBy(address));
      if (page === null) throw new CommandFailed(`${digest} has no page of ${address}`);
      print(digest, page, options);
    });
}

function askedBy(address: string): AskedPage {
  const asked = askedPage(address);
  if (asked !== null) return asked;
  throw new UsageError(
    `no release has pages of ${address}; docs/addresses.md lists what has them, such as /records/ID`,
  );
}

function print(releaseDigest: string, { bytes, ...where }: PageOfRelease, { json, index }: PageOptions): void {
  if (json) printLines(JSON.stringify({ releaseDigest, ...where, ...(index ? {} : { text: bytes.toString("utf8") }) }));
  else if (index) printLines(placeText(where));
  // Whoever reads it from a file or a pipe gets the very bytes; a terminal nothing that steers it.
  else process.stdout.write(process.stdout.isTTY ? terminalText(bytes.toString("utf8")) : bytes);
}

function placeText({ pack, key, place, index, leaf, frame, page }: Omit<PageOfRelease, "bytes">): string {
  return [
    `pack    ${pack}`,
    `key     ${key}, at the place ${place}`,
    `root    ${index === null ? "not in the manifest" : `the last ${index.bytes} bytes, sha256 ${index.sha256}`}`,
    `leaf    ${leaf.bytes} bytes from ${leaf.offset}, sha256 ${leaf.sha256}`,
    `frame   ${frame.bytes} bytes from ${frame.offset}, ${frame.inflated} inflated`,
    `page    ${page.bytes} bytes from ${page.offset} of these, sha256 ${page.sha256}`,
  ].join("\n");
}
