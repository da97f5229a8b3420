/** The places of a study's parts in each form of its payload, and which piece of the study a payload is. */

import { oneOrMany } from "../../reading/one-or-many.ts";
import { asList, asObject, asText, at, type Json } from "../../reading/reader.ts";

const isProject = (value: unknown) => at(value, "project_acc") !== undefined;
const isSummary = (value: unknown) => at(value, "expxml") !== undefined;

/** The project's member of esummary's answer. */
export function projectIn(payload: unknown): Json | null {
  const stated = asObject(at(payload, "project")) ?? (isProject(payload) ? asObject(payload) : null);
  return stated ?? asObject((membersOf(payload) ?? []).find(isProject));
}

/** The experiments' summaries on all pages; a member that is an error says nothing of the study. Null where there are none to be. */
export function summariesIn(payload: unknown): readonly unknown[] | null {
  if (isSummary(payload)) return [payload];
  const answers = at(payload, "experiments");
  if (answers !== undefined && answers !== null) {
    return oneOrMany(answers).flatMap((answer) => membersOf(answer) ?? []);
  }
  const summaries = (membersOf(payload) ?? []).filter(isSummary);
  return summaries.length === 0 ? null : summaries;
}

export function packagesIn(payload: unknown): readonly unknown[] {
  return oneOrMany(at(payload, "EXPERIMENT_PACKAGE") ?? at(payload, "EXPERIMENT_PACKAGE_SET", "EXPERIMENT_PACKAGE"));
}

/** The STUDY element of its own, or the one in the first package. */
export function studyElementIn(payload: unknown): Json | null {
  const stated = oneOrMany(at(payload, "STUDY") ?? at(payload, "STUDY_SET", "STUDY"))[0];
  return asObject(stated) ?? asObject(at(packagesIn(payload)[0], "STUDY"));
}

/**
 * Pieces of one study, in an order that leaves the payloads of one experiment side by side: the project, the study, then
 * each experiment by its accession. Null for what the harvest puts together, which is the whole study.
 */
export function pieceOf(payload: unknown): string | null {
  if (at(payload, "experiments") !== undefined) return null;
  if (projectIn(payload) !== null) return "1 project";
  if (at(payload, "STUDY") !== undefined) return "2 study";
  const entry = at(payload, "EXPERIMENT_PACKAGE");
  if (entry !== undefined) return `3 ${asText(at(entry, "EXPERIMENT", "@accession")) ?? ""} package`;
  const expxml = asText(at(payload, "expxml"));
  return expxml === null ? null : `3 ${/<Experiment\s[^<>]*?\bacc="([^"<>]{1,40})"/.exec(expxml)?.[1] ?? ""} summary`;
}

function membersOf(answer: unknown): readonly unknown[] | null {
  const result = at(answer, "result");
  if (result === undefined) return null;
  return asList(at(result, "uids"))
    .map((uid) => at(result, String(uid)))
    .filter((member) => member !== undefined && at(member, "error") === undefined);
}
