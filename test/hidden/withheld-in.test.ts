/** The function withoutHidden, which removes hidden researchers from results that were stored before they were hidden. */

import { expect, test } from "vitest";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";
import { ResearcherIds, withoutHidden } from "../../server/accounts/standings.ts";

const ORCID = "0000-0002-1825-0097";
const ID = `a${"7".repeat(24)}`;

const author = (members: object) => ({ id: null, name: "N", affiliation: "A", slug: null, orcid: null, ...members });
const WITHHELD = { id: null, name: "withheld", affiliation: null, slug: null, orcid: null };

const record = (...authors: readonly unknown[]) => ({ id: "r1", authors, signals: [1, 2], title: "T" });

const CASES: readonly { name: string; given: unknown; expected: unknown }[] = [
  {
    name: "researchers with ids, in a record of a release",
    given: record(author({ id: ID, slug: "n-7777777777" }), author({ name: "O" })),
    expected: record(WITHHELD, author({ name: "O" })),
  },
  {
    name: "researchers with ORCID iDs, in a record without ids",
    given: record(author({ name: "O" }), author({ orcid: ORCID })),
    expected: record(author({ name: "O" }), WITHHELD),
  },
  {
    name: "researchers within an evaluation",
    given: { evaluation: { id: "e1", record: record(author({ orcid: ORCID })), release: null } },
    expected: { evaluation: { id: "e1", record: record(WITHHELD), release: null } },
  },
  {
    name: "other people stay",
    given: record(author({ id: `a${"8".repeat(24)}` }), author({ orcid: "0000-0001-5109-3700" })),
    expected: record(author({ id: `a${"8".repeat(24)}` }), author({ orcid: "0000-0001-5109-3700" })),
  },
  {
    name: "malformed authors stay",
    given: record("x", null, { orcid: 3 }),
    expected: record("x", null, { orcid: 3 }),
  },
  { name: "an error without creators", given: null, expected: null },
  { name: "a text", given: "text", expected: "text" },
  { name: "a record without creators", given: { id: "r1" }, expected: { id: "r1" } },
];

test.each(CASES)("withoutHidden leaves hidden people out of a stored result: $name", ({ given, expected }) => {
  const standing = { withheld: new ResearcherIds([ID, idOfOrcid(ORCID)]) };
  // Compares JSON texts, because the order of the fields must not change.
  expect(JSON.stringify(withoutHidden(given, standing))).toBe(JSON.stringify(expected));
});

test("withoutHidden returns the same object if nobody is hidden", () => {
  const given = record(author({ orcid: ORCID }));
  expect(withoutHidden(given, { withheld: new ResearcherIds() })).toBe(given);
});

const SLUGS: readonly { slug: string; may: boolean }[] = [
  { slug: `anybody-${ORCID}`, may: true },
  { slug: ORCID, may: true },
  { slug: "n-7777777777", may: true },
  { slug: `n-${"7".repeat(24)}`, may: true },
  { slug: `n-7777777777${"8".repeat(14)}`, may: false },
  { slug: "n-0000-0001-5109-3700", may: false },
  { slug: "n-8888888888", may: false },
  { slug: "n-777777777", may: false },
  { slug: "", may: false },
];

test.each(SLUGS)("the slug $slug may belong to a hidden researcher: $may", ({ slug, may }) => {
  expect(new ResearcherIds([ID, idOfOrcid(ORCID)]).mayHave(slug)).toBe(may);
  expect(new ResearcherIds().mayHave(slug)).toBe(false);
});
