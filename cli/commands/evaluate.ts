/** share-release evaluate: one score now, explained; of a dataset by its identifier, or of a draft, without network. */

import { readFile, stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import { NoDraft } from "../../evaluate/draft.ts";
import type { Evaluation } from "../../evaluate/evaluation.ts";
import { EvaluationError } from "../../evaluate/evaluation-error.ts";
import { Evaluator } from "../../evaluate/index.ts";
import { sourcesOfDraft } from "../../pipeline/1-harvest/recorded/sources-of-draft.ts";
import { type Identifier, parseIdentifier, type Refusal, recordOf } from "../../pipeline/identifiers/parse.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { LARGEST_DRAFT } from "../../schemas/public/api/evaluation.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type Rubric } from "../../schemas/public/rubric.ts";
import { guardedFetch } from "../../server/outbound/guarded-fetch.ts";
import { knownSource, sourceNames } from "../options/asked-source.ts";
import { contactOf } from "../options/contact.ts";
import { sleep } from "../options/effects.ts";
import { CommandFailed, DONE_WITH_REFUSALS, FAILED, UsageError } from "../options/exit-codes.ts";
import { command, printResult, type SharedOptions } from "../options/shared.ts";
import { evaluationText } from "../text/evaluation-text.ts";
import { logLine } from "../text/log-line.ts";
import { paint, printPainted } from "../text/terminal-text.ts";

interface EvaluateOptions extends SharedOptions {
  readonly source?: string;
  readonly rubric: string;
  readonly upstream: readonly string[];
}

export function evaluateCommand(): Command {
  return command("evaluate", "score one dataset now and say what would add points; a file is a draft, scored offline", [
    "evaluate 10.5281/zenodo.3678326",
    "evaluate https://clinicaltrials.gov/study/NCT04280705 --rubric 1.0",
    "evaluate draft.json --source zenodo",
  ])
    .argument("<what>", "a DOI, an accession, <source>/<id>, a landing page; or a file of metadata not yet deposited")
    .option("--source <name>", "the source a draft is meant for, or the one to ask")
    .addOption(
      new Option("--rubric <version>", "public version or exact contract")
        .choices([...PUBLIC_VERSIONS, ...CONTRACTS])
        .default(PUBLIC_VERSIONS[0]),
    )
    .addOption(new Option("--upstream <name=address...>", "for tests: where services listen").default([]).hideHelp())
    .action(async (what: string, options: EvaluateOptions) => {
      const contract = await contractNamed(options.rubric);
      const evaluation = await evaluate(what, contract, options);
      printResult(options, evaluation, (done) => evaluationText(done, contract, paint), printPainted);
      if (evaluation.outcome === "failed") process.exitCode = FAILED;
      else if (evaluation.record === null) process.exitCode = DONE_WITH_REFUSALS;
    });
}

async function evaluate(what: string, { contract }: Rubric, options: EvaluateOptions): Promise<Evaluation> {
  const upstreams = upstreamsOf(options.upstream);
  const outbound = guardedFetch({ allow: Object.values(upstreams) });
  const settings = { contact: contactOf(process.env), upstreams };
  // Checked before anything is read or asked.
  const source = options.source === undefined ? null : knownSource(options.source);
  const draft = await draftFile(what, source);
  const identifier = draft === null ? identifierOf(what, source) : null;
  const evaluator = await Evaluator.open(settings, effectsOver(outbound.fetch));
  try {
    if (draft !== null) return await evaluator.draft(draft.source, draft.file, contract);
    if (identifier === null) throw new Error("neither a draft nor an identifier");
    return await evaluator.evaluateIdentifier(identifier, contract);
  } catch (error) {
    if (error instanceof NoDraft) throw new UsageError(`${what} ${error.message}`);
    if (error instanceof EvaluationError) throw new CommandFailed(error.message, { cause: error });
    throw error;
  } finally {
    await evaluator.close();
    await outbound.close();
  }
}

/** Over in a moment: there is no progress to show. */
function effectsOver(fetch: Effects["fetch"]): Effects {
  return {
    fetch,
    now: () => new Date(),
    sleep,
    random: Math.random,
    log: (event) => process.stderr.write(`${logLine(event, new Date(), process.stderr.isTTY === true)}\n`),
    progress: () => {},
  };
}

/** What nobody would write for an identifier: an ending of drafts, or a path. */
const LIKE_A_FILE = /\.(?:json|xml)$|^(?:\.{0,2}|~)\//i;

/** The file called `what`, or null where there is none. */
async function draftFile(what: string, source: Source | null): Promise<{ source: Source; file: Buffer } | null> {
  const found = await stat(what).catch(() => null);
  if (found === null) {
    if (LIKE_A_FILE.test(what) && !what.includes("://")) throw new UsageError(`there is no file ${what}`);
    return null;
  }
  if (!found.isFile()) throw new UsageError(`${what} is no file; give a file with the metadata of one record`);
  if (found.size > LARGEST_DRAFT)
    throw new UsageError(`${what} has more than ${LARGEST_DRAFT} bytes, the limit of a draft`);
  const file = await readFile(what);
  return { source: source ?? recognised(what, file), file };
}

/** The source whose shape a file has, where it is that of one alone. */
function recognised(what: string, file: Buffer): Source {
  const names = sourcesOfDraft(file);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  const like = only === undefined ? "" : ` (it could be for ${names.map(({ name }) => name).join(" or ")})`;
  throw new UsageError(`${what} is a draft: say with --source whose, one of ${sourceNames()}${like}`);
}

function identifierOf(what: string, source: Source | null): Identifier {
  const parsed: Identifier | Refusal = source === null ? parseIdentifier(what) : recordOf(source, what);
  if (parsed.kind !== "refused") return parsed;
  throw parsed.refusal === "malformed" ? new UsageError(parsed.reason) : new CommandFailed(parsed.reason);
}

async function contractNamed(version: string): Promise<Rubric> {
  for (const contract of (await readContracts()).values()) {
    if (contract.contract === version || contract.publicVersion === version) return contract;
  }
  throw new UsageError(`there is no rubric ${version}`);
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
