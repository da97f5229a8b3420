/** The table of forms says where each pledged signal is entered, who enters it, and which page shows the label of the field. */

import { describe, expect, test } from "vitest";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { findForm, form } from "../../schemas/public/form.ts";
import type { Pledge } from "../../schemas/public/pledge.ts";

const contracts = [...(await readContracts()).values()];
const pledges = [...(await readPledges()).values()];

/** The end of the advice about a field whose label in the form was not found. */
const UNKNOWN = "The form's label for it is unknown.";

function pledgedSignals(pledge: Pledge) {
  return contracts.flatMap((contract) =>
    contract.signals.flatMap((signal) => {
      const pledged = pledge.contracts[contract.contract][signal.id];
      const name = `${contract.contract} ${signal.id}`;
      return pledged?.supported ? [{ name, signal, pledged, cell: findForm(pledge.forms, signal) }] : [];
    }),
  );
}

describe.each(pledges)("the table of forms and the advice of $source", (pledge) => {
  const signals = pledgedSignals(pledge);

  test("a source has an entry in the table of forms for each signal that it pledges", () => {
    expect(signals.filter(({ cell }) => cell === undefined).map(({ name }) => name)).toEqual([]);
    expect(signals.length).toBeGreaterThan(0);
  });

  test("a source has no entry in the table of forms for a field that no signal needs", () => {
    const used = new Set(signals.map(({ cell }) => cell));
    expect(Object.entries(pledge.forms ?? {}).flatMap(([column, cell]) => (used.has(cell) ? [] : [column]))).toEqual(
      [],
    );
  });

  test("the advice of a source names the label in its form, or says that the label is not known", () => {
    const wrong = signals.flatMap(({ name, cell, pledged }) => {
      const { label, effort } = cell ?? { label: null, effort: null };
      const said =
        label === null ? pledged.advice.endsWith(UNKNOWN) === (effort !== null) : pledged.advice.includes(`"${label}"`);
      return said ? [] : [`${name}: ${pledged.advice}`];
    });
    expect(wrong).toEqual([]);
  });

  test("the advice of a source names no paths of the payload", () => {
    const paths = signals.flatMap(({ name, pledged }) =>
      pledged.field
        .split(/, /)
        .filter((path) => /[.[/]/.test(path) && pledged.advice.includes(path))
        .map((path) => `${name}: ${path}`),
    );
    expect(paths).toEqual([]);
    expect(signals.filter(({ pledged }) => pledged.advice.includes("`")).map(({ name }) => name)).toEqual([]);
  });
});

const CELL = {
  label: "Keywords",
  who: "depositor",
  effort: "record",
  page: "https://example.org/help",
  checked: "2026-01-31",
};
const CELLS: readonly (readonly [
  name: string,
  change: Partial<Record<keyof typeof CELL, string | null>>,
  valid: boolean,
])[] = [
  ["complete", {}, true],
  ["an unknown label with the day of the search", { label: null, page: null }, true],
  ["nothing to enter", { label: null, page: null, effort: null, checked: null }, true],
  ["a label without its page", { page: null }, false],
  ["a page without a label", { label: null }, false],
  ["a label without a day", { checked: null }, false],
  ["a label of something that cannot be entered", { effort: null, checked: null }, false],
  ["an unknown label without a day", { label: null, page: null, checked: null }, false],
  ["an empty label", { label: "" }, false],
  ["an unknown role", { who: "author" }, false],
  ["a month in place of a day", { checked: "2026-01" }, false],
];

test.each(CELLS)(
  "an entry in the table of forms (%s) is valid, or rejected if it contradicts itself",
  (_name, change, valid) => {
    expect(form.safeParse({ ...CELL, ...change }).success).toBe(valid);
  },
);
