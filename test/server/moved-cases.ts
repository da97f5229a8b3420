/**
 * Test cases for old URLs: ids of records that were merged into another, slugs with an old name, digests with a colon, and
 * labels with special characters.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { repositoryBadge } from "../../api-static/pages/badge.ts";
import { ask } from "./ask.ts";
import { type Listening, makeRecordId, ODD_LABEL, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

const LOSER = makeRecordId(SPECIAL.loser);
const WINNER = makeRecordId(SPECIAL.winner);

export function movedCases(world: () => World): void {
  describe("redirects", () => {
    let server: Listening;
    beforeAll(async () => {
      server = await world().serve(world().store);
    });

    async function expectMoved(from: string, to: string, status = 308): Promise<void> {
      const reply = await ask(server.port, from);
      expect([reply.status, reply.headers.location, reply.body.length]).toEqual([status, to, 0]);
      expect((await ask(server.port, to)).status).toBe(200);
    }

    const ALIASES = [
      { from: `/records/${LOSER}`, to: `/records/${WINNER}` },
      { from: `/records/${LOSER}?rubric=1.0&utm_x=%C3%A9%20y`, to: `/records/${WINNER}?rubric=1.0&utm_x=%C3%A9%20y` },
      { from: `/records/${LOSER}/impact?rubric=1.0`, to: `/records/${WINNER}/impact?rubric=1.0` },
      { from: `/widgets/datasets/${LOSER}/badge.svg`, to: `/widgets/datasets/${WINNER}/badge.svg` },
    ];
    test.each(ALIASES)("the old URL $from redirects to $to", async ({ from, to }) => {
      await expectMoved(from, to);
    });

    test("many simultaneous requests for old URLs each redirect to their own target", async () => {
      const known = (await world().researchers()).filter(({ orcid }) => orcid !== null).slice(0, 10);
      const asked = [
        ...known.map(({ slug, orcid }) => ({ path: `/authors/old-${orcid}`, to: `/authors/${slug}` })),
        ...ALIASES.map(({ from, to }) => ({ path: from, to })),
        { path: "/records/r000000000000000000000000", to: undefined },
        { path: "/authors/old-0000000000", to: undefined },
      ];
      const many = Array.from({ length: 4 }, () => asked).flat();
      const answers = await Promise.all(many.map(({ path }) => ask(server.port, path)));
      expect(answers.map(({ headers }) => headers.location)).toEqual(many.map(({ to }) => to));
    });

    test("the URL of a merged record with an invalid rubric returns 400 and does not redirect", async () => {
      expect((await ask(server.port, `/records/${LOSER}?rubric=3`)).status).toBe(400);
    });

    test("the slug of a researcher with another name but the right ORCID iD redirects to the current slug", async () => {
      const known = (await world().researchers()).find(({ orcid }) => orcid !== null);
      expect(known?.slug).toMatch(/-\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/);
      for (const name of ["former-name-", "x-", "a.b_c~d-", ""]) {
        const old = `${name}${known?.orcid}`;
        await expectMoved(`/authors/${old}`, `/authors/${known?.slug}`);
        await expectMoved(`/authors/${old}?rubric=1.0`, `/authors/${known?.slug}?rubric=1.0`);
        await expectMoved(`/widgets/researchers/${old}/badge.svg`, `/widgets/researchers/${known?.slug}/badge.svg`);
      }
    });

    test("the slug of a researcher without an ORCID iD redirects to the current slug if only its last ten digits are right", async () => {
      const known = (await world().researchers()).find(({ orcid }) => orcid === null);
      const digits = /-([0-9a-f]{10})$/.exec(known?.slug ?? "")?.[1];
      expect(digits).toHaveLength(10);
      await expectMoved(`/authors/former-name-${digits}?rubric=2.0`, `/authors/${known?.slug}?rubric=2.0`);
      expect((await ask(server.port, `/authors/former-name${digits}`)).status).toBe(404);
    });

    test("a release URL with a colon in the digest redirects to the one with a dash", async () => {
      const { releaseDigest } = world().full;
      const dashed = releaseDigest.replace(":", "-");
      await expectMoved(`/releases/${releaseDigest}`, `/releases/${dashed}`);
      await expectMoved(`/releases/${releaseDigest.replace(":", "%3A")}`, `/releases/${dashed}`);
      await expectMoved(
        `/releases/${releaseDigest}/data/records/part-0000.parquet?cb=1`,
        `/releases/${dashed}/data/records/part-0000.parquet?cb=1`,
      );
    });

    test("/releases/latest redirects temporarily to the current release, and returns 503 if there is none", async () => {
      const dashed = world().full.releaseDigest.replace(":", "-");
      for (const rest of ["", "/diff", "/data/records/part-0000.parquet"]) {
        await expectMoved(`/releases/latest${rest}`, `/releases/${dashed}${rest}`, 307);
      }
      const kept = (await ask(server.port, "/releases/latest")).headers["cache-control"];
      expect(kept).toBe("public, max-age=60, stale-while-revalidate=600");
      const bare = await world().serve(world().copy(world().full));
      expect((await ask(bare.port, "/releases/latest")).status).toBe(503);
    });

    test("the badge of a repository whose name cannot be a file name is made from the tables", async () => {
      const { text: metrics } = await ask(server.port, "/metrics/live");
      const breakdown: { repository: string; scoredCount: number; totalDistribution: object; meanCap: number }[] =
        JSON.parse(metrics).repositoryBreakdown;
      const odd = breakdown.find(({ repository }) => repository === ODD_LABEL);
      const reply = await ask(server.port, `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`);
      expect(reply.status).toBe(200);
      const {
        scoredCount: count,
        totalDistribution: totals,
        meanCap,
      } = odd ?? { scoredCount: 0, totalDistribution: {}, meanCap: 0 };
      const sum = Object.entries(totals).reduce((added, [total, records]) => added + Number(total) * records, 0);
      expect(reply.text).toBe(repositoryBadge({ sum, count }, { sum: Math.round(meanCap * count), count }));
    });
  });
}
