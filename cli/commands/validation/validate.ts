/** share-release validate: a release against another judge's scores, or against what a person found. */

import { type Command, Option } from "commander";
import { validateAgainst } from "../../../operations/judging/against.ts";
import { validateCoded } from "../../../operations/judging/coded.ts";
import { releaseTablePaths } from "../../../pipeline/pages/tables.ts";
import { requireReadable } from "../../../pipeline/store/release-format.ts";
import { findRelease } from "../../../pipeline/store/releases.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import { existingStoreOf } from "../../options/existing-store.ts";
import { UsageError } from "../../options/exit-codes.ts";
import { plainPath } from "../../options/plain-path.ts";
import { readableFile } from "../../options/readable-file.ts";
import { command, countArgument, printResult, type SharedOptions, threadsOption } from "../../options/shared.ts";
import { wantedRelease } from "../../options/wanted-release.ts";
import { againstText, codedText } from "../../text/judging-text.ts";

interface ValidateOptions extends SharedOptions {
  readonly against?: string;
  readonly coded?: string;
  readonly release?: string;
  readonly rubric?: PublicVersion;
  readonly list?: number;
  readonly threads: number;
}

/** Disagreements listed where nobody says how many. */
const LISTED = 20;

export function validateCommand(): Command {
  return command("validate", "hold a release against another judge's scores, or against what a person found by hand", [
    "validate --against fuji.csv",
    "validate --against panel.ndjson --rubric 1.0 --list 50 --json",
    "validate --coded sheet.csv --release 3f9c71",
  ])
    .option("--against <file>", "CSV or JSON Lines of another judge's scores: doi (or identifier) and score")
    .option("--coded <file>", "CSV of a sheet that was coded by hand: identifier, rubric, S1 to E5")
    .option("--release <digest>", "of this release; of the active one if not given")
    .addOption(
      new Option("--rubric <version>", "with --against: public version, 2.0 if not given").choices(PUBLIC_VERSIONS),
    )
    .option(
      "--list <n>",
      `with --against: the largest disagreements to list, ${LISTED} if not given`,
      countArgument(0, 10_000),
    )
    .addOption(threadsOption)
    .action(async (options: ValidateOptions) => {
      const { against, coded } = options;
      if ((against === undefined) === (coded === undefined)) {
        throw new UsageError("give --against FILE or --coded FILE, one of them");
      }
      for (const name of ["rubric", "list"] as const) {
        if (coded !== undefined && options[name] !== undefined) throw new UsageError(`--${name} goes with --against`);
      }
      const given = async (option: string, path: string) => readableFile(option, plainPath(option, path));
      const path = against === undefined ? await given("--coded", coded ?? "") : await given("--against", against);
      const store = existingStoreOf(options);
      const receipt = await findRelease(store, await wantedRelease(store, options.release));
      requireReadable(receipt);
      const { releaseDigest } = receipt;
      const tables = releaseTablePaths(store.release(releaseDigest));
      const { threads, rubric = "2.0", list: listed = LISTED } = options;
      if (against === undefined) {
        printResult(options, { releaseDigest, ...(await validateCoded(tables, path, { threads })) }, codedText);
        return;
      }
      const found = await validateAgainst(tables, path, { threads, rubric: published(receipt, rubric), listed });
      printResult(options, { releaseDigest, ...found }, againstText);
    });
}

/** @throws UsageError where the release was not scored under it */
function published({ rubrics }: Awaited<ReturnType<typeof findRelease>>, rubric: PublicVersion): PublicVersion {
  if (rubrics.some(({ version }) => version === rubric)) return rubric;
  throw new UsageError(
    `the release has no scores under ${rubric}; it has ${rubrics.map(({ version }) => version).join(", ")}`,
  );
}
