/**
 * One study out of the forms its payload may have: the harvest's `{project, experiments}`, a bare summary of a project or
 * of an experiment, or an element of efetch's XML (STUDY, EXPERIMENT_PACKAGE). A part that is not there is null.
 */

import { oneOrMany } from "../../reading/one-or-many.ts";
import { asList, asObject, asText, at, type Json } from "../../reading/reader.ts";
import { parseXmlFragment } from "../../reading/xml.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";

/** What is read of one experiment, whichever way it is written. */
export interface Experiment {
  readonly studyName: string | null;
  readonly centre: string | null;
  readonly strategy: string | null;
  readonly protocol: string | null;
  /** Status of the experiment and of its runs, as far as stated: true = public. */
  readonly isPublic: readonly boolean[];
  readonly isControlled: boolean;
  readonly runs: number;
}

export interface Study {
  readonly project: Json | null;
  /** The STUDY element. */
  readonly element: Json | null;
  readonly experiments: readonly Experiment[] | null;
  /** SAMPLE elements, which summaries do not have. */
  readonly samples: readonly Json[] | null;
  /** Some experiment is there and cannot be read. */
  readonly isBroken: boolean;
  readonly dates: readonly string[];
}

/** Never throws: what cannot be read is null, or said by `isBroken`. */
export function studyOf(payload: unknown): Study {
  const summaries = summariesOf(payload);
  const read = summaries?.map(experimentOfSummary) ?? [];
  const packages = oneOrMany(at(payload, "EXPERIMENT_PACKAGE"));
  const whole = [...read.filter((experiment) => experiment !== null), ...packages.map(experimentOfPackage)];
  return {
    project: asObject(at(payload, "project")) ?? (at(payload, "project_acc") === undefined ? null : asObject(payload)),
    element: asObject(at(payload, "STUDY")) ?? asObject(at(packages[0], "STUDY")),
    experiments: summaries === null && packages.length === 0 ? null : whole,
    samples: packages.length === 0 ? null : packages.flatMap((entry) => elements(at(entry, "SAMPLE"))),
    isBroken: read.includes(null),
    dates: (summaries ?? []).flatMap((summary) =>
      ["updatedate", "createdate"].flatMap((key) => asText(at(summary, key)) ?? []),
    ),
  };
}

function elements(value: unknown): Json[] {
  return oneOrMany(value)
    .map(asObject)
    .filter((element) => element !== null);
}

/** The experiments' summaries on all pages; a member that is an error says nothing of the study. */
function summariesOf(payload: unknown): readonly unknown[] | null {
  if (at(payload, "expxml") !== undefined) return [payload];
  const answers = at(payload, "experiments");
  if (answers === undefined || answers === null) return null;
  return oneOrMany(answers).flatMap((answer) => {
    const result = at(answer, "result");
    return asList(at(result, "uids"))
      .map((uid) => at(result, String(uid)))
      .filter((summary) => summary !== undefined && at(summary, "error") === undefined);
  });
}

/** `expxml` and `runs` are XML without a root; null where they are no XML. */
function experimentOfSummary(summary: unknown): Experiment | null {
  const experiment = fragmentOf(at(summary, "expxml"));
  const runs = fragmentOf(at(summary, "runs") ?? "");
  if (experiment === null || runs === null) return null;
  const status = asText(at(experiment, "Experiment", "@status"))?.toLowerCase() ?? null;
  const all = elements(runs.Run);
  return {
    studyName: asText(at(experiment, "Study", "@name")),
    centre: asText(at(experiment, "Submitter", "@center_name")),
    ...libraryOf(at(experiment, "Library_descriptor")),
    isPublic: [...(status === null ? [] : [status === "public"]), ...publicRuns(all)],
    isControlled: elements(experiment.Sample).some((sample) => Object.hasOwn(sample, "ControlledAccess")),
    runs: all.length,
  };
}

function fragmentOf(text: unknown): Json | null {
  if (typeof text !== "string") return null;
  try {
    return parseXmlFragment(text);
  } catch {
    // Said by `isBroken`, and there as a failed state of what the fragment would have held.
    return null;
  }
}

function experimentOfPackage(entry: unknown): Experiment {
  const runs = elements(at(entry, "RUN_SET", "RUN"));
  const design = at(entry, "EXPERIMENT", "DESIGN");
  const library = libraryOf(at(design, "LIBRARY_DESCRIPTOR"));
  return {
    studyName: null,
    centre: asText(at(entry, "SUBMISSION", "@center_name")),
    strategy: library.strategy,
    protocol: library.protocol ?? xmlTextOf(at(design, "DESIGN_DESCRIPTION")),
    isPublic: publicRuns(runs),
    isControlled: false,
    runs: runs.length,
  };
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
