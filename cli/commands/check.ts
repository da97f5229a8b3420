/** share-release check: drafts in a repository, scored without network, against a least total. */

import { appendFile } from "node:fs/promises";
import type { Command } from "commander";
import { NoDraft } from "../../pipeline/evaluate/draft.ts";
import type { Evaluation } from "../../pipeline/evaluate/evaluation.ts";
import { Evaluator } from "../../pipeline/evaluate/index.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { knownSource } from "../options/asked-source.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { draftFile } from "../options/draft-file.ts";
import { effectsOver } from "../options/effects.ts";
import { FAILED, UsageError } from "../options/exit-codes.ts";
import { plainPath } from "../options/plain-path.ts";
import { command, countArgument, printResult, type SharedOptions } from "../options/shared.ts";
import { type Checked, checkedMarkdown, checkedText } from "../text/checked-text.ts";

interface CheckOptions extends SharedOptions {
  readonly source?: string;
  readonly rubric: string;
  readonly atLeast?: number;
  readonly summary?: string;
}

export function checkCommand(): Command {
  return command("check", "score drafts of metadata, without network, and fail where one has less than it should", [
    "check .zenodo.json --at-least 60",
    'check datacite.json dataset_description.json --summary "$GITHUB_STEP_SUMMARY"',
  ])
    .argument(
      "<files...>",
      "metadata not deposited yet: .zenodo.json, datacite.json, dataset_description.json, EML, RO-Crate, or as sources take them",
    )
    .option("--source <name>", "the source all of them are meant for; by name and shape of each, if left out")
    .addOption(contractOption)
    .option("--at-least <total>", "fail where a total is lower, or cannot be told", countArgument(0, 100))
    .option("--summary <file>", "add a table in Markdown to this file")
    .action(async (files: string[], options: CheckOptions) => {
      const contract = await contractNamed(options.rubric);
      const summary = options.summary === undefined ? null : plainPath("--summary", options.summary);
      const checked = await checkAll(files, contract, options);
      const least = options.atLeast ?? null;
      if (summary !== null) await appendFile(summary, `${checkedMarkdown(checked, least)}\n`);
      printResult(options, { contract: contract.contract, atLeast: least, files: checked }, () =>
        checkedText(checked, least),
      );
      if (checked.some((file) => !file.passed)) process.exitCode = FAILED;
    });
}

/** One that cannot be read does not keep the others from being told of. */
async function checkAll(files: readonly string[], { contract }: Rubric, options: CheckOptions): Promise<Checked[]> {
  const source = options.source === undefined ? null : knownSource(options.source);
  const evaluator = new Evaluator({ contact: null, workers: { size: 1 } }, effectsOver(asksNobody));
  try {
    const checked: Checked[] = [];
    for (const path of files) {
      try {
        const draft = await draftFile(path, source);
        if (draft === null) throw new UsageError(`there is no file ${path}`);
        const evaluation = await evaluator.draft(draft.source, draft.file, contract);
        checked.push(checkedOf(path, draft.source.name, evaluation, options.atLeast ?? null));
      } catch (error) {
        if (!(error instanceof NoDraft || error instanceof UsageError)) throw error;
        const problem = error.message.startsWith(`${path} `) ? error.message.slice(path.length + 1) : error.message;
        checked.push({ path, source: null, total: null, cap: null, passed: false, problem, improvements: [] });
      }
    }
    return checked;
  } finally {
    await evaluator.close();
  }
}

function checkedOf(
  path: string,
  source: string,
  { record, reason, improvements }: Evaluation,
  least: number | null,
): Checked {
  const total = record?.score?.total ?? null;
  const problem =
    total !== null
      ? null
      : record?.scoreStatus === "insufficient_evidence"
        ? "too little of it can be judged for a total"
        : `it is not a dataset: ${reason ?? "it does not say what it is"}`;
  return {
    path,
    source,
    total,
    cap: record?.cap ?? null,
    passed: least === null ? record !== null : total !== null && total >= least,
    problem,
    improvements,
  };
}

function asksNobody(): Promise<never> {
  return Promise.reject(new Error("a draft asks nobody"));
}
