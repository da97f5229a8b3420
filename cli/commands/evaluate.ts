/** share-release evaluate: one score now, explained; of a dataset by its identifier, or of a draft, without network. */

import { type Command, Option } from "commander";
import { NoDraft } from "../../pipeline/evaluate/draft.ts";
import type { Evaluation } from "../../pipeline/evaluate/evaluation.ts";
import { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import { Evaluator } from "../../pipeline/evaluate/index.ts";
import { type Identifier, parseIdentifier, type Refusal, recordOf } from "../../pipeline/identifiers/parse.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { guardedFetch } from "../../server/http/guarded-fetch.ts";
import { knownSource } from "../options/asked-source.ts";
import { emailOf } from "../options/contact.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { draftFile } from "../options/draft-file.ts";
import { effectsOver } from "../options/effects.ts";
import { CommandFailed, DONE_WITH_REFUSALS, FAILED, UsageError } from "../options/exit-codes.ts";
import { command, printResult, type SharedOptions } from "../options/shared.ts";
import { evaluationText } from "../text/evaluation-text.ts";
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
    .addOption(contractOption)
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
  const settings = { contact: emailOf(process.env), upstreams, workers: { size: 1 } };
  // Checked before anything is read or asked.
  const source = options.source === undefined ? null : knownSource(options.source);
  const draft = await draftFile(what, source);
  const identifier = draft === null ? identifierOf(what, source) : null;
  const evaluator = new Evaluator(settings, effectsOver(outbound.fetch));
  try {
    if (draft !== null) return await evaluator.draft(draft.source, draft.file, contract);
    if (identifier === null) throw new Error("neither a draft nor an identifier");
    return await evaluator.evaluate(identifier, contract);
  } catch (error) {
    if (error instanceof NoDraft) throw new UsageError(`${what} ${error.message}`);
    if (error instanceof EvaluationError) throw new CommandFailed(error.message, { cause: error });
    throw error;
  } finally {
    await evaluator.close();
    await outbound.close();
  }
}

function identifierOf(what: string, source: Source | null): Identifier {
  const parsed: Identifier | Refusal = source === null ? parseIdentifier(what) : recordOf(source, what);
  if (parsed.kind !== "refused") return parsed;
  throw parsed.refusal === "malformed" ? new UsageError(parsed.reason) : new CommandFailed(parsed.reason);
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
