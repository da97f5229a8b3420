/** The id of a researcher is made in SQL, and of an ORCID iD in TypeScript as well: both are held to the same ids, worked out by hand. */

import { hash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";

let db: Database;
beforeAll(async () => {
  db = await openDuckDB({ threads: 1, memory: "256MB" });
});
afterAll(() => db.close());

const ORCID = "0000-0002-1825-0097";
const idOf = (key: string) => `a${hash("sha256", key).slice(0, 24)}`;

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

test.each(CASES)("$name", async ({ of: [orcid, full, folded, affiliation], key, basis }) => {
  const rows = await db.rows(
    `select researcher_id($orcid, $full, $folded, $affiliation, 'family') as id,
       identity_basis($orcid, $full, $affiliation) as basis`,
    { orcid, full, folded, affiliation },
  );
  expect(rows).toEqual([{ id: idOf(key), basis }]);
  if (orcid !== null) expect(idOfOrcid(orcid)).toBe(idOf(key));
});

test.each([
  [true, "jane doe", null, true],
  [true, "", ORCID, true],
  [true, "", null, false],
  [false, "the institute", ORCID, false],
])("is a researcher: person %s, name '%s', iD %s: %s", async (person, folded, orcid, is) => {
  const rows = await db.rows("select is_researcher($person, $folded, $orcid) as is_one", { person, folded, orcid });
  expect(rows).toEqual([{ is_one: is }]);
});
