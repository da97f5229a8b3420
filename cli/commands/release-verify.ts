/** share-release release verify: compares a release with its receipt. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type Verification, verifyFolder } from "../../releases/verify/index.ts";
import type { UnpublishedInputs } from "../../releases/verify/rebuild.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { readExcluded } from "../options/accounts.ts";
import { withEffects } from "../options/effects.ts";
import { CommandFailed, FAILED, PARTLY_VERIFIED, UsageError } from "../options/exit-codes.ts";
import { RELEASE_NAMES, releaseOrNewest } from "../options/releases.ts";
import {
  command,
  memoryOption,
  openChosenStore,
  openExistingStore,
  plainPath,
  readableFile,
  type SharedOptions,
  threadsOption,
} from "../options/shared.ts";
import { keyOption, readTrustedKeys } from "../options/signing.ts";
import { REBUILD_PLAN } from "../terminal/progress.ts";
import { printLines } from "../terminal/text.ts";

interface VerifyOptions extends SharedOptions {
  readonly folder?: string;
  readonly threads: number;
  readonly memory: string | null;
  readonly key?: string;
  readonly rebuild?: true;
  readonly from?: "raw" | "tables";
  readonly excludeResearchers?: string;
  readonly ror?: string;
  readonly citations?: string;
}

export function verifyCommand(): Command {
  return command("verify", "Verify the digests and scores of a release", [
    "release verify",
    "release verify 2026.11.01 --rebuild",
    "release verify --folder downloaded/ --key share-release-keys.json",
  ])
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .option(
      "--folder <dir>",
      "Verify the release in this folder, such as a downloaded copy; the argument is then its expected digest",
    )
    .addOption(keyOption)
    .option(
      "--rebuild",
      "Make the release again, from raw payloads if the store has any of its sources, else from its tables, and compare every file",
    )
    .addOption(
      new Option(
        "--from <origin>",
        "With --rebuild: start from raw payloads or from the tables of the release, instead of what the store has",
      ).choices(["raw", "tables"]),
    )
    .option("--exclude-researchers <file>", "With --rebuild: list of researchers of the original build")
    .option("--ror <file>", "With --rebuild: ROR dump of the original build")
    .option("--citations <file>", "With --rebuild: citations of the original build")
    .addOption(threadsOption())
    .addOption(memoryOption("tables of the release"))
    .action(async (digest: string | undefined, options: VerifyOptions) => {
      const { folder, wanted } = await folderAndDigest(digest, options);
      const keys = await readTrustedKeys(options.key, openChosenStore(options));
      const receipt = await readReceipt(folder).catch(() => null);
      const rebuild =
        options.rebuild === true ? { from: options.from ?? null, inputs: await readUnpublishedInputs(options) } : null;
      const { threads, memory } = options;
      const settings = { threads, memory, rebuild, keys, predecessors: openChosenStore(options) };
      const plan = options.rebuild === true ? REBUILD_PLAN : { verify: 0.5, tables: 0.5 };
      const verification = await withEffects((effects) => verifyFolder(folder, wanted, settings, effects), plan);
      if (verification === null)
        throw new CommandFailed(
          `${folder} is not a release, because it has no release.json; give the folder of a complete release`,
        );
      print(verification, receipt, options);
      if (verification.findings.length > 0) process.exitCode = FAILED;
      else if (isPartial(verification)) process.exitCode = PARTLY_VERIFIED;
    });
}

async function readUnpublishedInputs({
  ror,
  citations,
  excludeResearchers,
}: VerifyOptions): Promise<UnpublishedInputs> {
  return {
    withheld: excludeResearchers === undefined ? [] : await readExcluded(excludeResearchers),
    ror: ror === undefined ? null : await readableFile("--ror", plainPath("--ror", ror)),
    citations: citations === undefined ? null : await readableFile("--citations", plainPath("--citations", citations)),
  };
}

/** True if the release was compared with a rebuild, but some of its parts could not be compared. */
function isPartial({ rebuilt, unproven }: Verification): boolean {
  return rebuilt !== null && (unproven.length > 0 || rebuilt.notFromRaw !== null);
}

/** Returns the folder of the release to verify, and the digest that it should have. */
async function folderAndDigest(digest: string | undefined, options: VerifyOptions) {
  if (options.folder !== undefined) {
    const folder = resolve(plainPath("--folder", options.folder));
    const found = await stat(folder).catch(() => null);
    if (found === null || !found.isDirectory())
      throw new CommandFailed(
        `--folder ${folder} is not a folder; give the folder with the release.json of the release`,
      );
    if (digest !== undefined && !/^sha256[:-][0-9a-f]{64}$/.test(digest)) {
      throw new UsageError("with --folder, give the full digest: sha256: and 64 hex digits");
    }
    return { folder, wanted: digest?.replace("-", ":") ?? null };
  }
  const store = openExistingStore(options);
  const namedDigest = await releaseOrNewest(store, digest);
  return { folder: store.release(namedDigest), wanted: namedDigest };
}

function print(result: Verification, receipt: Receipt | null, { json }: VerifyOptions): void {
  if (json) {
    for (const finding of result.findings) printLines(JSON.stringify(finding));
    printLines(JSON.stringify({ ...result, findings: result.findings.length }));
    return;
  }
  const { findings, rebuilt, retraction, unproven } = result;
  for (const finding of findings) printLines(`${finding.check}: ${finding.detail}`);
  if (retraction !== null) printLines(`retracted at ${retraction.retractedAt}: ${retraction.reason}`);
  if (rebuilt !== null) {
    printLines(`rebuilt from its ${rebuilt.from}`);
    if (rebuilt.notFromRaw !== null) printLines(`not compared: ${FROM_RAW}, because ${rebuilt.notFromRaw}`);
  }
  if (unproven.length > 0) {
    const files = unproven.join(", ");
    printLines(
      rebuilt === null
        ? `not covered by the release digest: ${files}. Verify them with --rebuild or a trusted key.`
        : `not compared: ${files}. Verify them with a trusted key (--key).`,
    );
  }
  const counts = [plural(result.files, "file"), plural(result.bytes, "byte"), plural(result.scores, "score")];
  printLines(`${result.releaseDigest} ${verdictText(result, receipt)} (${counts.join(", ")})`);
}

/** Names the parts of a release that only raw payloads and harvest logs can prove, for a message. */
const FROM_RAW =
  "evidence and other rows of records, creators and affiliations, and the counts, readers and harvests of the sources, with the raw payloads of the store";

function verdictText(result: Verification, receipt: Receipt | null): string {
  const { findings, rebuilt } = result;
  if (findings.length > 0)
    return `fails verification: ${plural(findings.length, "finding")}; restore it from a copy, fetch it again, or build it again`;
  if (rebuilt === null || !isPartial(result)) return "is valid";
  const { version, engine } = receipt?.tool ?? { version: "unknown", engine: "unknown" };
  switch (rebuilt.extent) {
    case "bytes":
      return "is verified up to what was not compared";
    case "digests":
      return `is verified up to what was not compared: ${engine} built it, which writes other bytes`;
    case "rows":
      return `is verified up to its scores and aggregates: version ${version} with other rules or readers built it`;
    default:
      return rebuilt.extent satisfies never;
  }
}
