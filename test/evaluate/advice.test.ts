/**
 * The advice for a signal that is not passed. By the state of the signal, it is an action with the person who can act, or a
 * question.
 */

import { describe, expect, test } from "vitest";
import { adviceOn, type SignalAdvice } from "../../api-static/pages/record.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import type { Evidence } from "../../schemas/public/evidence.ts";
import { type SignalState, STATES } from "../../schemas/public/signal.ts";

const contracts = await readContracts();
const pledges = await readPledges();

type Given = Readonly<Partial<Evidence>>;

function advice(
  source: string,
  id: string,
  state: SignalState,
  given: Given | null,
  of = "2.0.0-beta.2",
): SignalAdvice {
  const contract = [...contracts.values()].find((one) => one.contract === of);
  const signal = contract?.signals.find((one) => one.id === id);
  const pledge = pledges.get(source);
  if (contract === undefined || signal === undefined || pledge === undefined)
    throw new Error(`contract ${of}, signal ${id} or the pledge of ${source} is missing`);
  return adviceOn(signal, state, given, { pledge, contract });
}

type Case = readonly [name: string, said: () => SignalAdvice, expected: SignalAdvice];

const NOTHING: SignalAdvice = { advice: null, adviceFor: null, effort: null };

const CASES: readonly Case[] = [
  ["passed", () => advice("zenodo", "S1", "passed", { keyword_count: 3 }), NOTHING],
  ["not pledged", () => advice("geo", "S1", "unsupported", {}), NOTHING],
  [
    "absent: the form's label, the depositor's task, an edit",
    () => advice("zenodo", "S1", "absent", { keyword_count: 0 }),
    {
      advice: 'Enter at least one keyword in "Keywords and subjects".',
      adviceFor: "depositor",
      effort: "record",
    },
  ],
  [
    "absent: new files",
    () => advice("zenodo", "R1", "absent", { documentation_file_count: 0 }),
    { advice: 'Add a README, codebook or data dictionary in "Files".', adviceFor: "depositor", effort: "files" },
  ],
  [
    "absent: a new version",
    () => advice("dryad", "H3", "absent", { methods_length: 0 }),
    {
      advice: 'Describe how the data were produced in "Methods", in at least 50 characters.',
      adviceFor: "depositor",
      effort: "version",
    },
  ],
  [
    "absent: only the data centre can change it",
    () => advice("datacite", "E3", "absent", { funder_count: 0 }),
    { advice: 'Name the funder in "Funding References".', adviceFor: "data centre", effort: "record" },
  ],
  [
    "absent: the field of the aggregator",
    () => advice("openaire", "E3", "absent", { funder_count: 0 }),
    {
      advice: 'Name the funder in "datacite:fundingReference", so that OpenAIRE links its project.',
      adviceFor: "repository",
      effort: "record",
    },
  ],
  [
    "absent, under 1.0, without a form field",
    () => advice("datacite", "R3", "absent", { citation_count: 0 }, "1.0.0"),
    {
      advice: "Ask those who use the data to cite their DOI in the list of references.",
      adviceFor: "depositor",
      effort: null,
    },
  ],
  [
    "absent, with an unknown label",
    () => advice("zenodo", "A4", "absent", { access_declared: false }),
    {
      advice: "State the access level. The form's label for it is unknown.",
      adviceFor: "depositor",
      effort: "record",
    },
  ],
  [
    "no file list",
    () => advice("osf", "R1", "source_missing", {}),
    {
      advice:
        "No list of files was given, so this could not be judged: is there at least one documentation file, such as a README, codebook or data dictionary?",
      adviceFor: "depositor",
      effort: null,
    },
  ],
  [
    "a licence without an SPDX id, which the record does state",
    () => advice("datacite", "A2", "source_missing", { license_text: "CC BY" }),
    {
      advice:
        "No SPDX id of a licence was given, so this could not be judged: can the stated licence be recognised as a known licence?",
      adviceFor: "data centre",
      effort: null,
    },
  ],
  [
    "one of two columns is missing",
    () => advice("zenodo", "A5", "source_missing", { access_open: true }),
    {
      advice:
        "No end of an embargo was given, so this could not be judged: is the deposit stated to be open, with no embargo running on the as-of date?",
      adviceFor: "depositor",
      effort: null,
    },
  ],
  [
    "files hidden",
    () => advice("zenodo", "R4", "not_evaluable", { access_open: false }),
    {
      advice:
        "The files are hidden by access or embargo, so this could not be judged: is at least one file open to inspection without unpacking or special software?",
      adviceFor: "depositor",
      effort: null,
    },
  ],
  [
    "no creator is a person",
    () => advice("datacite", "E1", "not_evaluable", { person_creator_count: 0, creator_pid_count: 0 }),
    {
      advice:
        "No person is named among the creators, so this could not be judged: is at least one of the people among the creators identified by an ORCID iD or ISNI?",
      adviceFor: "data centre",
      effort: null,
    },
  ],
  [
    "an unreadable value",
    () => advice("zenodo", "S1", "failed", {}),
    {
      advice:
        "The value of this field could not be read, so this could not be judged: does the record carry at least one keyword?",
      adviceFor: "depositor",
      effort: null,
    },
  ],
  [
    "an unreadable payload",
    () => advice("zenodo", "S1", "failed", null),
    {
      advice: "The payload could not be read, so this could not be judged: does the record carry at least one keyword?",
      adviceFor: "depositor",
      effort: null,
    },
  ],
];

test.each(CASES)("the advice for a signal has the expected text: %s", (_name, said, expected) => {
  expect(said()).toEqual(expected);
});

describe.each([...pledges.keys()])("advice for datasets of %s", (source) => {
  const asked = [...contracts.values()].flatMap(({ contract, signals }) =>
    signals.flatMap(({ id }) =>
      STATES.flatMap((state) => {
        const said = advice(source, id, state, {}, contract);
        return said.advice === null ? [] : [{ state, ...said }];
      }),
    ),
  );

  test("advice is a question exactly if evidence is unknown, and never promises points", () => {
    const unknown = new Set<SignalState>(["source_missing", "not_evaluable", "failed"]);
    const wrong = asked.filter(
      ({ state, advice }) => unknown.has(state) !== /, so this could not be judged: [a-z].*\?$/.test(advice ?? ""),
    );
    expect(wrong).toEqual([]);
    expect(asked.filter(({ advice }) => /\bpoints\b/.test(advice ?? ""))).toEqual([]);
  });

  test("every piece of advice names the person who can act", () => {
    expect(asked.filter(({ adviceFor }) => adviceFor === null)).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
  });
});
