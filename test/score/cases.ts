/** Hand-written evidence for every signal of every contract in every state that it can have. */

import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import type { SignalState } from "../../schemas/public/signal.ts";

/**
 * Evidence with the state that a signal must then have. Columns that `given` does not name are null; `errors` names columns
 * that could not be read.
 */
export interface StateCase {
  readonly given: Partial<Evidence>;
  readonly errors?: readonly EvidenceName[];
  readonly state: SignalState;
}

type Cases = readonly StateCase[];

/** Returns the cases of a signal that passes if the count `name` is at least `threshold`. */
function count(name: EvidenceName, threshold: number): Cases {
  return [
    { given: {}, state: "source_missing" },
    { given: {}, errors: [name], state: "failed" },
    { given: { [name]: 0 }, state: "absent" },
    { given: { [name]: 0 }, errors: [name], state: "failed" },
    { given: { [name]: threshold - 1 }, state: "absent" },
    { given: { [name]: threshold }, state: "passed" },
    { given: { [name]: threshold }, errors: [name], state: "passed" },
    { given: { [name]: threshold + 1 }, state: "passed" },
    { given: { [name]: 1_000_000_000 }, state: "passed" },
  ];
}

function flag(name: EvidenceName, passes = true): Cases {
  return [
    { given: {}, state: "source_missing" },
    { given: {}, errors: [name], state: "failed" },
    { given: { [name]: !passes }, state: "absent" },
    { given: { [name]: !passes }, errors: [name], state: "failed" },
    { given: { [name]: passes }, state: "passed" },
    { given: { [name]: passes }, errors: [name], state: "passed" },
  ];
}

function text(name: EvidenceName): Cases {
  return [
    { given: {}, state: "source_missing" },
    { given: {}, errors: [name], state: "failed" },
    { given: { [name]: "" }, state: "absent" },
    { given: { [name]: "" }, errors: [name], state: "failed" },
    { given: { [name]: "MIT" }, state: "passed" },
    { given: { [name]: " " }, state: "passed" },
  ];
}

/** Returns the cases of a signal that passes if one of two counts is at least 1, even if the other is unknown. */
function either(one: EvidenceName, other: EvidenceName): Cases {
  return [
    { given: {}, state: "source_missing" },
    { given: { [one]: 0 }, state: "source_missing" },
    { given: { [other]: 0 }, state: "source_missing" },
    { given: { [one]: 0, [other]: 0 }, state: "absent" },
    { given: { [one]: 1 }, state: "passed" },
    { given: { [other]: 1 }, state: "passed" },
    { given: { [one]: 1, [other]: 0 }, state: "passed" },
    { given: { [one]: 0, [other]: 1 }, state: "passed" },
    { given: { [one]: 1 }, errors: [other], state: "passed" },
    { given: { [one]: 0 }, errors: [other], state: "failed" },
    { given: { [other]: 0 }, errors: [one], state: "failed" },
    { given: { [one]: 0, [other]: 0 }, errors: [one], state: "failed" },
  ];
}

const HIDING: readonly Partial<Evidence>[] = [
  { access_open: false },
  { embargo_active: true },
  { access_open: false, embargo_active: true },
  { access_open: true, embargo_active: true },
  { access_open: false, embargo_active: false },
];
const NOT_HIDING: readonly Partial<Evidence>[] = [
  {},
  { access_open: true },
  { embargo_active: false },
  { access_open: true, embargo_active: false },
];

/**
 * Returns the cases of a signal that passes if a count of files is at least 1. Restricted access or an embargo can hide files.
 */
function fileCount(name: EvidenceName): Cases {
  return [
    ...count(name, 1),
    ...HIDING.map((given): StateCase => ({ given, state: "not_evaluable" })),
    ...HIDING.map((given): StateCase => ({ given, errors: [name], state: "failed" })),
    // That the access level could not be read does not change the state of a count of files.
    ...HIDING.map((given): StateCase => ({ given, errors: ["access_declared"], state: "not_evaluable" })),
    ...NOT_HIDING.map((given): StateCase => ({ given, state: "source_missing" })),
    // A record that lists its files does not hide them.
    ...HIDING.map((given): StateCase => ({ given: { ...given, file_count: 0, [name]: 0 }, state: "absent" })),
    ...HIDING.map((given): StateCase => ({ given: { ...given, file_count: 3 }, state: "source_missing" })),
    ...HIDING.map((given): StateCase => ({ given: { ...given, file_count: 3, [name]: 1 }, state: "passed" })),
  ];
}

const CODE: Cases = [
  ...either("code_file_count", "linked_code_count"),
  ...HIDING.map((given): StateCase => ({ given, state: "not_evaluable" })),
  ...HIDING.map((given): StateCase => ({ given: { ...given, linked_code_count: 0 }, state: "not_evaluable" })),
  ...HIDING.map((given): StateCase => ({ given: { ...given, linked_code_count: 1 }, state: "passed" })),
  ...HIDING.map(
    (given): StateCase => ({ given: { ...given, linked_code_count: 0, file_count: 2 }, state: "source_missing" }),
  ),
  ...HIDING.map((given): StateCase => ({ given, errors: ["linked_code_count"], state: "failed" })),
  ...NOT_HIDING.map((given): StateCase => ({ given: { ...given, linked_code_count: 0 }, state: "source_missing" })),
];

/** Cases of a signal that passes if at least half of the files, and at least one, have descriptive names. */
const HALF: Cases = [
  ...(
    [
      [null, null, "source_missing"],
      [2, null, "source_missing"],
      [null, 2, "source_missing"],
      [0, null, "absent"],
      [0, 0, "absent"],
      [1, 0, "absent"],
      [1, 1, "passed"],
      [2, 1, "passed"],
      [3, 1, "absent"],
      [3, 2, "passed"],
      [4, 2, "passed"],
      [5, 2, "absent"],
      [5, 3, "passed"],
      [100, 49, "absent"],
      [100, 50, "passed"],
      [101, 50, "absent"],
    ] as const
  ).map(
    ([files, descriptive, state]): StateCase => ({
      given: { file_count: files, descriptive_filename_count: descriptive },
      state,
    }),
  ),
  { given: { file_count: 2, descriptive_filename_count: 1 }, errors: ["file_count"], state: "passed" },
  { given: { file_count: 3 }, errors: ["descriptive_filename_count"], state: "failed" },
  { given: { access_open: false }, errors: ["file_count"], state: "failed" },
  ...HIDING.map((given): StateCase => ({ given, state: "not_evaluable" })),
  ...HIDING.map((given): StateCase => ({ given: { ...given, file_count: 0 }, state: "absent" })),
  ...NOT_HIDING.map((given): StateCase => ({ given, state: "source_missing" })),
];

const OPEN: Cases = [
  ...(
    [
      [null, null, "source_missing"],
      [null, false, "source_missing"],
      [null, true, "absent"],
      [false, null, "absent"],
      [false, false, "absent"],
      [false, true, "absent"],
      [true, null, "source_missing"],
      [true, false, "passed"],
      [true, true, "absent"],
    ] as const
  ).map(([open, embargo, state]): StateCase => ({ given: { access_open: open, embargo_active: embargo }, state })),
  { given: { access_open: true }, errors: ["embargo_active"], state: "failed" },
  { given: { access_open: false }, errors: ["embargo_active"], state: "failed" },
  { given: { embargo_active: false }, errors: ["access_open"], state: "failed" },
  { given: { access_open: true, embargo_active: false }, errors: ["access_open"], state: "passed" },
];

const IDENTIFIED: Cases = [
  ...count("creator_pid_count", 1),
  { given: { person_creator_count: 0 }, state: "not_evaluable" },
  { given: { person_creator_count: 0, creator_pid_count: 0 }, state: "not_evaluable" },
  { given: { person_creator_count: 0 }, errors: ["creator_pid_count"], state: "failed" },
  { given: { person_creator_count: 1 }, state: "source_missing" },
  { given: { person_creator_count: 2, creator_pid_count: 0 }, state: "absent" },
  { given: { person_creator_count: 2, creator_pid_count: 1 }, state: "passed" },
];

const ALL_IDENTIFIED: Cases = [
  ...(
    [
      [null, null, "source_missing"],
      [null, 2, "source_missing"],
      [1, null, "source_missing"],
      [0, null, "absent"],
      [0, 1, "absent"],
      [1, 2, "absent"],
      [2, 1, "absent"],
      [1, 1, "passed"],
      [2858, 2858, "passed"],
      [2857, 2858, "absent"],
      [0, 0, "not_evaluable"],
      [null, 0, "not_evaluable"],
    ] as const
  ).map(
    ([pids, people, state]): StateCase => ({ given: { creator_pid_count: pids, person_creator_count: people }, state }),
  ),
  { given: { person_creator_count: 0 }, errors: ["creator_pid_count"], state: "failed" },
  { given: { creator_pid_count: 1 }, errors: ["person_creator_count"], state: "failed" },
  { given: { creator_pid_count: 2, person_creator_count: 2 }, errors: ["person_creator_count"], state: "passed" },
];

const V1: Readonly<Record<string, Cases>> = {
  S1: count("place_count", 1),
  S2: count("coverage_date_count", 1),
  S3: count("contributor_count", 1),
  S4: either("keyword_count", "subject_count"),
  S5: count("ethics_length", 1),
  H1: count("methods_length", 1),
  H2: count("creator_pid_count", 1),
  H3: count("organization_pid_count", 1),
  H4: count("reference_count", 1),
  H5: count("description_length", 100),
  A1: flag("access_declared"),
  A2: text("license_spdx"),
  A3: flag("license_permissive"),
  A4: flag("embargo_active", false),
  A5: count("open_format_file_count", 1),
  R1: count("view_count", 1),
  R2: count("download_count", 1),
  R3: count("citation_count", 1),
  R4: count("derivative_count", 1),
  R5: count("mention_count", 1),
  E1: count("publication_link_count", 1),
  E2: count("data_link_count", 1),
  E3: either("funder_count", "award_count"),
  E4: flag("version_stated"),
  E5: flag("venue_stated"),
};

const BETA_2: Readonly<Record<string, Cases>> = {
  S1: count("keyword_count", 1),
  S2: count("keyword_count", 3),
  S3: count("contributor_count", 1),
  S4: count("contributor_role_count", 1),
  S5: count("subject_count", 1),
  H1: count("description_length", 100),
  H2: count("description_length", 300),
  H3: count("methods_length", 50),
  H4: count("reference_count", 1),
  H5: count("reference_pid_count", 1),
  A1: text("license_text"),
  A2: text("license_spdx"),
  A3: flag("license_open"),
  A4: flag("access_declared"),
  A5: OPEN,
  R1: fileCount("documentation_file_count"),
  R2: CODE,
  R3: fileCount("manifest_file_count"),
  R4: fileCount("inspectable_file_count"),
  R5: HALF,
  E1: IDENTIFIED,
  E2: ALL_IDENTIFIED,
  E3: count("funder_count", 1),
  E4: count("award_count", 1),
  E5: count("related_identifier_count", 1),
};

const BETA_1: Readonly<Record<string, Cases>> = {
  ...BETA_2,
  S2: count("keyword_count", 2),
  H2: count("description_length", 200),
  H3: count("methods_length", 1),
  R5: fileCount("descriptive_filename_count"),
};

export const STATE_CASES: Readonly<Record<ContractId, Readonly<Record<string, Cases>>>> = {
  "1.0.0": V1,
  "2.0.0-beta.1": BETA_1,
  "2.0.0-beta.2": BETA_2,
};
