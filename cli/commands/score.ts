/** share-release score: scores datasets by their identifiers, and drafts of metadata without network access. */

import { appendFile, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { type Command, Option } from "commander";
import { NoDraft, sourcesOfDraft, whyNoDraft } from "../../pipeline/evaluate/draft.ts";
import type { Evaluation } from "../../pipeline/evaluate/evaluation.ts";
import { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import { scoreDraft } from "../../pipeline/evaluate/scorer.ts";
import { type Identifier, parseIdentifier, type Refusal, recordOf } from "../../pipeline/parse-identifier.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { LARGEST_DRAFT } from "../../schemas/public/api/evaluation.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { effectsWithFetch } from "../options/effects.ts";
import { emailOf } from "../options/environment.ts";
import { CommandFailed, DONE_WITH_REJECTIONS, FAILED, UsageError } from "../options/exit-codes.ts";
import { knownSource, sourceNames } from "../options/known-source.ts";
import { command, countArgument, plainPath, printResult, type SharedOptions, today } from "../options/shared.ts";
import {
  type CheckResult,
  checkResultsMarkdown,
  checkResultsText,
  evaluationText,
  type Guess,
  guessText,
} from "../terminal/score-text.ts";
import { paint, printPainted } from "../terminal/text.ts";

export interface ScoreOptions extends SharedOptions {
  readonly source?: string;
  readonly rubric: string;
  readonly list?: string;
  readonly minScore?: number;
  readonly summary?: string;
  readonly upstream: readonly string[];
}

export function scoreCommand(): Command {
  return command("score", "Score datasets, or metadata files without network access, and show the next steps", [
    "score 10.5281/zenodo.3678326",
    "score https://clinicaltrials.gov/study/NCT04280705 --rubric 1.0",
    "score draft.json --source zenodo",
    "score .zenodo.json --min-score 60",
    "score --list dois.csv",
    'score datacite.json dataset_description.json --summary "$GITHUB_STEP_SUMMARY"',
  ])
    .argument(
      "[datasets...]",
      "DOI, accession number, <source>/<id> or URL of a dataset, or a metadata file: .zenodo.json, datacite.json, dataset_description.json, EML, RO-Crate, CITATION.cff of a dataset, or the format of a source",
    )
    .option("--source <name>", "Source of the dataset or metadata file (default: found from the name or the format)")
    .addOption(contractOption)
    .option(
      "--list <file>",
      "Look up the published scores of the identifiers in this file: a CSV file, or one identifier per line",
    )
    .option(
      "--min-score <total>",
      "Fail if a score is lower or unknown, and print one line per dataset",
      countArgument(0, 100),
    )
    .option("--summary <file>", "Append a Markdown table to this file, and print one line per dataset")
    .addOption(new Option("--upstream <name=url...>", "URLs of services, for tests").default([]).hideHelp())
    .addHelpText(
      "after",
      "\nFor one dataset, the command explains the score in detail. For several, it prints one line for each.",
    )
    .action(async (inputs: string[], options: ScoreOptions) => {
      if ((inputs.length === 0) === (options.list === undefined)) {
        throw new UsageError("give datasets, or a file of identifiers with --list");
      }
      if (options.list !== undefined) {
        // A list needs packages of the server, which the GitHub action does not install.
        const { lookUpList } = await import("./score-list.ts");
        return lookUpList(options.list, options);
      }
      const contract = contractNamed(options.rubric);
      const [input = ""] = inputs;
      const isList = inputs.length > 1 || options.minScore !== undefined || options.summary !== undefined;
      if (isList) return checkAll(inputs, contract, options);
      const evaluation = await scoringWith(options, (score) => score(input, contract));
      printResult(options, evaluation, (done) => scoredText(done, contract), printPainted);
      if (evaluation.outcome === "failed") process.exitCode = FAILED;
      else if (evaluation.record === null) process.exitCode = DONE_WITH_REJECTIONS;
    });
}

/** An evaluation. For a draft without --source, it has the part of the file by which its source was recognised. */
type Scored = Evaluation & { readonly sourceGuessedBy?: Guess };
type Score = (input: string, contract: Rubric) => Promise<Scored>;

async function scoringWith<T>(options: ScoreOptions, work: (score: Score) => Promise<T>): Promise<T> {
  const upstreams = upstreamsOf(options.upstream);
  const source = options.source === undefined ? null : knownSource(options.source);
  let opening: ReturnType<typeof openEvaluator> | null = null;
  const score: Score = async (input, { contract }) => {
    const parsed = await parseInput(input, source);
    try {
      if ("file" in parsed) {
        const evaluation = await scoreDraft(parsed.source, parsed.file, contract, today());
        return parsed.guessedBy === null ? evaluation : { ...evaluation, sourceGuessedBy: parsed.guessedBy };
      }
      opening ??= openEvaluator(upstreams);
      const { evaluator } = await opening;
      return await evaluator.evaluate(parsed, contract);
    } catch (error) {
      if (error instanceof NoDraft) throw new CommandFailed(`${input} ${error.message}`);
      if (error instanceof EvaluationError) throw new CommandFailed(error.message, { cause: error });
      throw error;
    }
  };
  try {
    return await work(score);
  } finally {
    const opened = await (opening as ReturnType<typeof openEvaluator> | null);
    await opened?.close();
  }
}

/** Opens an evaluator for identifiers. It and its network are loaded here, because files need neither. */
async function openEvaluator(upstreams: Readonly<Record<string, string>>) {
  const { Evaluator } = await import("../../pipeline/evaluate/index.ts");
  const { guardedFetch } = await import("../../server/http/guarded-fetch.ts");
  const outbound = guardedFetch({ allow: Object.values(upstreams) });
  const options = { contact: emailOf(), upstreams, workers: { size: 1 } };
  const evaluator = new Evaluator(options, effectsWithFetch(outbound.fetch));
  return {
    evaluator,
    close: async () => {
      await evaluator.close();
      await outbound.close();
    },
  };
}

function scoredText(scored: Scored, contract: Rubric): string {
  const text = evaluationText(scored, contract, paint);
  const { identifier, sourceGuessedBy } = scored;
  if (sourceGuessedBy === undefined) return text;
  const [source] = identifier.split("/");
  return `${text}\n\nRead as a record of ${source}, ${guessText(sourceGuessedBy)}.\nChoose another with --source.`;
}

async function parseInput(input: string, source: Source | null): Promise<DraftFile | Identifier> {
  const draft = await draftFile(input, source);
  if (draft !== null) return draft;
  const parsed: Identifier | Refusal = source === null ? parseIdentifier(input) : recordOf(source, input);
  if (parsed.kind !== "refused") return parsed;
  throw parsed.refusal === "malformed" ? new UsageError(parsed.reason) : new CommandFailed(parsed.reason);
}

/** Prints one line for each input. If one fails, the others are still processed. */
async function checkAll(inputs: readonly string[], contract: Rubric, options: ScoreOptions): Promise<void> {
  const least = options.minScore ?? null;
  const summary = options.summary === undefined ? null : plainPath("--summary", options.summary);
  const checked = await scoringWith(options, async (score) => {
    const results: CheckResult[] = [];
    for (const input of inputs) {
      try {
        results.push(resultOf(input, await score(input, contract), least));
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof CommandFailed)) throw error;
        results.push(failedResult(input, error.message));
      }
    }
    return results;
  });
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

function resultOf(
  input: string,
  { identifier, outcome, record, reason, improvements, sourceGuessedBy }: Scored,
  least: number | null,
): CheckResult {
  const [source = ""] = identifier.split("/");
  const total = record?.score?.total ?? null;
  const cap = record?.cap ?? null;
  const passed = least === null ? record !== null : total !== null && total >= least;
  const problem = total === null ? problemOf(outcome, reason, record?.scoreStatus ?? null) : null;
  return { input, source, guess: sourceGuessedBy ?? null, total, cap, passed, problem, improvements };
}

function problemOf(outcome: Evaluation["outcome"], reason: string | null, status: string | null): string {
  if (status === "insufficient_evidence") return "too few signals could be judged for a score";
  if (outcome === "tombstone") return `no longer public: ${reason ?? "the source states no reason"}`;
  if (outcome === "failed") return `unreadable: ${reason ?? "the payload is damaged"}`;
  return `not a dataset: ${reason ?? "the metadata state no type"}`;
}

function upstreamsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", url = ""] = pair.split("=");
      if (!URL.canParse(url)) throw new UsageError(`--upstream ${pair}: give name=url`);
      return [name, new URL(url).origin];
    }),
  );
}

export interface DraftFile {
  readonly source: Source;
  /** The part of the file by which the source was recognised; null if the user chose it. */
  readonly guessedBy: Guess | null;
  readonly file: Buffer;
}

/** Usual names of metadata files, with their sources. */
const FILE_NAMES: readonly { readonly name: RegExp; readonly source: string }[] = [
  { name: /^\.zenodo\.json$/i, source: "zenodo" },
  { name: /^datacite\.json$/i, source: "datacite" },
  { name: /^dataset_description\.json$/i, source: "openneuro" },
  { name: /^eml\.xml$|\.eml(?:\.xml)?$/i, source: "edi" },
];

/** Matches arguments that look like files: a path, or the extension of a draft. */
const FILE_PATTERN = /\.(?:json|xml|eml|cff)$|^(?:\.{0,2}|~)\//i;

/**
 * Returns the draft in a file; null if there is no such file and `path` does not look like one.
 * @throws CommandFailed if the file is missing, too large or not a draft; UsageError if the user must choose a source
 */
export async function draftFile(path: string, source: Source | null): Promise<DraftFile | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    if (FILE_PATTERN.test(path) && !path.includes("://")) throw new CommandFailed(`there is no file ${path}`);
    return null;
  }
  if (!found.isFile()) throw new CommandFailed(`${path} is not a file; give a file with the metadata of one dataset`);
  if (found.size > LARGEST_DRAFT)
    throw new CommandFailed(`${path} has more than ${LARGEST_DRAFT} bytes, the limit of a draft`);
  const file = await readFile(path);
  if (source !== null) return { source, guessedBy: null, file };
  const named = sourceByName(path);
  if (named !== null) return { source: named, guessedBy: "name", file };
  return { source: sourceByFormat(path, file), guessedBy: "format", file };
}

function sourceByName(path: string): Source | null {
  const known = FILE_NAMES.find(({ name }) => name.test(basename(path)));
  return known === undefined ? null : sourceNamed(known.source);
}

/**
 * Returns the source whose format the file has.
 * @throws CommandFailed if no source can read the file; UsageError if the user must choose one
 */
function sourceByFormat(path: string, file: Buffer): Source {
  const names = sourcesOfDraft(file);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  const why = only === undefined ? whyNoDraft(file) : null;
  if (why !== null) throw new CommandFailed(`${path} ${why}`);
  const matches = only === undefined ? "" : ` (it matches ${names.map(({ name }) => name).join(" and ")})`;
  throw new UsageError(`${path} is a draft without a clear source: give --source, one of ${sourceNames()}${matches}`);
}
