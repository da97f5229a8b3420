/**
 * One study out of the forms its payloads may have: the harvest's `{project, experiments}`, a bare summary of a project or
 * of an experiment, an answer of esummary, or an element of efetch's XML (STUDY, EXPERIMENT_PACKAGE, or a set of either).
 * They are taken one after the other and kept as sums, so that a study of a million runs takes no more room than one of ten.
 */

import { oneOrMany } from "../../reading/one-or-many.ts";
import { asObject, asText, at, type Json } from "../../reading/reader.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import { type Experiment, earliest, experimentOfPackage, experimentOfSummary, together } from "./experiment.ts";
import { packagesIn, projectIn, studyElementIn, summariesIn } from "./forms.ts";
import { type SamplingValues, samplingValues } from "./samples.ts";

/** All that is known of a study. A part that no payload had is null. */
export interface Study {
  readonly project: Json | null;
  /** The STUDY element. */
  readonly element: Json | null;
  readonly experiments: ExperimentSums | null;
  readonly sampling: SamplingValues | null;
  /** Organisations that submitted it, by their names. */
  readonly organisations: ReadonlySet<string>;
  /** The earliest day on which a summary was made, and the latest on which one was made or changed. */
  readonly dates: { readonly created: string | null; readonly last: string | null };
}

/** The sums of experiments. */
export interface ExperimentSums {
  readonly count: number;
  readonly runs: number;
  /** Length of the longest protocol. */
  readonly protocolLength: number;
  /** Null where no status is stated. */
  readonly allPublic: boolean | null;
  readonly isControlled: boolean;
  /** Some experiment is there and cannot be read. */
  readonly isBroken: boolean;
  /** When the first run was published; null = not stated. */
  readonly published: string | null;
  readonly studyName: string | null;
  readonly centres: ReadonlySet<string>;
  readonly strategies: ReadonlySet<string>;
}

type Totals = { -readonly [Name in Exclude<keyof ExperimentSums, "centres" | "strategies">]: ExperimentSums[Name] };

/** Names and kinds remembered of one study; more are none that anybody wrote by hand. */
const REMEMBERED = 1000;

/** Takes the payloads of one study, those of one experiment one behind the other. Never throws. */
export class StudyGathering {
  readonly #lengthOf: (text: string) => number;
  #project: Json | null = null;
  #element: Json | null = null;
  #sampling: SamplingValues | null = null;
  readonly #organisations = new Set<string>();
  #dates: Study["dates"] = { created: null, last: null };
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
  /** The experiment whose payloads come now, not yet in the sums. */
  #open: Experiment | null = null;

  constructor(lengthOf: (text: string) => number) {
    this.#lengthOf = lengthOf;
  }

  add(payload: unknown): void {
    this.#project ??= projectIn(payload);
    this.#element ??= studyElementIn(payload);
    const [summaries, packages] = [summariesIn(payload), packagesIn(payload)];
    this.#hasExperiments ||= summaries !== null || packages.length > 0;
    for (const summary of summaries ?? []) this.#addDates(summary);
    // The payloads of one study come in the order of its experiments, and so do the experiments of one payload.
    const experiments = [...(summaries ?? []).map(experimentOfSummary), ...packages.map(experimentOfPackage)];
    for (const experiment of experiments.toSorted(byAccession)) this.#take(experiment);
    for (const entry of packages) this.#addBeside(entry);
  }

  /** All that came; nothing may come after it. */
  study(): Study {
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

  /** What a package has beside its experiment. */
  #addBeside(entry: unknown): void {
    const samples = oneOrMany(at(entry, "SAMPLE")).map(asObject);
    this.#sampling = samplingValues(
      samples.filter((sample) => sample !== null),
      this.#sampling,
    );
    for (const organisation of oneOrMany(at(entry, "Organization"))) {
      remember(this.#organisations, xmlTextOf(at(organisation, "Name")));
    }
  }

  #take(experiment: Experiment | null): void {
    if (experiment === null) this.#sums.isBroken = true;
    else if (this.#open !== null && experiment.accession !== null && experiment.accession === this.#open.accession) {
      this.#open = together(this.#open, experiment);
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
    sums.protocolLength = Math.max(sums.protocolLength, protocol === null ? 0 : this.#lengthOf(protocol));
    // Of several statements the most restrictive holds.
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
  if (value !== null && set.size < REMEMBERED) set.add(value);
}

function byAccession(a: Experiment | null, b: Experiment | null): number {
  const [one, other] = [a?.accession ?? "", b?.accession ?? ""];
  return one < other ? -1 : Number(one > other);
}
