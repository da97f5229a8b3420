/** share-release release show: prints the receipt of a release, one of its pages, or the position of a page in the packs. */

import type { Command } from "commander";
import { type AskedPage, askedPage } from "../../api-static/routes/index.ts";
import { currentDigest, findRelease } from "../../pipeline/store/releases.ts";
import { type PageOfRelease, pageOfRelease } from "../../releases/page.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { RELEASE_NAMES, releaseOrNewest } from "../options/releases.ts";
import { command, openExistingStore, printResult, type SharedOptions } from "../options/shared.ts";
import { receiptText } from "../terminal/release-text.ts";
import { printLines, terminalText } from "../terminal/text.ts";

interface ShowOptions extends SharedOptions {
  readonly page?: string;
  readonly index?: true;
}

export function showCommand(): Command {
  return command("show", "Show the receipt of a release, or print one of its pages", [
    "release show",
    "release show 2026.11.01 --json",
    "release show --page /records/rfe033edf024c8af1f4201500",
    "release show 3f9c71 --page '/records/rfe033edf024c8af1f4201500/impact?rubric=1.0'",
    "release show --page /widgets/datasets/rfe033edf024c8af1f4201500/badge.svg --index",
  ])
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .option("--page <path>", "Print the page of this API path and query")
    .option("--index", "With --page: print its position: pack, leaf, frame, offsets and SHA-256 (docs/packs.md)")
    .action(async (name: string | undefined, options: ShowOptions) => {
      if (options.index && options.page === undefined)
        throw new UsageError("--index requires --page, because it shows the position of that page");
      const pageAddress = options.page === undefined ? null : pageAt(options.page);
      const store = openExistingStore(options);
      const digest = await releaseOrNewest(store, name);
      if (pageAddress === null) {
        const active = digest === (await currentDigest(store));
        const receipt = await findRelease(store, digest);
        printResult(options, { ...receipt, active }, () => receiptText(receipt, active));
        return;
      }
      const page = await pageOfRelease(store.release(digest), pageAddress);
      if (page === null)
        throw new CommandFailed(`the release ${digest} has no page for ${options.page}; check the id and the version`);
      print(digest, page, options);
    });
}

function pageAt(path: string): AskedPage {
  const pageAddress = askedPage(path);
  if (pageAddress !== null) return pageAddress;
  throw new UsageError(
    `releases have no pages for ${path}; docs/reference/endpoints.md lists the paths with pages, such as /records/ID`,
  );
}

function print(releaseDigest: string, { bytes, ...where }: PageOfRelease, { json, index }: ShowOptions): void {
  if (json) printLines(JSON.stringify({ releaseDigest, ...where, ...(index ? {} : { text: bytes.toString("utf8") }) }));
  else if (index) printLines(placeText(where));
  // A file or a pipe receives the exact bytes. On a terminal, control characters are escaped.
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
