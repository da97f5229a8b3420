/**
 * Some functions exist both as macros of the engine and in TypeScript, such as the id of a researcher. Macro and function give
 * the same values for the same arguments, and the ids that were worked out by hand.
 */

import { hash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { isResearcher, publicationDate, researcherId } from "../../pipeline/evaluate/scorer.ts";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";

let db: Database;
beforeAll(async () => {
  db = await openDuckDB({ threads: 1, memory: "256MB" });
});
afterAll(() => db.close());

const ORCID = "0000-0002-1825-0097";
const makeResearcherId = (key: string) => `a${hash("sha256", key).slice(0, 24)}`;

const CASES = [
  {
    name: "an ORCID iD with any other data",
    of: [ORCID, true, "jane doe", "a place"],
    key: `orcid:${ORCID}`,
    basis: "orcid",
  },
  {
    name: "a full name with an affiliation",
    of: [null, true, "jane doe", "a place"],
    key: "name_affiliation:jane doe|a place",
    basis: "name_affiliation",
  },
  {
    name: "an initial with an affiliation",
    of: [null, false, "j doe", "a place"],
    key: "name:j doe|family",
    basis: "name",
  },
  { name: "only a full name", of: [null, true, "jane doe", ""], key: "name:jane doe|family", basis: "name" },
] as const;

test.each(CASES)(
  "the engine and TypeScript compute the same researcher id and basis: $name",
  async ({ of: [orcid, full, folded, affiliation], key, basis }) => {
    const rows = await db.rows(
      `select researcher_id($orcid, $full, $folded, $affiliation, 'family') as id,
       identity_basis($orcid, $full, $affiliation) as basis`,
      { orcid, full, folded, affiliation },
    );
    expect(rows).toEqual([{ id: makeResearcherId(key), basis }]);
    if (orcid !== null) expect(idOfOrcid(orcid)).toBe(makeResearcherId(key));
  },
);

test.each([
  [true, "jane doe", null, true],
  [true, "", ORCID, true],
  [true, "", null, false],
  [false, "the institute", ORCID, false],
])(
  "a creator (person: %s) with the name '%s' and the ORCID iD %s is a researcher: %s",
  async (person, folded, orcid, is) => {
    const rows = await db.rows("select is_researcher($person, $folded, $orcid) as is_one", { person, folded, orcid });
    expect(rows).toEqual([{ is_one: is }]);
  },
);

test.each([
  ["2027", "2026-11-01", "2027"],
  ["2027-12-31", "2026-01-01", "2027-12-31"],
  ["2028", "2026-11-01", null],
  ["1e3", "2026-11-01", null],
  [" 2020", "2026-11-01", null],
  ["", "2026-11-01", null],
  [null, "2026-11-01", null],
])("the date of publication %j is read in a build as of %s as %j", (date, asOf, shown) => {
  expect(publicationDate(date, asOf)).toBe(shown);
});

const GIVEN = {
  name: "given",
  grain: "the arguments of the functions",
  key: ["place"],
  columns: {
    place: "int",
    date: "text",
    as_of: "text",
    person: "bool",
    full_name: "bool",
    folded_name: "text",
    orcid: "text",
    affiliation: "text",
    family: "text",
  },
} as const;

const MACROS = `select publication_date(date, as_of) as date, is_researcher(person, folded_name, orcid) as is_researcher,
    researcher_id(orcid, full_name, folded_name, affiliation, family) as id
  from given order by place`;

const ODD = [
  "+202",
  "-202",
  "1e3",
  "20.4",
  "2_02",
  "0x7E",
  " 2024",
  "2024 ",
  "\t2024",
  "２０２４",
  "٢٠٢٤",
  "2024😀",
  "999",
  "NaN",
];
const text = fc.oneof(
  fc.constantFrom("", " ", "|", "'", "name:", "jane doe", "文", "😀", "é", "e\u0301", "\ufffd"),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 12 }),
);
const year = fc.integer({ min: 0, max: 9999 }).map((number) => String(number).padStart(4, "0"));
const near = fc.constantFrom("2025", "2026", "2027", "2028");
const date = fc.oneof(
  fc.tuple(fc.oneof(near, year), fc.constantFrom("", "-01", "-02-30", "T00", "é", "9")).map((parts) => parts.join("")),
  fc.constantFrom(...ODD),
  text,
);
const anyGiven = fc.record({
  date: fc.option(date),
  as_of: fc.oneof(near, year).map((number) => `${number}-11-01`),
  person: fc.boolean(),
  full_name: fc.boolean(),
  folded_name: text,
  orcid: fc.option(fc.constant(ORCID)),
  affiliation: text,
  family: text,
});

test("the macros of the engine and the functions in TypeScript give the same values for generated arguments", async () => {
  await db.create(GIVEN);
  const appender = await db.appender(GIVEN);
  const given = fc.sample(anyGiven, { numRuns: 20_000, seed: 52 });
  for (const [place, row] of given.entries()) {
    appender.appendInteger(place);
    for (const value of Object.values(row)) {
      if (value === null) appender.appendNull();
      else if (typeof value === "boolean") appender.appendBoolean(value);
      else appender.appendVarchar(value);
    }
    appender.endRow();
  }
  appender.closeSync();
  const found = given.map((row) => ({
    date: publicationDate(row.date, row.as_of),
    is_researcher: isResearcher(row),
    id: researcherId(row, row.affiliation, row.family),
  }));
  expect(found).toEqual(await db.rows(MACROS));
  // Each function returned each kind of value.
  expect(new Set(found.map((row) => row.date === null)).size).toBe(2);
  expect(new Set(found.map((row) => row.is_researcher)).size).toBe(2);
});
