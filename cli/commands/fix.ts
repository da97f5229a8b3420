/**
 * share-release fix: copies facts that a record has in the wrong place, such as a licence in the description, to the
 * fields where they count. Prints the difference.
 */

import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { EvaluationError, NoDraft } from "../../pipeline/evaluate/evaluation-error.ts";
import type { DraftInputs } from "../../pipeline/evaluate/scorer.ts";
import { replaceFile } from "../../pipeline/files/durable.ts";
import { enrichmentLines, type Provenance, provenance } from "../../pipeline/repair/enrichment.ts";
import { type RepairedRecord, repairDraft, repairRecord } from "../../pipeline/repair/record.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { knownSource } from "../options/known-source.ts";
import { command, plainPath, printResult, readableFile, type SharedOptions, today } from "../options/shared.ts";
import { repairText } from "../terminal/fix-text.ts";
import { paint, printPainted } from "../terminal/text.ts";
import { fetchPayload, identifierIn, parseUpstreams } from "./score.ts";
import { draftError, draftFile } from "./score-files.ts";

interface FixOptions extends SharedOptions {
  readonly source?: string;
  readonly rubric: string;
  readonly output?: string;
  readonly format: Format;
  readonly provenance?: string;
  readonly repository?: string;
  readonly upstream: readonly string[];
}

const FORMATS = ["record", "enrichment"] as const;
type Format = (typeof FORMATS)[number];

export function fixCommand(): Command {
  return command("fix", "Copy facts of a record into the fields where they count, and show the difference", [
    "fix .zenodo.json --output .zenodo.json",
    "fix 10.5281/zenodo.3678326 --output update.json",
    "fix 10.5061/dryad.8515 --format enrichment --provenance project.json",
    'fix --repository "Example Data Archive" --output updates',
  ])
    .argument("[dataset]", "Metadata file, DOI, accession number, <source>/<id> or URL of a dataset")
    .option("--source <name>", "Source of the dataset or metadata file (default: found from the name or the format)")
    .addOption(contractOption)
    .option(
      "--output <path>",
      "Write the repaired file here (default: only show the difference), or the files of --repository into this folder (default: the current one)",
    )
    .addOption(
      new Option("--format <format>", "Write the record, or enrichment records for DataCite")
        .choices([...FORMATS])
        .default("record"),
    )
    .option("--provenance <file>", 'Origin of enrichment records as JSON, for example {"sourceId": "10.1000/project"}')
    .option("--repository <name>", "Repair all datasets of a repository in the current release")
    .addOption(new Option("--upstream <name=url...>", "URLs of services, for tests").default([]).hideHelp())
    .addHelpText(
      "after",
      "\nEvery value comes from the record itself. The command never sends anything to a repository.",
    )
    .action(async (dataset: string | undefined, options: FixOptions) => {
      if ((dataset === undefined) === (options.repository === undefined)) {
        throw new UsageError(
          "give either one dataset, such as 10.5281/zenodo.3678326, or a repository with --repository",
        );
      }
      if ((options.format === "enrichment") !== (options.provenance !== undefined)) {
        throw new UsageError("--format enrichment and --provenance require each other: give both, or neither");
      }
      const origin = options.provenance === undefined ? null : await readProvenance(options.provenance);
      if (dataset !== undefined) return fixOne(dataset, options, origin);
      const { fixRepository } = await import("./fix-repository.ts");
      return fixRepository(options.repository ?? "", options, origin);
    });
}

async function fixOne(dataset: string, options: FixOptions, origin: Provenance | null): Promise<void> {
  const inputs: DraftInputs = { contract: contractNamed(options.rubric).contract, asOf: today(), getReader };
  const source = options.source === undefined ? null : knownSource(options.source);
  const repaired = await repairDataset(dataset, source, inputs, options);
  const text = origin === null ? repaired.text : formatEnrichments(repaired, origin);
  const { output } = options;
  const isWritten = output !== undefined && text !== null;
  if (isWritten) await replaceFile(plainPath("--output", output), text);
  const { before, after, repair } = repaired;
  const result = {
    source: repaired.source,
    format: repair?.format.name ?? null,
    scoreBefore: before.record?.score?.total ?? null,
    scoreAfter: after.record?.score?.total ?? null,
    cap: before.record?.cap ?? null,
    reason: before.reason,
    changes: repair?.changes ?? [],
    leftOver: repair?.leftOver ?? [],
    written: isWritten ? output : null,
  };
  printResult(
    options,
    result,
    () => {
      const advice =
        text === null ? null : isWritten ? `Written to ${output}.` : "To write the result, add --output FILE.";
      return [repairText(dataset, repaired, paint), advice].filter((part) => part !== null).join("\n\n");
    },
    printPainted,
  );
}

async function repairDataset(
  dataset: string,
  source: Source | null,
  inputs: DraftInputs,
  { upstream }: FixOptions,
): Promise<RepairedRecord> {
  try {
    const draft = await draftFile(dataset, source);
    if (draft !== null) return await repairDraft(draft.source, draft.file, inputs);
    return await repairRecord(await fetchPayload(identifierIn(dataset, source), parseUpstreams(upstream)), inputs);
  } catch (error) {
    if (error instanceof NoDraft) throw draftError(dataset, error);
    if (error instanceof EvaluationError) throw new CommandFailed(error.message, { cause: error });
    throw error;
  }
}

/**
 * Returns the enrichment records of one DataCite record; null if it needs no repair.
 * @throws CommandFailed if the record is not from DataCite or has no DOI
 */
function formatEnrichments(repaired: RepairedRecord, origin: Provenance): string | null {
  const lines = enrichmentLines(repaired, origin);
  if (lines !== null) return lines.length === 0 ? null : `${lines.join("\n")}\n`;
  throw new CommandFailed(
    `--format enrichment is for DataCite records with a DOI, and this record of ${repaired.source} is not one: leave out --format and --provenance`,
  );
}

async function readProvenance(path: string): Promise<Provenance> {
  const file = await readFile(await readableFile("--provenance", path), "utf8");
  let stated: unknown;
  try {
    stated = JSON.parse(file);
  } catch (cause) {
    throw new CommandFailed(`--provenance ${path} is not JSON; give for example {"sourceId": "10.1000/project"}`, {
      cause,
    });
  }
  const parsed = provenance.safeParse(stated);
  if (parsed.success) return parsed.data;
  throw new CommandFailed(
    `--provenance ${path} needs either sourceId, the DOI of a COMET project, or contributors and resources; give for example {"sourceId": "10.1000/project"}`,
  );
}
