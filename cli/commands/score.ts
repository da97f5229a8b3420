/** share-release score: scores datasets by their identifiers, or drafts of metadata without network. */

import { appendFile, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { type Command, Option } from "commander";
import { NoDraft, sourcesOfDraft, whyNoDraft } from "../../pipeline/evaluate/draft.ts";
import type { Evaluation } from "../../pipeline/evaluate/evaluation.ts";
import { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import { Evaluator } from "../../pipeline/evaluate/index.ts";
import { type Identifier, parseIdentifier, type Refusal, recordOf } from "../../pipeline/parse-identifier.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { LARGEST_DRAFT } from "../../schemas/public/api/evaluation.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { guardedFetch } from "../../server/http/guarded-fetch.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { effectsOver } from "../options/effects.ts";
import { emailOf } from "../options/environment.ts";
import { CommandFailed, DONE_WITH_REFUSALS, FAILED, UsageError } from "../options/exit-codes.ts";
import { command, countArgument, plainPath, printResult, type SharedOptions } from "../options/shared.ts";
import { knownSource, sourceNames } from "../options/sources.ts";
import { type Checked, checkedMarkdown, checkedText, evaluationText } from "../terminal/score-text.ts";
import { paint, printPainted } from "../terminal/text.ts";

interface ScoreOptions extends SharedOptions {
  readonly source?: string;
  readonly rubric: string;
  readonly minScore?: number;
  readonly summary?: string;
  readonly upstream: readonly string[];
}

export function scoreCommand(): Command {
  return command("score", "score datasets now, or files of metadata without network, and show what would add points", [
    "score 10.5281/zenodo.3678326",
    "score https://clinicaltrials.gov/study/NCT04280705 --rubric 1.0",
    "score draft.json --source zenodo",
    "score .zenodo.json --min-score 60",
    'score datacite.json dataset_description.json --summary "$GITHUB_STEP_SUMMARY"',
  ])
    .argument(
      "<what...>",
      "a DOI, an accession, <source>/<id> or a landing page; or a draft: .zenodo.json, datacite.json, dataset_description.json, EML, RO-Crate, or metadata as sources take it",
    )
    .option("--source <name>", "the source a draft is for, or the one to ask; by name and shape of a draft without")
    .addOption(contractOption)
    .option("--min-score <total>", "fail if a total is lower or unknown; prints a line for each", countArgument(0, 100))
    .option("--summary <file>", "add a table in Markdown to this file; prints a line for each")
    .addOption(new Option("--upstream <name=address...>", "for tests: where services listen").default([]).hideHelp())
    .addHelpText("after", "\nA single dataset or draft is explained in full; several get a line each.")
    .action(async (all: string[], options: ScoreOptions) => {
      const contract = await contractNamed(options.rubric);
      const [what = ""] = all;
      const inLines = all.length > 1 || options.minScore !== undefined || options.summary !== undefined;
      if (inLines) return checkAll(all, contract, options);
      const evaluation = await scoringWith(options, (score) => score(what, contract));
      printResult(options, evaluation, (done) => evaluationText(done, contract, paint), printPainted);
      if (evaluation.outcome === "failed") process.exitCode = FAILED;
      else if (evaluation.record === null) process.exitCode = DONE_WITH_REFUSALS;
    });
}

type Score = (what: string, contract: Rubric) => Promise<Evaluation>;

/** Runs `work` with a function that scores one dataset or draft; a draft needs no network. */
async function scoringWith<T>(options: ScoreOptions, work: (score: Score) => Promise<T>): Promise<T> {
  const upstreams = upstreamsOf(options.upstream);
  const source = options.source === undefined ? null : knownSource(options.source);
  const outbound = guardedFetch({ allow: Object.values(upstreams) });
  const effects = effectsOver(outbound.fetch);
  let evaluator: Evaluator | null = null;
  const score: Score = async (what, { contract }) => {
    const given = await inputOf(what, source);
    const contact = "file" in given ? null : emailOf();
    evaluator ??= new Evaluator({ contact, upstreams, workers: { size: 1 } }, effects);
    try {
      if ("file" in given) return await evaluator.draft(given.source, given.file, contract);
      return await evaluator.evaluate(given, contract);
    } catch (error) {
      if (error instanceof NoDraft) throw new UsageError(`${what} ${error.message}`);
      if (error instanceof EvaluationError) throw new CommandFailed(error.message, { cause: error });
      throw error;
    }
  };
  try {
    return await work(score);
  } finally {
    await (evaluator as Evaluator | null)?.close();
    await outbound.close();
  }
}

async function inputOf(what: string, source: Source | null): Promise<DraftFile | Identifier> {
  const draft = await draftFile(what, source);
  if (draft !== null) return draft;
  const parsed: Identifier | Refusal = source === null ? parseIdentifier(what) : recordOf(source, what);
  if (parsed.kind !== "refused") return parsed;
  throw parsed.refusal === "malformed" ? new UsageError(parsed.reason) : new CommandFailed(parsed.reason);
}

/** Prints a line for each. One that cannot be scored does not end the others. */
async function checkAll(all: readonly string[], contract: Rubric, options: ScoreOptions): Promise<void> {
  const least = options.minScore ?? null;
  const summary = options.summary === undefined ? null : plainPath("--summary", options.summary);
  const checked = await scoringWith(options, async (score) => {
    const results: Checked[] = [];
    for (const what of all) {
      try {
        results.push(checkedOf(what, await score(what, contract), least));
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof CommandFailed)) throw error;
        results.push(unchecked(what, error.message));
      }
    }
    return results;
  });
  if (summary !== null) await appendFile(summary, `${checkedMarkdown(checked, least)}\n`);
  printResult(options, { contract: contract.contract, atLeast: least, results: checked }, () =>
    checkedText(checked, least),
  );
  if (checked.some(({ passed }) => !passed)) process.exitCode = FAILED;
}

function unchecked(input: string, message: string): Checked {
  const problem = message.startsWith(`${input} `) ? message.slice(input.length + 1) : message;
  return { input, source: null, total: null, cap: null, passed: false, problem, improvements: [] };
}

function checkedOf(
  input: string,
  { identifier, outcome, record, reason, improvements }: Evaluation,
  least: number | null,
): Checked {
  const [source = ""] = identifier.split("/");
  const total = record?.score?.total ?? null;
  const cap = record?.cap ?? null;
  const passed = least === null ? record !== null : total !== null && total >= least;
  const problem = total === null ? problemOf(outcome, reason, record?.scoreStatus ?? null) : null;
  return { input, source, total, cap, passed, problem, improvements };
}

function problemOf(outcome: Evaluation["outcome"], reason: string | null, status: string | null): string {
  if (status === "insufficient_evidence") return "too little of it can be judged for a total";
  if (outcome === "tombstone") return `it is no longer public: ${reason ?? "its source does not say why"}`;
  if (outcome === "failed") return `it cannot be read: ${reason ?? "its payload is damaged"}`;
  return `it is not a dataset: ${reason ?? "it does not say what it is"}`;
}

function upstreamsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", address = ""] = pair.split("=");
      if (!URL.canParse(address)) throw new UsageError(`--upstream ${pair}: give name=address`);
      return [name, new URL(address).origin];
    }),
  );
}

export interface DraftFile {
  readonly source: Source;
  readonly file: Buffer;
}

/** Names that files of metadata have beside the data of a repository, and where each is read. */
const BY_NAME: readonly { readonly name: RegExp; readonly source: string }[] = [
  { name: /^\.zenodo\.json$/i, source: "zenodo" },
  { name: /^datacite\.json$/i, source: "datacite" },
  { name: /^dataset_description\.json$/i, source: "openneuro" },
  { name: /^eml\.xml$|\.eml(?:\.xml)?$/i, source: "edi" },
];

/** Matches arguments that are files: the extension of a draft, or a path. */
const LIKE_A_FILE = /\.(?:json|xml|eml)$|^(?:\.{0,2}|~)\//i;

/** The file called `what`, or null where there is none and it may be something else. */
export async function draftFile(what: string, source: Source | null): Promise<DraftFile | null> {
  const found = await stat(what).catch(() => null);
  if (found === null) {
    if (LIKE_A_FILE.test(what) && !what.includes("://")) throw new UsageError(`there is no file ${what}`);
    return null;
  }
  if (!found.isFile()) throw new UsageError(`${what} is no file; give a file with the metadata of one record`);
  if (found.size > LARGEST_DRAFT)
    throw new UsageError(`${what} has more than ${LARGEST_DRAFT} bytes, the limit of a draft`);
  const file = await readFile(what);
  return { source: source ?? byName(what) ?? recognised(what, file), file };
}

function byName(what: string): Source | null {
  const known = BY_NAME.find(({ name }) => name.test(basename(what)));
  return known === undefined ? null : sourceNamed(known.source);
}

/** The source whose shape a file has, where it is that of one alone. */
function recognised(what: string, file: Buffer): Source {
  const names = sourcesOfDraft(file);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  const why = only === undefined ? whyNoDraft(file) : null;
  if (why !== null) throw new UsageError(`${what} ${why}`);
  const like = only === undefined ? "" : ` (it could be for ${names.map(({ name }) => name).join(" or ")})`;
  throw new UsageError(`${what} is a draft: say with --source whose, one of ${sourceNames()}${like}`);
}
