/**
 * Reads one study from any form of payload: the harvested `{project, experiments}`, a summary of a project or
 * experiment, a response of esummary, or an element of efetch's XML. Only sums over the experiments are kept, so that
 * memory does not grow with the number of runs.
 */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { asList, asObject, asText, at, type Json, oneOrMany } from "../../reading/reader.ts";
import { countTerms } from "../../reading/search-terms.ts";
import { readDate, readXmlText } from "../../reading/text.ts";
import { parseXmlFragment } from "../../reading/xml.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** The facts about a study. `project`, `element`, `experiments` and `sampling` are null if no payload contained them. */
export interface SraStudy {
  readonly project: Json | null;
  /** The STUDY element of the XML. */
  readonly element: Json | null;
  readonly experiments: ExperimentSums | null;
  readonly sampling: SamplingValues | null;
  /** Names of the submitting organisations. */
  readonly organisations: ReadonlySet<string>;
  /** The earliest date of creation, and the latest date of creation or change, in the summaries. */
  readonly dates: { readonly created: string | null; readonly last: string | null };
}

export interface ExperimentSums {
  readonly count: number;
  readonly runs: number;
  readonly protocolLength: number;
  readonly allPublic: boolean | null;
  readonly isControlled: boolean;
  readonly isBroken: boolean;
  readonly published: string | null;
  readonly studyName: string | null;
  readonly centres: ReadonlySet<string>;
  readonly strategies: ReadonlySet<string>;
}

type Totals = { -readonly [Name in Exclude<keyof ExperimentSums, "centres" | "strategies">]: ExperimentSums[Name] };

/** Largest number of names, and of strategies, for one study. Longer lists come from automatic submissions. */
const MAX_VALUES = 1000;

/** Collects the payloads of one study. Never throws. Payloads of the same experiment must follow each other. */
export class StudyCollector {
  readonly #measureLength: (text: string) => number;
  #project: Json | null = null;
  #element: Json | null = null;
  #sampling: SamplingValues | null = null;
  readonly #organisations = new Set<string>();
  #dates: SraStudy["dates"] = { created: null, last: null };
  #hasExperiments = false;
  #sums: Totals = {
    allPublic: null,
    published: null,
    studyName: null,
    count: 0,
    runs: 0,
    protocolLength: 0,
    isControlled: false,
    isBroken: false,
  };
  readonly #centres = new Set<string>();
  readonly #strategies = new Set<string>();
  #open: Experiment | null = null;

  constructor(measureLength: (text: string) => number) {
    this.#measureLength = measureLength;
  }

  add(payload: unknown): void {
    this.#project ??= projectIn(payload);
    this.#element ??= studyElementIn(payload);
    const [summaries, packages] = [summariesIn(payload), packagesIn(payload)];
    this.#hasExperiments ||= summaries !== null || packages.length > 0;
    for (const summary of summaries ?? []) this.#addDates(summary);
    // The payloads of a study come in the order of its experiments. The experiments of a payload are sorted the same
    // way.
    const experiments = [...(summaries ?? []).map(experimentOfSummary), ...packages.map(experimentOfPackage)];
    for (const experiment of experiments.toSorted(byAccession)) this.#take(experiment);
    for (const entry of packages) this.#addBeside(entry);
  }

  /** Returns the study. Call it once, after all payloads. */
  study(): SraStudy {
    this.#close();
    const sets = { centres: this.#centres, strategies: this.#strategies };
    return {
      project: this.#project,
      element: this.#element,
      experiments: this.#hasExperiments ? { ...this.#sums, ...sets } : null,
      sampling: this.#sampling,
      organisations: this.#organisations,
      dates: this.#dates,
    };
  }

  #addDates(summary: unknown): void {
    const [made, changed] = ["createdate", "updatedate"].map((key) => asText(at(summary, key)));
    const { created, last } = this.#dates;
    this.#dates = { created: earliest([created, made ?? null]), last: latest([last, made ?? null, changed ?? null]) };
  }

  #addBeside(entry: unknown): void {
    const samples = oneOrMany(at(entry, "SAMPLE")).map(asObject);
    this.#sampling = samplingValues(
      samples.filter((sample) => sample !== null),
      this.#sampling,
    );
    for (const organisation of oneOrMany(at(entry, "Organization"))) {
      remember(this.#organisations, readXmlText(at(organisation, "Name")));
    }
  }

  #take(experiment: Experiment | null): void {
    if (experiment === null) this.#sums.isBroken = true;
    else if (this.#open !== null && experiment.accession !== null && experiment.accession === this.#open.accession) {
      this.#open = merge(this.#open, experiment);
    } else {
      this.#close();
      this.#open = experiment;
    }
  }

  #close(): void {
    if (this.#open === null) return;
    const { isPublic, published, isControlled, studyName, centre, strategy, protocol, runs } = this.#open;
    const sums = this.#sums;
    sums.count += 1;
    sums.runs += runs.length;
    sums.protocolLength = Math.max(sums.protocolLength, protocol === null ? 0 : this.#measureLength(protocol));
    // The most restrictive of several statements applies.
    if (isPublic !== null) sums.allPublic = isPublic && sums.allPublic !== false;
    sums.published = earliest([sums.published, published]);
    sums.isControlled ||= isControlled;
    sums.studyName ??= studyName;
    remember(this.#centres, centre);
    remember(this.#strategies, strategy);
    this.#open = null;
  }
}

function latest(dates: readonly (string | null)[]): string | null {
  return (
    dates
      .filter((date) => date !== null)
      .toSorted()
      .at(-1) ?? null
  );
}

function remember(set: Set<string>, value: string | null): void {
  if (value !== null && set.size < MAX_VALUES) set.add(value);
}

function byAccession(a: Experiment | null, b: Experiment | null): number {
  const [one, other] = [a?.accession ?? "", b?.accession ?? ""];
  return one < other ? -1 : Number(one > other);
}

interface Experiment {
  readonly accession: string | null;
  readonly studyName: string | null;
  readonly centre: string | null;
  readonly strategy: string | null;
  readonly protocol: string | null;
  readonly isPublic: boolean | null;
  readonly isControlled: boolean;
  readonly published: string | null;
  readonly runs: readonly string[];
}

/** Reads `expxml` and `runs` of a summary, which are XML without a root element. Returns null if they are not XML. */
function experimentOfSummary(summary: unknown): Experiment | null {
  const experiment = parseFragment(at(summary, "expxml"));
  const runs = parseFragment(at(summary, "runs") ?? "");
  if (experiment === null || runs === null) return null;
  const status = asText(at(experiment, "Experiment", "@status"))?.toLowerCase() ?? null;
  const all = elements(runs.Run);
  return {
    accession: asText(at(experiment, "Experiment", "@acc")),
    studyName: asText(at(experiment, "Study", "@name")),
    centre: asText(at(experiment, "Submitter", "@center_name")),
    ...readLibrary(at(experiment, "Library_descriptor")),
    isPublic: combineFlags([...(status === null ? [] : [status === "public"]), ...publicRuns(all)]),
    published: null,
    isControlled: elements(experiment.Sample).some((sample) => Object.hasOwn(sample, "ControlledAccess")),
    runs: all.map((run) => asText(run["@acc"]) ?? ""),
  };
}

function experimentOfPackage(entry: unknown): Experiment {
  const runs = elements(at(entry, "RUN_SET", "RUN"));
  const design = at(entry, "EXPERIMENT", "DESIGN");
  const library = readLibrary(at(design, "LIBRARY_DESCRIPTOR"));
  return {
    accession: asText(at(entry, "EXPERIMENT", "@accession")),
    studyName: null,
    centre: asText(at(entry, "SUBMISSION", "@center_name")),
    strategy: library.strategy,
    protocol: library.protocol ?? readXmlText(at(design, "DESIGN_DESCRIPTION")),
    isPublic: combineFlags(publicRuns(runs)),
    published: earliest(runs.map((run) => asText(run["@published"]))),
    isControlled: false,
    runs: runs.map((run) => asText(run["@accession"]) ?? ""),
  };
}

/** Joins the summary and the package of one experiment. A run in both counts once. */
function merge(one: Experiment, other: Experiment): Experiment {
  const stated = [one.isPublic, other.isPublic].filter((each) => each !== null);
  const [fewer, more] = one.runs.length < other.runs.length ? [one.runs, other.runs] : [other.runs, one.runs];
  const known = new Set(more);
  return {
    accession: one.accession,
    studyName: one.studyName ?? other.studyName,
    centre: one.centre ?? other.centre,
    strategy: one.strategy ?? other.strategy,
    protocol: (one.protocol?.length ?? 0) < (other.protocol?.length ?? 0) ? other.protocol : one.protocol,
    isPublic: combineFlags(stated),
    published: earliest([one.published, other.published]),
    isControlled: one.isControlled || other.isControlled,
    // A run without an accession cannot be compared.
    runs: [...more, ...fewer.filter((run) => run !== "" && !known.has(run))],
  };
}

function earliest(dates: readonly (string | null)[]): string | null {
  return dates.filter((date) => date !== null).toSorted()[0] ?? null;
}

function combineFlags(stated: readonly boolean[]): boolean | null {
  return stated.length === 0 ? null : stated.every(Boolean);
}

function parseFragment(text: unknown): Json | null {
  if (typeof text !== "string") return null;
  try {
    return parseXmlFragment(text);
  } catch {
    // For null, the caller marks all facts of the fragment as errors.
    return null;
  }
}

function readLibrary(library: unknown): Pick<Experiment, "strategy" | "protocol"> {
  return {
    strategy: readXmlText(at(library, "LIBRARY_STRATEGY")),
    protocol: readXmlText(at(library, "LIBRARY_CONSTRUCTION_PROTOCOL")),
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

const isProject = (value: unknown) => at(value, "project_acc") !== undefined;
const isSummary = (value: unknown) => at(value, "expxml") !== undefined;

export function projectIn(payload: unknown): Json | null {
  const stated = asObject(at(payload, "project")) ?? (isProject(payload) ? asObject(payload) : null);
  return stated ?? asObject((listMembers(payload) ?? []).find(isProject));
}

/**
 * Returns the summaries of experiments on all pages, without entries that are errors. Returns null if the payload has
 * no list of summaries.
 */
export function summariesIn(payload: unknown): readonly unknown[] | null {
  if (isSummary(payload)) return [payload];
  const responses = at(payload, "experiments");
  if (responses !== undefined && responses !== null) {
    return oneOrMany(responses).flatMap((response) => listMembers(response) ?? []);
  }
  const summaries = (listMembers(payload) ?? []).filter(isSummary);
  return summaries.length === 0 ? null : summaries;
}

export function packagesIn(payload: unknown): readonly unknown[] {
  return oneOrMany(at(payload, "EXPERIMENT_PACKAGE") ?? at(payload, "EXPERIMENT_PACKAGE_SET", "EXPERIMENT_PACKAGE"));
}

/** Returns the STUDY element of a payload: the separate one, or that of the first package. */
export function studyElementIn(payload: unknown): Json | null {
  const stated = oneOrMany(at(payload, "STUDY") ?? at(payload, "STUDY_SET", "STUDY"))[0];
  return asObject(stated) ?? asObject(at(packagesIn(payload)[0], "STUDY"));
}

/**
 * Returns the name of a piece. Returns null if the payload is a whole study. The names sort in the order project, study,
 * experiments.
 */
export function findPieceName(payload: unknown): string | null {
  if (at(payload, "experiments") !== undefined) return null;
  if (projectIn(payload) !== null) return "1 project";
  if (at(payload, "STUDY") !== undefined) return "2 study";
  const entry = at(payload, "EXPERIMENT_PACKAGE");
  if (entry !== undefined) return `3 ${asText(at(entry, "EXPERIMENT", "@accession")) ?? ""} package`;
  const expxml = asText(at(payload, "expxml"));
  return expxml === null ? null : `3 ${/<Experiment\s[^<>]*?\bacc="([^"<>]{1,40})"/.exec(expxml)?.[1] ?? ""} summary`;
}

function listMembers(response: unknown): readonly unknown[] | null {
  const result = at(response, "result");
  if (result === undefined) return null;
  // A hostile list repeats one uid, whose XML would be parsed each time.
  return [...new Set(asList(at(result, "uids")).map(String))]
    .map((uid) => at(result, uid))
    .filter((member) => member !== undefined && at(member, "error") === undefined);
}

/**
 * Matches names of attributes for places, reduced to letters and digits: `geo_loc_name`, `geographic location (country
 * and/or sea)`.
 */
const PLACE = /^(?:geolocname|latlon|geographiclocation(?:countryandorsea|regionandlocality)?)$/;
const DATE = /^collection(?:date|timestamp)$/;

/** Matches INSDC's terms for a missing value (insdc.org, "Missing value reporting"). */
const MISSING = /^(?:missing|not (?:applicable|collected|provided)|restricted access)\b/i;

/** Matches dates with an English month, such as 30-Oct-1990, which BioSample also accepts. */
const NAMED_MONTH = /^(?:\d{1,2}-)?[A-Z][a-z]{2}-\d{4}(?:$|\/)/;

/** Distinct places and dates of samples. There is a limit, because it only matters whether there are any. */
interface SamplingValues {
  readonly places: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
}
const MAX_SAMPLE_VALUES = 10_000;

/** Adds the places and dates of some samples to those found before. */
function samplingValues(samples: readonly Json[], before: SamplingValues | null): SamplingValues {
  const attributes = samples.flatMap((sample) => oneOrMany(at(sample, "SAMPLE_ATTRIBUTES", "SAMPLE_ATTRIBUTE")));
  const readValues = (name: RegExp) =>
    attributes
      .filter((attribute) =>
        name.test((readXmlText(at(attribute, "TAG")) ?? "").toLowerCase().replace(/[^a-z0-9]/g, "")),
      )
      .map((attribute) => readXmlText(at(attribute, "VALUE")))
      .filter((value) => value !== null && !MISSING.test(value));
  const dates = readValues(DATE).filter((value) => readDate(value) !== null || NAMED_MONTH.test(value ?? ""));
  return { places: joined(before?.places, readValues(PLACE)), dates: joined(before?.dates, dates) };
}

function joined(before: ReadonlySet<string> | undefined, values: readonly (string | null)[]): ReadonlySet<string> {
  const added = values.filter((value) => value !== null && before?.has(value) !== true);
  if (before !== undefined && (added.length === 0 || before.size >= MAX_SAMPLE_VALUES)) return before;
  return new Set([...(before ?? []), ...added.filter((value) => value !== null)]);
}

/**
 * Counts the places and dates of samples. Returns {} if no payload contained samples, because summaries lack their
 * attributes.
 */
export function sampleEvidence(values: SamplingValues | null, vocabularies: Vocabularies): Partial<Evidence> {
  if (values === null) return {};
  return {
    place_count: countTerms("place_count", [...values.places], vocabularies),
    coverage_date_count: countTerms("coverage_date_count", [...values.dates], vocabularies),
  };
}
