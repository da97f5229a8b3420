/** The dataset that a line of judgements is of. */

import { doiIn } from "../../../pipeline/identifiers/doi-in.ts";
import { parseIdentifier } from "../../../pipeline/identifiers/parse.ts";
import { sourceNamed } from "../../../pipeline/sources/index.ts";
import type { JudgementLine } from "./judgement-lines.ts";
import type { Faults } from "./judgements-unreadable.ts";

/** Under what a release may have it: `<source>/<source-id>`, and its DOI. */
export interface JudgedDataset {
  readonly identifier: string | null;
  readonly doi: string | null;
}

/** Names of the column, of which a file has one. */
export const DATASET_FIELDS: readonly string[] = ["identifier", "doi"];

/** Reads `identifier`, or `doi` where there is none; null where it is at fault. */
export function judgedDataset({ line, fields }: JudgementLine, faults: Faults): JudgedDataset | null {
  const field = DATASET_FIELDS.find((name) => fields.has(name)) ?? "identifier";
  return datasetOf(fields.get(field), line, field, faults);
}

/** The same of a text that stands elsewhere. */
export function datasetOf(text: unknown, line: number, field: string, faults: Faults): JudgedDataset | null {
  if (typeof text !== "string" || text === "") return faults.add(line, field, "is missing");
  const found = parseIdentifier(text);
  if (found.kind === "refused") {
    // A release may have what its source calls by an id that we would not ask for.
    return isOfSource(text) ? { identifier: text, doi: null } : faults.add(line, field, found.reason);
  }
  if (found.kind === "doi") return { identifier: null, doi: found.doi };
  return { identifier: `${found.source}/${found.sourceId}`, doi: doiIn(text) };
}

function isOfSource(text: string): boolean {
  const [, source = ""] = /^([a-z][a-z0-9_]{0,39})\/\S/.exec(text) ?? [];
  return sourceNamed(source) !== null;
}
