/** share-release release verify: checks a release against its receipt. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type Replayed, replay } from "../../releases/replay/index.ts";
import { type Verification, verifyFolder } from "../../releases/verify/index.ts";
import { readWithheld } from "../options/accounts.ts";
import { withEffects } from "../options/effects.ts";
import { CommandFailed, FAILED, UsageError } from "../options/exit-codes.ts";
import { RELEASE_NAMES, wantedRelease } from "../options/releases.ts";
import {
  command,
  existingStoreOf,
  memoryOption,
  plainPath,
  readableFile,
  type SharedOptions,
  storeOf,
  threadsOption,
} from "../options/shared.ts";
import { keyOption, keysOf } from "../options/signing.ts";
import { BUILD_PLAN, type Plan, RESCORE_PLAN } from "../terminal/progress.ts";
import { printLines } from "../terminal/text.ts";

interface VerifyOptions extends SharedOptions {
  readonly folder?: string;
  readonly threads: number;
  readonly memory: string | null;
  readonly key?: string;
  readonly rescore?: true;
  readonly replay?: true;
  readonly excludeResearchers?: string;
  readonly ror?: string;
  readonly citations?: string;
}

export function verifyCommand(): Command {
  return command("verify", "re-hash a release and check every invariant of its scores", [
    "release verify",
    "release verify 2026.11.01 --rescore",
    "release verify --folder downloaded/ --key share-release-keys.json",
    "release verify --replay",
  ])
    .argument("[release]", `${RELEASE_NAMES}; the active one if not given`)
    .option(
      "--folder <dir>",
      "a folder with a release, such as a downloaded copy; the argument is then the digest it should have",
    )
    .addOption(keyOption)
    .option("--rescore", "compute scores, aggregates and pages again from the published evidence, and compare")
    .option("--replay", "build it again from the raw payloads of the store, and compare")
    .option("--exclude-researchers <file>", "with --replay: the list the release was built with")
    .option("--ror <file>", "with --replay: the ROR dump the release was built with")
    .option("--citations <file>", "with --replay: the citations the release was built with")
    .addOption(threadsOption)
    .addOption(memoryOption("the release's tables"))
    .action(async (digest: string | undefined, options: VerifyOptions) => {
      const { folder, wanted } = await placeOf(digest, options);
      const keys = await keysOf(options.key, storeOf(options));
      const { threads, memory } = options;
      const settings = { threads, memory, rescore: options.rescore === true, keys };
      const predecessors = storeOf(options);
      const result = await withEffects(async (effects) => {
        const verification = await verifyFolder(folder, wanted, { ...settings, predecessors }, effects);
        if (verification === null) throw new CommandFailed(`${folder} is no release: it has no release.json`);
        const replayed = options.replay ? await replayOf(folder, options, effects) : NOTHING;
        return {
          ...verification,
          findings: [...verification.findings, ...replayed.findings],
          unproven: [...new Set([...verification.unproven, ...replayed.unproven])].sort(),
        };
      }, planOf(options));
      print(result, options);
      if (result.findings.length > 0) process.exitCode = FAILED;
    });
}

/** What part of the time each step takes, about: of a replay the build is nearly all. */
function planOf({ rescore, replay: again }: VerifyOptions): Plan {
  const own = { verify: 0.5, tables: 0.5 };
  if (again)
    return { ...share(own, 0.1), ...(rescore ? { rescore: 0.1 } : {}), ...share(BUILD_PLAN, rescore ? 0.8 : 0.9) };
  return rescore ? RESCORE_PLAN : own;
}

function share(plan: Plan, part: number): Plan {
  return Object.fromEntries(Object.entries(plan).map(([stage, each]) => [stage, each * part]));
}

/** Where the release lies, and what it should be. */
async function placeOf(digest: string | undefined, options: VerifyOptions) {
  if (options.folder !== undefined) {
    const folder = resolve(plainPath("--folder", options.folder));
    const there = await stat(folder).catch(() => null);
    if (there === null || !there.isDirectory()) throw new CommandFailed(`--folder ${folder} is not a folder`);
    if (digest !== undefined && !/^sha256[:-][0-9a-f]{64}$/.test(digest)) {
      throw new UsageError("with --folder, give the whole digest: sha256: and 64 hex digits");
    }
    return { folder, wanted: digest?.replace("-", ":") ?? null };
  }
  const store = existingStoreOf(options);
  const wanted = await wantedRelease(store, digest);
  return { folder: store.release(wanted), wanted };
}

const NOTHING: Replayed = { findings: [], unproven: [] };

async function replayOf(folder: string, options: VerifyOptions, effects: Effects): Promise<Replayed> {
  const receipt = await readReceipt(folder);
  if (receipt === null) return NOTHING;
  const lack = Object.keys(receipt.enrichments).find((name) => !(name in options));
  if (lack !== undefined) throw new UsageError(`the release was built with --${lack}: give that file to replay it`);
  if (receipt.withheld.count > 0 && options.excludeResearchers === undefined) {
    throw new UsageError("the release was built with --exclude-researchers: give that file to replay it");
  }
  const { ror, citations, excludeResearchers, threads, memory } = options;
  const given = {
    withheld: excludeResearchers === undefined ? [] : await readWithheld(excludeResearchers),
    ror: ror === undefined ? null : await readableFile("--ror", plainPath("--ror", ror)),
    citations: citations === undefined ? null : await readableFile("--citations", plainPath("--citations", citations)),
  };
  return replay(folder, receipt, storeOf(options), { ...given, threads, memory, scratch: null }, effects);
}

function print(result: Verification, { json }: VerifyOptions): void {
  if (json) {
    for (const finding of result.findings) printLines(JSON.stringify(finding));
    printLines(JSON.stringify({ ...result, findings: result.findings.length }));
    return;
  }
  for (const finding of result.findings) printLines(`${finding.check}: ${finding.detail}`);
  if (result.renderedBy !== null)
    printLines(
      `rendered by version ${result.renderedBy}: pages that this one renders otherwise are not proven, and not false`,
    );
  if (result.retraction !== null)
    printLines(`retracted at ${result.retraction.retractedAt}: ${result.retraction.reason}`);
  if (result.unproven.length > 0)
    printLines(`not proven by what is here, only by a signature: ${result.unproven.join(", ")}`);
  const verdict =
    result.findings.length === 0 ? "holds" : `does not hold: ${plural(result.findings.length, "finding")}`;
  printLines(
    `${result.releaseDigest} ${verdict} (${plural(result.files, "file")}, ${plural(result.bytes, "byte")}, ${plural(result.scores, "score")})`,
  );
}
