/** The states of every signal of every contract, computed by the SQL that is compiled from the contracts. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blankEvidence } from "../../pipeline/reading/normalised.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { EVIDENCE, EVIDENCE_NAMES, type Evidence, type EvidenceName } from "../../schemas/public/evidence.ts";
import { CONTRACTS, type ContractId } from "../../schemas/public/rubric.ts";
import { getSignalState, type Masks, popcount, SIGNAL_IDS, type SignalState } from "../../schemas/public/signal.ts";
import { STATE_CASES } from "./cases.ts";
import { type EvidenceRow, listStates, type MadeUpPledge, type ScoreRow, ScoringBench } from "./scoring.ts";

type Truth = boolean | null;
type Rule = (evidence: Evidence) => Truth;

interface Judged {
  readonly rule: Rule;
  readonly needs: readonly EvidenceName[];
  /** True if one of two columns is enough for the signal. A column that the source can never have then counts as 0. */
  readonly either?: boolean;
  readonly unless?: Rule;
}

/** The properties of a source that the simple scorer of this test needs. */
interface Carries {
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

/** Returns the rules of a beta contract of SHARE 2.0. The parameters are the rules in which the two beta contracts differ. */
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

/** Computes the states of the 25 signals in a second, simple way for comparison, in the order of their bits. */
function naiveStates(
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

/** Computes the five masks from 25 states. */
function naiveMasks(states: readonly SignalState[]): Masks {
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

const ALL = 2 ** 25 - 1;
const PLEDGES: readonly MadeUpPledge[] = [
  { source: "everything", supported: ALL, neverCarries: [] },
  { source: "nothing", supported: 0, neverCarries: [] },
  { source: "no_keywords", supported: ALL, neverCarries: ["keyword_count", "funder_count", "code_file_count"] },
  { source: "no_subjects", supported: ALL, neverCarries: ["subject_count", "award_count", "linked_code_count"] },
  { source: "no_files", supported: ALL, neverCarries: ["file_count", "code_file_count", "place_count"] },
  { source: "some", supported: 0b10101_01010_11011_00100_01110, neverCarries: ["access_open", "embargo_active"] },
];

function row(source: string, given: Partial<Evidence>, errors: Iterable<EvidenceName> = []): EvidenceRow {
  return { source, evidence: { ...blankEvidence(), ...given }, errors: new Set(errors) };
}

let madeUp: ScoringBench;
let real: ScoringBench;
beforeAll(async () => {
  madeUp = await ScoringBench.open(PLEDGES);
  real = await ScoringBench.open();
});
afterAll(() => {
  madeUp[Symbol.dispose]();
  real[Symbol.dispose]();
});

function getScore(scores: ReadonlyMap<ContractId, ScoreRow> | undefined, contract: ContractId): ScoreRow {
  const score = scores?.get(contract);
  if (score === undefined) throw new Error(`the statement returned no score under contract ${contract}`);
  return score;
}

/** Signals of SHARE 2.0 that can be "not evaluable", for example because the files are hidden. */
const JUDGED_SOMETIMES = new Set(["R1", "R2", "R3", "R4", "R5", "E1", "E2"]);

describe.each(CONTRACTS)("contract %s", (contract) => {
  const signals = Object.entries(STATE_CASES[contract]).map(([id, cases]) => ({ id, cases }));

  test("the cases of this contract contain every state that each signal can have", () => {
    expect(signals.map(({ id }) => id)).toEqual(SIGNAL_IDS);
    for (const { id, cases } of signals) {
      const expected: SignalState[] = ["absent", "failed", "passed", "source_missing"];
      if (contract !== "1.0.0" && JUDGED_SOMETIMES.has(id)) expected.push("not_evaluable");
      expect([...new Set(cases.map(({ state }) => state))].sort(), id).toEqual(expected.sort());
    }
  });

  const cases = signals.flatMap(({ id, cases: ofSignal }) => ofSignal.map((one) => ({ id, ...one })));

  /** Returns the states of each signal by id, one for each of its cases, for an invented source. */
  async function statesUnder(source: string): Promise<Map<string, (SignalState | undefined)[]>> {
    const scores = await madeUp.score(cases.map(({ given, errors }) => row(source, given, errors)));
    const states = cases.map(({ id }, index) => ({ id, state: listStates(getScore(scores[index], contract))[id] }));
    return new Map(signals.map(({ id }) => [id, states.filter((one) => one.id === id).map(({ state }) => state)]));
  }

  describe("the state of each signal", () => {
    let states: Map<string, (SignalState | undefined)[]>;
    beforeAll(async () => {
      states = await statesUnder("everything");
    });
    test.each(signals)("the state of $id follows from the evidence", ({ id, cases: ofSignal }) => {
      const got = ofSignal.map((one, index) => ({ ...one, state: states.get(id)?.[index] }));
      expect(got).toEqual(ofSignal);
    });
  });

  test("every signal is unsupported for a source that supports none, whatever the evidence", async () => {
    for (const states of (await statesUnder("nothing")).values())
      expect(new Set(states)).toEqual(new Set(["unsupported"]));
  });
});

/** Evidence with which every signal of every contract passes. */
const BEST: Evidence = {
  ...blankEvidence(),
  ...Object.fromEntries(
    EVIDENCE.map(({ name, type }) => [name, type === "int" ? 1000 : type === "bool" ? true : "CC0-1.0"]),
  ),
  embargo_active: false,
};

/** The signals that a source does not support, by contract. They were listed by hand from payloads of the source. */
const UNSUPPORTED: Readonly<Record<string, Readonly<Record<ContractId, string>>>> = {
  clinicaltrials: {
    "1.0.0": "H2 H3 A2 A3 A4 A5 R1 R2 R3 R4 R5 E4 E5",
    "2.0.0-beta.1": "A1 A2 A3 A5 R2 R3 R4 R5 E1 E2",
    "2.0.0-beta.2": "A1 A2 A3 A5 R2 R3 R4 R5 E1 E2",
  },
  datacite: { "1.0.0": "S5 R5", "2.0.0-beta.1": "R1 R3 R4 R5", "2.0.0-beta.2": "R1 R3 R4 R5" },
  zenodo: { "1.0.0": "S5 H3 R3 R5", "2.0.0-beta.1": "", "2.0.0-beta.2": "" },
};

describe("under the real pledges", () => {
  test.each(Object.keys(UNSUPPORTED))("every supported signal of %s can pass, which gives its cap", async (source) => {
    const [scores] = await real.score([row(source, BEST)]);
    for (const contract of CONTRACTS) {
      const score = getScore(scores, contract);
      const unsupported = Object.entries(listStates(score)).filter(([, state]) => state !== "passed");
      expect(unsupported.map(([id]) => id).join(" ")).toBe(UNSUPPORTED[source]?.[contract]);
      expect(new Set(unsupported.map(([, state]) => state))).toEqual(
        new Set(unsupported.length === 0 ? [] : ["unsupported"]),
      );
      expect(score.total).toBe(100 - 4 * unsupported.length);
    }
  });

  test("the observed use beside each total is the R bucket of contract 1.0.0", async () => {
    const [scores] = await real.score([row("datacite", { view_count: 1, citation_count: 2, download_count: 0 })]);
    expect(CONTRACTS.map((contract) => getScore(scores, contract).observedUse)).toEqual([8, 8, 8]);
    expect(CONTRACTS.map((contract) => getScore(scores, contract).total)).toEqual([8, 0, 0]);
  });

  // DataCite lists no files, so code can only be linked. A restricted record without a link cannot be judged.
  test.each([
    { given: { linked_code_count: 0 }, state: "absent" },
    { given: { linked_code_count: 2 }, state: "passed" },
    { given: {}, state: "source_missing" },
    { given: { linked_code_count: 0, access_open: false }, state: "not_evaluable" },
    { given: { linked_code_count: 0, embargo_active: true }, state: "not_evaluable" },
    { given: { linked_code_count: 1, access_open: false }, state: "passed" },
    { given: { linked_code_count: 0, access_open: true, embargo_active: false }, state: "absent" },
  ])("R2 of a DataCite record with $given is $state", async ({ given, state }) => {
    const [scores] = await real.score([row("datacite", given)]);
    expect(listStates(getScore(scores, "2.0.0-beta.2")).R2).toBe(state);
    expect(listStates(getScore(scores, "2.0.0-beta.1")).R2).toBe(state);
  });
});

describe("if a source can never have a column,", () => {
  test.each([
    { source: "no_keywords", signal: "S4", given: { subject_count: 0 }, state: "absent" },
    { source: "no_keywords", signal: "S4", given: { subject_count: 1 }, state: "passed" },
    { source: "no_keywords", signal: "S4", given: {}, state: "source_missing" },
    { source: "no_keywords", signal: "E3", given: { award_count: 0 }, state: "absent" },
    { source: "no_subjects", signal: "S4", given: { keyword_count: 0 }, state: "absent" },
    { source: "no_subjects", signal: "S4", given: { keyword_count: 1 }, state: "passed" },
    { source: "no_subjects", signal: "E3", given: { funder_count: 0 }, state: "absent" },
    { source: "no_subjects", signal: "E3", given: {}, state: "source_missing" },
    // If the rule has no `or`, a column that the source never has is unknown like any other.
    { source: "no_files", signal: "S1", given: {}, state: "source_missing" },
    { source: "no_keywords", signal: "S2", given: {}, state: "source_missing" },
  ])("the signal $signal of $source with $given is $state", async ({ source, signal, given, state }) => {
    const [scores] = await madeUp.score([row(source, given)]);
    expect(listStates(getScore(scores, "1.0.0"))[signal]).toBe(state);
  });

  test("signals about files that may be hidden are not evaluable, even if the source never lists files", async () => {
    const [scores] = await madeUp.score([row("no_files", { access_open: false, linked_code_count: 0 })]);
    const states = listStates(getScore(scores, "2.0.0-beta.2"));
    expect(["R1", "R2", "R3", "R4", "R5"].map((id) => states[id])).toEqual(Array(5).fill("not_evaluable"));
  });
});

const COUNTS = [null, null, 0, 0, 1, 1, 2, 3, 4, 49, 50, 99, 100, 199, 200, 299, 300, 2_147_483_647];
const value = {
  int: fc.constantFrom(...COUNTS),
  bool: fc.constantFrom(null, false, true),
  text: fc.constantFrom(null, "", "MIT"),
};
const anyEvidence = fc.tuple(...EVIDENCE.map(({ type }) => value[type])).map(
  (values): Evidence => ({
    ...blankEvidence(),
    ...Object.fromEntries(EVIDENCE_NAMES.map((name, index) => [name, values[index]])),
  }),
);
const anyErrors = fc.oneof(fc.constant([]), fc.subarray([...EVIDENCE_NAMES], { maxLength: 12 }));

function makeRows(sources: readonly string[]): fc.Arbitrary<EvidenceRow[]> {
  const any = fc.record({ source: fc.constantFrom(...sources), evidence: anyEvidence, errors: anyErrors });
  return fc.array(
    any.map(({ source, evidence, errors }) => ({ source, evidence, errors: new Set(errors) })),
    { minLength: 200, maxLength: 200 },
  );
}

function expectInvariants(score: ScoreRow): void {
  const { supportedMask: supported, evaluableMask: evaluable, passedMask: passed } = score;
  const { sourceMissingMask: missing, failedMask: failed } = score;
  expect(passed & ~evaluable).toBe(0);
  expect((evaluable | missing | failed) & ~supported).toBe(0);
  expect((evaluable & missing) | (evaluable & failed) | (missing & failed)).toBe(0);
  expect(score.total).toBe(4 * popcount(passed));
  expect(score.total).toBeLessThanOrEqual(4 * popcount(supported));
  expect(score.buckets).toEqual([0, 5, 10, 15, 20].map((bit) => 4 * popcount((passed >> bit) & 31)));
}

function known<Pledge>(pledge: Pledge | undefined): Pledge {
  if (pledge === undefined) throw new Error("a source of the generated rows has no pledge");
  return pledge;
}

async function expectOracle(
  bench: ScoringBench,
  rows: readonly EvidenceRow[],
  getCarries: (source: string, contract: ContractId) => Carries,
): Promise<void> {
  const scores = await bench.score(rows);
  for (const [index, { source, evidence, errors }] of rows.entries()) {
    for (const contract of CONTRACTS) {
      const score = getScore(scores[index], contract);
      const states = naiveStates(contract, evidence, errors, getCarries(source, contract));
      expect(SIGNAL_IDS.map((_, bit) => getSignalState(bit, score))).toEqual(states);
      expect(score).toMatchObject(naiveMasks(states));
      expectInvariants(score);
    }
  }
}

describe("for any evidence, a second scorer computes the same masks", () => {
  test("a second scorer computes the same masks for any evidence under invented pledges", async () => {
    const pledges = new Map<string, Carries>(PLEDGES.map((pledge) => [pledge.source, pledge]));
    await fc.assert(
      fc.asyncProperty(makeRows([...pledges.keys()]), (rows) =>
        expectOracle(madeUp, rows, (source) => known(pledges.get(source))),
      ),
      { numRuns: 10, endOnFailure: true },
    );
  });

  test("a second scorer computes the same masks for any evidence under the real pledges", async () => {
    const pledges = await readPledges();
    await fc.assert(
      fc.asyncProperty(makeRows([...pledges.keys()]), (rows) =>
        expectOracle(real, rows, (source, contract) => {
          const pledge = known(pledges.get(source));
          return { supported: supportedMask(pledge, contract), neverCarries: pledge.neverCarries };
        }),
      ),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
