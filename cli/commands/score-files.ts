/** Scores metadata files and prints the results, for `share-release score` and for the npm package. */

import { appendFile, readFile, stat } from "node:fs/promises";
import type { Command } from "commander";
import { sourceOfFileName } from "../../pipeline/evaluate/draft.ts";
import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import { NoDraft } from "../../pipeline/evaluate/evaluation-error.ts";
import { type DraftInputs, scoreDraft } from "../../pipeline/evaluate/scorer.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { CommandFailed, DONE_WITH_REJECTIONS, FAILED, UsageError } from "../options/exit-codes.ts";
import { sourceNames } from "../options/known-source.ts";
import { countArgument, plainPath, printResult, type SharedOptions, today } from "../options/shared.ts";
import {
  type CheckResult,
  checkResultsMarkdown,
  checkResultsText,
  evaluationText,
  type Guess,
  guessText,
} from "../terminal/score-text.ts";
import { paint, printPainted } from "../terminal/text.ts";

export interface FileOptions extends Pick<SharedOptions, "json"> {
  readonly source?: string;
  readonly rubric: string;
  readonly minScore?: number;
  readonly summary?: string;
}

/** Names of metadata files that are recognised, for the help of commands. */
export const FILES_HELP =
  ".zenodo.json, datacite.json, dataset_description.json, EML, RO-Crate, CITATION.cff of a dataset, or the format of a source";

/** Adds the options for scoring to a command. */
export function withFileOptions(command: Command): Command {
  return command
    .option("--source <name>", "Source of the dataset or metadata file (default: found from the name or the format)")
    .addOption(contractOption)
    .option(
      "--min-score <total>",
      "Fail if a score is lower or unknown, and print one line per dataset",
      countArgument(0, 100),
    )
    .option("--summary <file>", "Append a Markdown table to this file, and print one line per dataset")
    .addHelpText(
      "after",
      "\nFor one dataset, the command explains the score in detail. For several, it prints one line for each.",
    );
}

/**
 * The evaluation of one input. For a draft without --source, `sourceGuessedBy` is how its source was recognised: by
 * file name or format.
 */
export type ScoredInput = ScoredEvaluation & { readonly sourceGuessedBy?: Guess };
export type Score = (input: string, contract: Rubric) => Promise<ScoredInput>;

/** Scores files or identifiers, prints the results, and sets the exit code. */
export async function scoreInputs(inputs: readonly string[], options: FileOptions, score: Score): Promise<void> {
  const contract = contractNamed(options.rubric);
  const [input = ""] = inputs;
  const isList = inputs.length > 1 || options.minScore !== undefined || options.summary !== undefined;
  if (isList) return checkAll(inputs, contract, options, score);
  const evaluation = await score(input, contract);
  printResult(options, evaluation, (done) => scoredText(done, contract), printPainted);
  if (evaluation.outcome === "failed") process.exitCode = FAILED;
  else if (evaluation.record === null) process.exitCode = DONE_WITH_REJECTIONS;
}

/**
 * Scores a metadata file. Returns null if `path` is probably an identifier, because there is no such file and the text
 * does not look like a file name.
 * @throws CommandFailed if the file is missing, too large or not a draft; UsageError if the user must choose a source
 */
export async function scoreFile(
  path: string,
  source: Source | null,
  inputs: Omit<DraftInputs, "asOf">,
): Promise<ScoredInput | null> {
  const draft = await draftFile(path, source);
  if (draft === null) return null;
  const evaluation = await scoreDraft(draft.source, draft.file, { ...inputs, asOf: today() }).catch(
    (error: unknown) => {
      throw draftError(path, error);
    },
  );
  return draft.guessedBy === null ? evaluation : { ...evaluation, sourceGuessedBy: draft.guessedBy };
}

/**
 * Explains to the user why a file could not be read as a draft, with the sources to choose from. Returns any other
 * error unchanged.
 */
export function draftError(path: string, error: unknown): unknown {
  if (!(error instanceof NoDraft)) return error;
  const { message, fitting } = error;
  if (fitting === null) return new CommandFailed(`${path} ${message}`, { cause: error });
  const found =
    fitting.length === 0
      ? "does not have the form of a dataset of any source: if it is one,"
      : `has a form that ${fitting.join(" and ")} share:`;
  return new UsageError(`${path} ${found} give --source, one of ${sourceNames()}`);
}

function scoredText(scored: ScoredInput, contract: Rubric): string {
  const text = evaluationText(scored, contract, paint);
  const { identifier, sourceGuessedBy } = scored;
  if (sourceGuessedBy === undefined) return text;
  const [source] = identifier.split("/");
  return `${text}\n\nRead as a record of ${source}, ${guessText(sourceGuessedBy)}.\nChoose another with --source.`;
}

/** Prints one line for each input. If one of them fails, continues with the others. */
async function checkAll(
  inputs: readonly string[],
  contract: Rubric,
  options: FileOptions,
  score: Score,
): Promise<void> {
  const least = options.minScore ?? null;
  const summary = options.summary === undefined ? null : plainPath("--summary", options.summary);
  const checked: CheckResult[] = [];
  for (const input of inputs) {
    try {
      checked.push(makeResult(input, await score(input, contract), least));
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof CommandFailed)) throw error;
      checked.push(failedResult(input, error.message));
    }
  }
  if (summary !== null) await appendFile(summary, `${checkResultsMarkdown(checked, least)}\n`);
  printResult(options, { contract: contract.contract, atLeast: least, results: checked }, () =>
    checkResultsText(checked, least),
  );
  if (checked.some(({ passed }) => !passed)) process.exitCode = FAILED;
}

function failedResult(input: string, message: string): CheckResult {
  const problem = message.startsWith(`${input} `) ? message.slice(input.length + 1) : message;
  return { input, source: null, guess: null, total: null, cap: null, passed: false, problem, improvements: [] };
}

function makeResult(
  input: string,
  { identifier, outcome, record, reason, improvements, sourceGuessedBy }: ScoredInput,
  least: number | null,
): CheckResult {
  const [source = ""] = identifier.split("/");
  const total = record?.score?.total ?? null;
  const cap = record?.cap ?? null;
  const passed = least === null ? record !== null : total !== null && total >= least;
  const problem = total === null ? describeProblem(outcome, reason, record?.scoreStatus ?? null) : null;
  return { input, source, guess: sourceGuessedBy ?? null, total, cap, passed, problem, improvements };
}

function describeProblem(outcome: ScoredEvaluation["outcome"], reason: string | null, status: string | null): string {
  if (status === "insufficient_evidence") return "too few signals could be judged for a score";
  if (outcome === "tombstone") return `no longer public: ${reason ?? "the source states no reason"}`;
  if (outcome === "failed") return `unreadable: ${reason ?? "the payload is damaged"}`;
  return `not a dataset: ${reason ?? "the metadata state no type"}`;
}

interface DraftFile {
  /** The source whose format the file has; null if its format is yet to be recognised. */
  readonly source: Source | null;
  /** How the source was recognised: by file name or by format. Null if the user chose the source. */
  readonly guessedBy: Guess | null;
  readonly file: Uint8Array;
}

/** Matches arguments that look like files: they contain a path, or end with the extension of a metadata file. */
const FILE_PATTERN = /\.(?:json|xml|eml|cff)$|^(?:\.{0,2}|~)\//i;

/**
 * Reads the draft in a file. Returns null if `path` is probably an identifier, because there is no such file and the
 * text does not look like a file name.
 * @throws CommandFailed if the file is missing or too large
 */
export async function draftFile(path: string, source: Source | null): Promise<DraftFile | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    if (FILE_PATTERN.test(path) && !path.includes("://"))
      throw new CommandFailed(`there is no file ${path}; check the path`);
    return null;
  }
  if (!found.isFile()) throw new CommandFailed(`${path} is not a file; give a file with the metadata of one dataset`);
  if (found.size > MAX_DRAFT_BYTES)
    throw new CommandFailed(
      `${path} has more than ${MAX_DRAFT_BYTES} bytes, the limit of a metadata file; give the metadata of one dataset`,
    );
  const file = await readFile(path);
  if (source !== null) return { source, guessedBy: null, file };
  const named = sourceOfFileName(path);
  if (named !== null) return { source: named, guessedBy: "name", file };
  return { source: null, guessedBy: "format", file };
}
