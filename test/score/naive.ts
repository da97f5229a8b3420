/** The three contracts once more, by hand and one record at a time: an oracle that shares nothing with the compiled SQL. */

import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import type { Masks, SignalState } from "../../schemas/public/signal.ts";

type Truth = boolean | null;
type Rule = (evidence: Evidence) => Truth;

interface Judged {
  readonly rule: Rule;
  readonly needs: readonly EvidenceName[];
  /** Two sides, either of which may be a column the source never carries. */
  readonly either?: boolean;
  readonly unless?: Rule;
}

/** What the oracle has to know of a source. */
export interface Carries {
  readonly supported: number;
  readonly neverCarries: readonly EvidenceName[];
}

type CountName = {
  [Name in EvidenceName]: Evidence[Name] extends number | null ? Name : never;
}[EvidenceName];

function and(...sides: readonly Truth[]): Truth {
  if (sides.includes(false)) return false;
  return sides.includes(null) ? null : true;
}

function or(...sides: readonly Truth[]): Truth {
  if (sides.includes(true)) return true;
  return sides.includes(null) ? null : false;
}

function not(side: Truth): Truth {
  return side === null ? null : !side;
}

function reaches(count: number | null, threshold: number): Truth {
  return count === null ? null : count >= threshold;
}

function filled(text: string | null): Truth {
  return text === null ? null : text !== "";
}

function counts(name: CountName, threshold: number): Judged {
  return { rule: (evidence) => reaches(evidence[name], threshold), needs: [name] };
}

function says(
  name: "access_declared" | "license_permissive" | "license_open" | "version_stated" | "venue_stated",
): Judged {
  return { rule: (evidence) => evidence[name], needs: [name] };
}

function names(name: "license_text" | "license_spdx"): Judged {
  return { rule: (evidence) => filled(evidence[name]), needs: [name] };
}

function eitherCounts(one: CountName, other: CountName): Judged {
  return {
    rule: (evidence) => or(reaches(evidence[one], 1), reaches(evidence[other], 1)),
    needs: [one, other],
    either: true,
  };
}

const hidden: Rule = ({ access_open, embargo_active, file_count }) =>
  (access_open === false || embargo_active === true) && file_count === null;
const nobody: Rule = ({ person_creator_count }) => person_creator_count === 0;
const hiddenWithoutLink: Rule = (evidence) => hidden(evidence) === true && (evidence.linked_code_count ?? 0) === 0;

const half: Judged = {
  rule: ({ file_count, descriptive_filename_count: descriptive }) =>
    and(reaches(file_count, 1), file_count === null || descriptive === null ? null : 2 * descriptive >= file_count),
  needs: ["file_count", "descriptive_filename_count"],
  unless: hidden,
};

const everybody: Judged = {
  rule: ({ creator_pid_count: pids, person_creator_count: people }) =>
    and(reaches(pids, 1), pids === null || people === null ? null : pids === people),
  needs: ["creator_pid_count", "person_creator_count"],
  unless: nobody,
};

const V1: readonly Judged[] = [
  counts("place_count", 1),
  counts("coverage_date_count", 1),
  counts("contributor_count", 1),
  eitherCounts("keyword_count", "subject_count"),
  counts("ethics_length", 1),
  counts("methods_length", 1),
  counts("creator_pid_count", 1),
  counts("organization_pid_count", 1),
  counts("reference_count", 1),
  counts("description_length", 100),
  says("access_declared"),
  names("license_spdx"),
  says("license_permissive"),
  { rule: ({ embargo_active }) => not(embargo_active), needs: ["embargo_active"] },
  counts("open_format_file_count", 1),
  counts("view_count", 1),
  counts("download_count", 1),
  counts("citation_count", 1),
  counts("derivative_count", 1),
  counts("mention_count", 1),
  counts("publication_link_count", 1),
  counts("data_link_count", 1),
  eitherCounts("funder_count", "award_count"),
  says("version_stated"),
  says("venue_stated"),
];

/** The two betas differ in four signals. */
function v2(keywords: number, depth: number, methods: number, filenames: Judged): readonly Judged[] {
  return [
    counts("keyword_count", 1),
    counts("keyword_count", keywords),
    counts("contributor_count", 1),
    counts("contributor_role_count", 1),
    counts("subject_count", 1),
    counts("description_length", 100),
    counts("description_length", depth),
    counts("methods_length", methods),
    counts("reference_count", 1),
    counts("reference_pid_count", 1),
    names("license_text"),
    names("license_spdx"),
    says("license_open"),
    says("access_declared"),
    {
      rule: ({ access_open, embargo_active }) => and(access_open, not(embargo_active)),
      needs: ["access_open", "embargo_active"],
    },
    { ...counts("documentation_file_count", 1), unless: hidden },
    { ...eitherCounts("code_file_count", "linked_code_count"), unless: hiddenWithoutLink },
    { ...counts("manifest_file_count", 1), unless: hidden },
    { ...counts("inspectable_file_count", 1), unless: hidden },
    filenames,
    { ...counts("creator_pid_count", 1), unless: nobody },
    everybody,
    counts("funder_count", 1),
    counts("award_count", 1),
    counts("related_identifier_count", 1),
  ];
}

const CONTRACT: Readonly<Record<ContractId, readonly Judged[]>> = {
  "1.0.0": V1,
  "2.0.0-beta.1": v2(2, 200, 1, { ...counts("descriptive_filename_count", 1), unless: hidden }),
  "2.0.0-beta.2": v2(3, 300, 50, half),
};

/** The states of the 25 signals, in the order of their bits. */
export function naiveStates(
  contract: ContractId,
  evidence: Evidence,
  errors: ReadonlySet<EvidenceName>,
  carries: Carries,
): SignalState[] {
  return CONTRACT[contract].map((judged, bit) => {
    if ((carries.supported & (1 << bit)) === 0) return "unsupported";
    const judgedOn = judged.either === true ? withNone(evidence, carries.neverCarries) : evidence;
    const verdict = judged.rule(judgedOn);
    if (verdict === true) return "passed";
    if (judged.needs.some((name) => errors.has(name))) return "failed";
    if (judged.unless?.(evidence) === true) return "not_evaluable";
    return verdict === null ? "source_missing" : "absent";
  });
}

function withNone(evidence: Evidence, never: readonly EvidenceName[]): Evidence {
  const none = never.filter((name) => evidence[name] === null).map((name) => [name, 0]);
  return { ...evidence, ...Object.fromEntries(none) };
}

/** The five masks of 25 states. */
export function naiveMasks(states: readonly SignalState[]): Masks {
  const mask = (...members: readonly SignalState[]) =>
    states.reduce((sum, state, bit) => (members.includes(state) ? sum + 2 ** bit : sum), 0);
  return {
    supportedMask: mask("source_missing", "failed", "not_evaluable", "absent", "passed"),
    evaluableMask: mask("absent", "passed"),
    passedMask: mask("passed"),
    sourceMissingMask: mask("source_missing"),
    failedMask: mask("failed"),
  };
}
