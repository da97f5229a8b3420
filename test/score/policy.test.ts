/** The policy that a record with fewer than five judged signals has no score, because too little evidence is not a zero. */

import { describe, expect, test } from "vitest";
import { scoreEvidence } from "../../pipeline/3-score/index.ts";
import { type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { NO_POLICY, POLICY, publicContracts } from "../../pipeline/rubrics/contracts.ts";
import { EVIDENCE_NAMES, type Evidence } from "../../schemas/public/evidence.ts";
import type { Policy } from "../../schemas/public/release.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";

/** Evidence with which four signals of SHARE 2.0 can be judged (S3, E3, E4 and E5), but only two of SHARE 1.0 (S3 and E3). */
const FOUR: Partial<Evidence> = { contributor_count: 0, funder_count: 0, award_count: 0, related_identifier_count: 0 };
const FIVE = { ...FOUR, contributor_role_count: 0 };

interface Case {
  readonly name: string;
  readonly evidence: Partial<Evidence>;
  readonly total: number | null;
}

/** Cases under SHARE 2.0 for DataCite, which supports all of these signals. */
const CASES: readonly Case[] = [
  { name: "no evidence", evidence: {}, total: null },
  { name: "four absent signals", evidence: FOUR, total: null },
  {
    name: "four passed signals",
    evidence: { contributor_count: 1, funder_count: 1, award_count: 1, related_identifier_count: 1 },
    total: null,
  },
  { name: "five absent signals", evidence: FIVE, total: 0 },
  { name: "five signals, one of them passed", evidence: { ...FIVE, funder_count: 2 }, total: 4 },
];

async function scored(evidence: Partial<Evidence>, policy: Policy) {
  const db: Database = await openDuckDB({ threads: 1, memory: "128MB" });
  try {
    await db.create(RECORD_TABLES.evidence);
    const names = EVIDENCE_NAMES.filter((name) => evidence[name] !== undefined);
    await db.run(`insert into evidence (${["id", "source", ...names, "evidence_errors"].join(", ")})
      values (${["'r1'", "'datacite'", ...names.map((name) => evidence[name]), "0"].join(", ")})`);
    const contracts = (await publicContracts()).map(({ version, contract }) => ({ rubric: version, contract }));
    await scoreEvidence(db, contracts, policy);
    return await db.rows("select * from score order by rubric desc");
  } finally {
    db.close();
  }
}

describe("the policy of at least five judged signals", () => {
  test.each(CASES)("a record with $name has the total $total", async ({ evidence, total }) => {
    const [row] = await scored(evidence, POLICY);
    expect(row).toMatchObject({ rubric: "2.0", total, status: total === null ? "insufficient_evidence" : "scored" });
    const points = ["s", "h", "a", "r", "e"].map((bucket) => row?.[bucket] ?? null);
    if (total === null) expect(points).toEqual([null, null, null, null, null]);
    else expect(points.reduce<number>((sum, value) => sum + Number(value), 0)).toBe(total);
    expect(row?.supported_mask).toBeGreaterThan(0);
  });

  test("the policy is applied to each SHARE version separately", async () => {
    expect(await scored(FIVE, POLICY)).toMatchObject([
      { rubric: "2.0", status: "scored", total: 0 },
      { rubric: "1.0", status: "insufficient_evidence", total: null },
    ]);
  });

  test("observed use is unknown under every SHARE version if SHARE 1.0 has no total", async () => {
    const rows = await scored({ ...FIVE, citation_count: 3 }, POLICY);
    expect(rows.map(({ observed_use: use }) => use)).toEqual([null, null]);
  });

  test("without the policy, every record has a total", async () => {
    expect(await scored({}, NO_POLICY)).toMatchObject([{ total: 0 }, { total: 0 }]);
  });
});
