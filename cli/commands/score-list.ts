/** share-release score --list: looks up the published scores of many datasets. */

import { readFile, stat } from "node:fs/promises";
import { type LookedUp, MAX_LOOKED_UP } from "../../schemas/public/api/lookup.ts";
import { PUBLIC_VERSIONS, publicVersion } from "../../schemas/public/rubric.ts";
import { identifiersIn } from "../../server/http/read-body.ts";
import { lookUp } from "../../server/read/lookup.ts";
import { OpenRelease } from "../../server/read/open-release.ts";
import { DEFAULT_QUERY_OPTIONS } from "../../server/read/query-engine.ts";
import { CommandFailed, DONE_WITH_REJECTIONS, UsageError } from "../options/exit-codes.ts";
import { releaseOrActive } from "../options/releases.ts";
import { openExistingStore, printResult, readableFile } from "../options/shared.ts";
import { lookedUpText } from "../terminal/score-text.ts";
import { paint, printPainted } from "../terminal/text.ts";
import type { ScoreCommandOptions } from "./score.ts";

/** Largest file with identifiers, in bytes. */
const MAX_LIST_BYTES = 50 * 1024 * 1024;

/** Prints the score of each identifier in the active release. Does not use the network. */
export async function lookUpList(path: string, options: ScoreCommandOptions): Promise<void> {
  const version = publicVersion.safeParse(options.rubric);
  if (!version.success)
    throw new UsageError(
      `--list shows published scores, so --rubric must be a public version: ${PUBLIC_VERSIONS.join(" or ")}`,
    );
  const file = await readableFile("--list", path);
  if ((await stat(file)).size > MAX_LIST_BYTES)
    throw new CommandFailed(`${path} has more than ${MAX_LIST_BYTES} bytes; split it into several files`);
  const identifiers = await identifiersIn(await readFile(file, "utf8"), /\.csv$/i.test(path));
  const store = openExistingStore(options);
  const digest = await releaseOrActive(store);
  const release = await OpenRelease.open(store, digest, DEFAULT_QUERY_OPTIONS, new AbortController().signal);
  try {
    if (!release.receipt.rubrics.some((published) => published.version === version.data)) {
      throw new CommandFailed(
        `the active release publishes no data under SHARE ${version.data}; choose another --rubric`,
      );
    }
    const data: LookedUp[] = [];
    for (let at = 0; at < identifiers.length; at += MAX_LOOKED_UP) {
      data.push(...(await lookUp(identifiers.slice(at, at + MAX_LOOKED_UP), version.data, release)));
    }
    const { scoreReleaseVersion, releaseDigest } = release.receipt;
    printResult(
      options,
      { data, release: { scoreReleaseVersion, releaseDigest } },
      () => lookedUpText(data, paint),
      printPainted,
    );
    if (data.some(({ record }) => record === null)) process.exitCode = DONE_WITH_REJECTIONS;
  } finally {
    await release.close();
  }
}
