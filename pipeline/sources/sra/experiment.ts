/** The reading of one experiment, whichever way it is written: a summary with XML in it, or a package of efetch. */

import { oneOrMany } from "../../reading/one-or-many.ts";
import { asObject, asText, at, type Json } from "../../reading/reader.ts";
import { parseXmlFragment } from "../../reading/xml.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";

export interface Experiment {
  readonly accession: string | null;
  readonly studyName: string | null;
  readonly centre: string | null;
  readonly strategy: string | null;
  readonly protocol: string | null;
  /** Whether it and all of its runs are public, as far as stated; null = not stated. */
  readonly isPublic: boolean | null;
  readonly isControlled: boolean;
  /** When the first of its runs was published; null = not stated. Summaries do not state it. */
  readonly published: string | null;
  /** Accessions of its runs; "" where one has none. */
  readonly runs: readonly string[];
}

/** `expxml` and `runs` are XML without a root; null where they are no XML. */
export function experimentOfSummary(summary: unknown): Experiment | null {
  const experiment = fragmentOf(at(summary, "expxml"));
  const runs = fragmentOf(at(summary, "runs") ?? "");
  if (experiment === null || runs === null) return null;
  const status = asText(at(experiment, "Experiment", "@status"))?.toLowerCase() ?? null;
  const all = elements(runs.Run);
  return {
    accession: asText(at(experiment, "Experiment", "@acc")),
    studyName: asText(at(experiment, "Study", "@name")),
    centre: asText(at(experiment, "Submitter", "@center_name")),
    ...libraryOf(at(experiment, "Library_descriptor")),
    isPublic: allOf([...(status === null ? [] : [status === "public"]), ...publicRuns(all)]),
    published: null,
    isControlled: elements(experiment.Sample).some((sample) => Object.hasOwn(sample, "ControlledAccess")),
    runs: all.map((run) => asText(run["@acc"]) ?? ""),
  };
}

export function experimentOfPackage(entry: unknown): Experiment {
  const runs = elements(at(entry, "RUN_SET", "RUN"));
  const design = at(entry, "EXPERIMENT", "DESIGN");
  const library = libraryOf(at(design, "LIBRARY_DESCRIPTOR"));
  return {
    accession: asText(at(entry, "EXPERIMENT", "@accession")),
    studyName: null,
    centre: asText(at(entry, "SUBMISSION", "@center_name")),
    strategy: library.strategy,
    protocol: library.protocol ?? xmlTextOf(at(design, "DESIGN_DESCRIPTION")),
    isPublic: allOf(publicRuns(runs)),
    published: earliest(runs.map((run) => asText(run["@published"]))),
    isControlled: false,
    runs: runs.map((run) => asText(run["@accession"]) ?? ""),
  };
}

/** One experiment that came twice, as a summary and as a package: what either says, and each run once. */
export function together(one: Experiment, other: Experiment): Experiment {
  const stated = [one.isPublic, other.isPublic].filter((each) => each !== null);
  const [fewer, more] = one.runs.length < other.runs.length ? [one.runs, other.runs] : [other.runs, one.runs];
  const known = new Set(more);
  return {
    accession: one.accession,
    studyName: one.studyName ?? other.studyName,
    centre: one.centre ?? other.centre,
    strategy: one.strategy ?? other.strategy,
    protocol: (one.protocol?.length ?? 0) < (other.protocol?.length ?? 0) ? other.protocol : one.protocol,
    isPublic: allOf(stated),
    published: earliest([one.published, other.published]),
    isControlled: one.isControlled || other.isControlled,
    // A run without an accession cannot be told from another.
    runs: [...more, ...fewer.filter((run) => run !== "" && !known.has(run))],
  };
}

/** The first of dates in ISO's order of parts; null if none is stated. */
export function earliest(dates: readonly (string | null)[]): string | null {
  return dates.filter((date) => date !== null).toSorted()[0] ?? null;
}

function allOf(stated: readonly boolean[]): boolean | null {
  return stated.length === 0 ? null : stated.every(Boolean);
}

function fragmentOf(text: unknown): Json | null {
  if (typeof text !== "string") return null;
  try {
    return parseXmlFragment(text);
  } catch {
    // Said by null, and there as a failed state of what the fragment would have held.
    return null;
  }
}

function libraryOf(library: unknown): Pick<Experiment, "strategy" | "protocol"> {
  return {
    strategy: xmlTextOf(at(library, "LIBRARY_STRATEGY")),
    protocol: xmlTextOf(at(library, "LIBRARY_CONSTRUCTION_PROTOCOL")),
  };
}

function publicRuns(runs: readonly Json[]): boolean[] {
  return runs
    .map((run) => asText(run["@is_public"]))
    .filter((stated) => stated !== null)
    .map((stated) => stated === "true");
}

function elements(value: unknown): Json[] {
  return oneOrMany(value)
    .map(asObject)
    .filter((element) => element !== null);
}
