/** share-release release verify: compares a release with its receipt. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type Replayed, replay } from "../../releases/replay/index.ts";
import { type Verification, verifyFolder } from "../../releases/verify/index.ts";
import { readExcluded } from "../options/accounts.ts";
import { withEffects } from "../options/effects.ts";
import { CommandFailed, FAILED, UsageError } from "../options/exit-codes.ts";
import { RELEASE_NAMES, releaseOrNewest } from "../options/releases.ts";
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
  return command("verify", "Verify the digests and scores of a release", [
    "release verify",
    "release verify 2026.11.01 --rescore",
    "release verify --folder downloaded/ --key share-release-keys.json",
    "release verify --replay",
  ])
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .option(
      "--folder <dir>",
      "Verify the release in this folder, such as a downloaded copy; the argument is then its expected digest",
    )
    .addOption(keyOption)
    .option("--rescore", "Compute scores, aggregates and pages again from the published evidence, and compare them")
    .option("--replay", "Build the release again from the raw payloads of the store, and compare them")
    .option("--exclude-researchers <file>", "With --replay: list of researchers of the original build")
    .option("--ror <file>", "With --replay: ROR dump of the original build")
    .option("--citations <file>", "With --replay: citations of the original build")
    .addOption(threadsOption)
    .addOption(memoryOption("tables of the release"))
    .action(async (digest: string | undefined, options: VerifyOptions) => {
      const { folder, wanted } = await folderAndDigest(digest, options);
      const keys = await keysOf(options.key, storeOf(options));
      const { threads, memory } = options;
      const settings = { threads, memory, rescore: options.rescore === true, keys };
      const predecessors = storeOf(options);
      const result = await withEffects(async (effects) => {
        const verification = await verifyFolder(folder, wanted, { ...settings, predecessors }, effects);
        if (verification === null) throw new CommandFailed(`${folder} is not a release: it has no release.json`);
        const replayed = options.replay ? await replayOf(folder, options, effects) : NO_REPLAY;
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

/** Returns the approximate shares of the time that the stages take. In a replay, most of it is the build. */
function planOf({ rescore, replay: again }: VerifyOptions): Plan {
  const own = { verify: 0.5, tables: 0.5 };
  if (again)
    return { ...share(own, 0.1), ...(rescore ? { rescore: 0.1 } : {}), ...share(BUILD_PLAN, rescore ? 0.8 : 0.9) };
  return rescore ? RESCORE_PLAN : own;
}

function share(plan: Plan, part: number): Plan {
  return Object.fromEntries(Object.entries(plan).map(([stage, each]) => [stage, each * part]));
}

/** Returns the folder of the release, and its expected digest. */
async function folderAndDigest(digest: string | undefined, options: VerifyOptions) {
  if (options.folder !== undefined) {
    const folder = resolve(plainPath("--folder", options.folder));
    const found = await stat(folder).catch(() => null);
    if (found === null || !found.isDirectory()) throw new CommandFailed(`--folder ${folder} is not a folder`);
    if (digest !== undefined && !/^sha256[:-][0-9a-f]{64}$/.test(digest)) {
      throw new UsageError("with --folder, give the full digest: sha256: and 64 hex digits");
    }
    return { folder, wanted: digest?.replace("-", ":") ?? null };
  }
  const store = existingStoreOf(options);
  const namedDigest = await releaseOrNewest(store, digest);
  return { folder: store.release(namedDigest), wanted: namedDigest };
}

const NO_REPLAY: Replayed = { findings: [], unproven: [] };

async function replayOf(folder: string, options: VerifyOptions, effects: Effects): Promise<Replayed> {
  const receipt = await readReceipt(folder);
  if (receipt === null) return NO_REPLAY;
  const missing = Object.keys(receipt.enrichments).find((name) => !(name in options));
  if (missing !== undefined)
    throw new UsageError(`the release was built with --${missing}: give the same file to replay it`);
  if (receipt.withheld.count > 0 && options.excludeResearchers === undefined) {
    throw new UsageError("the release was built with --exclude-researchers: give the same file to replay it");
  }
  const { ror, citations, excludeResearchers, threads, memory } = options;
  const inputs = {
    withheld: excludeResearchers === undefined ? [] : await readExcluded(excludeResearchers),
    ror: ror === undefined ? null : await readableFile("--ror", plainPath("--ror", ror)),
    citations: citations === undefined ? null : await readableFile("--citations", plainPath("--citations", citations)),
  };
  return replay(folder, receipt, storeOf(options), { ...inputs, threads, memory, scratch: null }, effects);
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
      `rendered by version ${result.renderedBy}: this version cannot verify pages that it renders differently`,
    );
  if (result.retraction !== null)
    printLines(`retracted at ${result.retraction.retractedAt}: ${result.retraction.reason}`);
  if (result.unproven.length > 0) printLines(`only a signature can verify: ${result.unproven.join(", ")}`);
  const verdict =
    result.findings.length === 0 ? "is valid" : `fails verification: ${plural(result.findings.length, "finding")}`;
  printLines(
    `${result.releaseDigest} ${verdict} (${plural(result.files, "file")}, ${plural(result.bytes, "byte")}, ${plural(result.scores, "score")})`,
  );
}
