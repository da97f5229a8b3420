/**
 * share-release score: scores datasets by their identifiers. Also scores drafts of metadata, which does not use the
 * network.
 */

import { type Command, Option } from "commander";
import { EvaluationError } from "../../pipeline/evaluate/evaluation-error.ts";
import type { ObtainedPayload } from "../../pipeline/evaluate/obtain.ts";
import { findRecord, type Identifier, parseIdentifier } from "../../pipeline/parse-identifier.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import { effectsWithFetch } from "../options/effects.ts";
import { readEmail } from "../options/environment.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { knownSource } from "../options/known-source.ts";
import { command, type SharedOptions } from "../options/shared.ts";
import { FILES_HELP, type FileOptions, type Score, scoreFile, scoreInputs, withFileOptions } from "./score-files.ts";

export interface ScoreCommandOptions extends FileOptions, SharedOptions {
  readonly list?: string;
  readonly upstream: readonly string[];
}

export function scoreCommand(): Command {
  const score = command("score", "Score datasets, or metadata files without network access, and show the next steps", [
    "score 10.5281/zenodo.3678326",
    "score https://clinicaltrials.gov/study/NCT04280705 --rubric 1.0",
    "score draft.json --source zenodo",
    "score .zenodo.json --min-score 60",
    "score --list dois.csv",
    'score datacite.json dataset_description.json --summary "$GITHUB_STEP_SUMMARY"',
  ]).argument(
    "[datasets...]",
    `DOI, accession number, <source>/<id> or URL of a dataset, or a metadata file: ${FILES_HELP}`,
  );
  return withFileOptions(score)
    .option(
      "--list <file>",
      "Look up the published scores of the identifiers in this file: a CSV file, or one identifier per line",
    )
    .addOption(new Option("--upstream <name=url...>", "URLs of services, for tests").default([]).hideHelp())
    .action(async (inputs: string[], options: ScoreCommandOptions) => {
      if ((inputs.length === 0) === (options.list === undefined)) {
        throw new UsageError(
          "give either datasets, such as 10.5281/zenodo.3678326, or a file of identifiers with --list",
        );
      }
      if (options.list === undefined) return scoreAll(inputs, options);
      // A list needs the database.
      const { lookUpList } = await import("./score-list.ts");
      return lookUpList(options.list, options);
    });
}

async function scoreAll(inputs: readonly string[], options: ScoreCommandOptions): Promise<void> {
  const upstreams = parseUpstreams(options.upstream);
  const source = options.source === undefined ? null : knownSource(options.source);
  let opening: ReturnType<typeof openEvaluator> | null = null;
  const score: Score = async (input, { contract }) => {
    const scored = await scoreFile(input, source, { contract, getReader });
    if (scored !== null) return scored;
    const identifier = identifierIn(input, source);
    opening ??= openEvaluator(upstreams);
    const { evaluator } = await opening;
    return evaluator.evaluate(identifier, contract).catch((error: unknown) => {
      throw error instanceof EvaluationError ? new CommandFailed(error.message, { cause: error }) : error;
    });
  };
  try {
    await scoreInputs(inputs, options, score);
  } finally {
    const opened = await (opening as ReturnType<typeof openEvaluator> | null);
    await opened?.close();
  }
}

/**
 * Fetches and reads the payload of an identifier. Reads it in this process and not in a separate worker, because the
 * user chose the service and trusts it.
 * @throws EvaluationError
 */
export async function fetchPayload(
  identifier: Identifier,
  upstreams: Readonly<Record<string, string>>,
): Promise<ObtainedPayload> {
  const { guardedFetch } = await import("../../server/http/guarded-fetch.ts");
  const { makeServices, obtain } = await import("../../pipeline/evaluate/obtain.ts");
  const outbound = guardedFetch({ allow: Object.values(upstreams) });
  try {
    const effects = effectsWithFetch(outbound.fetch);
    return await obtain(
      identifier,
      makeServices(() => effects, null, { contact: readEmail(), upstreams, timeoutMs: TIMEOUT_MS }),
    );
  } finally {
    await outbound.close();
  }
}

/** Time limit of one request to a source, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Opens an evaluator for identifiers. The code is loaded only here, because scoring files does not need it. */
async function openEvaluator(upstreams: Readonly<Record<string, string>>) {
  const { Evaluator } = await import("../../pipeline/evaluate/index.ts");
  const { guardedFetch } = await import("../../server/http/guarded-fetch.ts");
  const outbound = guardedFetch({ allow: Object.values(upstreams) });
  const options = { contact: readEmail(), upstreams, workers: { size: 1 } };
  const evaluator = new Evaluator(options, effectsWithFetch(outbound.fetch));
  return {
    evaluator,
    close: async () => {
      await evaluator.close();
      await outbound.close();
    },
  };
}

export function identifierIn(input: string, source: Source | null): Identifier {
  const parsed = source === null ? parseIdentifier(input) : findRecord(source, input);
  if (parsed.kind !== "rejected") return parsed;
  throw parsed.rejection === "malformed" ? new UsageError(parsed.reason) : new CommandFailed(parsed.reason);
}

export function parseUpstreams(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", url = ""] = pair.split("=");
      if (!URL.canParse(url))
        throw new UsageError(`--upstream ${pair}: write it as name=url, such as zenodo=http://127.0.0.1:8081`);
      return [name, new URL(url).origin];
    }),
  );
}
