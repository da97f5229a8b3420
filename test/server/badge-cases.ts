/** Badges: of either version, refused as badges with their status, and with a quota of their own. */

import { beforeAll, describe, expect, test } from "vitest";
import { tenths } from "../../api-static/pages/tenths.ts";
import { ask, type Reply } from "./ask.ts";
import { idOf, type Listening, ODD_LABEL, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

const DATASET = `/widgets/datasets/${idOf(SPECIAL.winner)}/badge.svg`;
const NO_DATASET = "/widgets/datasets/r000000000000000000000000/badge.svg";
const ODD = `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`;

const REFUSED = [
  { path: NO_DATASET, status: 404, says: ["SHARE", "unknown"] },
  { path: `${NO_DATASET}?rubric=1.0`, status: 404, says: ["SHARE", "unknown"] },
  { path: `/widgets/datasets/${idOf(SPECIAL.tombstone)}/badge.svg`, status: 404, says: ["SHARE", "unknown"] },
  { path: "/widgets/datasets/%zz/badge.svg", status: 404, says: ["SHARE", "unknown"] },
  { path: "/widgets/datasets/a/b/badge.svg", status: 404, says: ["SHARE", "unknown"] },
  { path: `${DATASET}?rubric=3.0`, status: 400, says: ["SHARE", "unknown"] },
  { path: `${DATASET}?style=flat`, status: 400, says: ["SHARE", "unknown"] },
  { path: "/widgets/repositories/zenodo/badge.svg", status: 404, says: ["SHARE mean", "unknown"] },
  { path: "/widgets/repositories/Zen%252Fodo/badge.svg", status: 404, says: ["SHARE mean", "unknown"] },
  { path: "/widgets/repositories/%3Cscript%3E/badge.svg", status: 404, says: ["SHARE mean", "unknown"] },
  { path: `/widgets/repositories/${"a".repeat(500)}/badge.svg`, status: 404, says: ["SHARE mean", "unknown"] },
  { path: "/widgets/researchers/nobody/badge.svg", status: 404, says: ["S-Index", "unknown"] },
] as const;

function expectBadge(reply: Reply, status: number, says: readonly string[]): void {
  expect([reply.status, reply.headers["content-type"]]).toEqual([status, "image/svg+xml; charset=utf-8"]);
  expect(reply.headers).toMatchObject({
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
    "access-control-allow-origin": "*",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(reply.text).toMatch(/^<svg[^>]*>.*<\/svg>\n$/s);
  // A text is drawn twice more as its own shadow.
  expect([...reply.text.matchAll(/<text x="\d+" y="140" textLength="\d+">([^<]*)</g)].map(([, text]) => text)).toEqual(
    says,
  );
}

const colour = (svg: string) => /<rect x="\d+" width="\d+" height="20" fill="([^"]+)"/.exec(svg)?.[1];

export function badgeCases(world: () => World): void {
  describe("badges", () => {
    let server: Listening;

    beforeAll(async () => {
      server = await world().serve(world().store);
    });

    test.each(REFUSED)("$path is $status and says $says", async ({ path, status, says }) => {
      const reply = await ask(server.port, path);
      expectBadge(reply, status, says);
      expect(reply.headers["cache-control"]).toBe(status === 404 ? "public, max-age=60" : "no-store");
      expect(colour(reply.text)).toBe("#6b6b6b");
      const head = await ask(server.port, path, { method: "HEAD" });
      expect([head.status, head.headers["content-type"], head.body.length]).toEqual([
        status,
        reply.headers["content-type"],
        0,
      ]);
    });

    test("what is no picture is refused in words", async () => {
      const reply = await ask(server.port, DATASET, { method: "POST" });
      expect([reply.status, reply.headers["content-type"]]).toEqual([405, "application/problem+json"]);
    });

    test("an unpublished version is 409, whichever it is", async () => {
      const [newer, older] = world().full.rubrics;
      expect([newer?.version, older?.version]).toEqual(["2.0", "1.0"]);
      const [of1, of2] = await Promise.all(
        [older, newer].map(async (rubric) =>
          world().serve(await world().altered(world().full, { rubrics: rubric === undefined ? [] : [rubric] })),
        ),
      );
      expectBadge(await ask(of1?.port ?? 0, DATASET), 409, ["SHARE", "unknown"]);
      expectBadge(await ask(of1?.port ?? 0, `${DATASET}?rubric=2.0`), 409, ["SHARE", "unknown"]);
      expect((await ask(of1?.port ?? 0, `${DATASET}?rubric=1.0`)).status).toBe(200);
      expectBadge(await ask(of2?.port ?? 0, `${DATASET}?rubric=1.0`), 409, ["SHARE", "unknown"]);
    });

    test("each version has its own figure, from the tables of its own", async () => {
      const { port } = server;
      const json = async (path: string) => JSON.parse((await ask(port, path)).text);
      const [researcher] = await world().researchers();
      const figures = [
        {
          path: DATASET,
          label: "SHARE",
          of: async (query: string) => String((await json(`/records/${idOf(SPECIAL.winner)}${query}`)).shareScore),
        },
        ...["Zenodo", ODD_LABEL].map((label) => ({
          path: `/widgets/repositories/${encodeURIComponent(label)}/badge.svg`,
          label: "SHARE mean",
          of: async (query: string) => {
            const { repositoryBreakdown } = await json(`/metrics/live${query}`);
            const { scoredCount, totalDistribution } = repositoryBreakdown.find(
              (entry: { repository: string }) => entry.repository === label,
            );
            const sum = Object.entries(totalDistribution).reduce(
              (all, [total, n]) => all + Number(total) * Number(n),
              0,
            );
            return tenths({ sum, count: scoredCount });
          },
        })),
        {
          path: `/widgets/researchers/${researcher?.slug}/badge.svg`,
          label: "S-Index",
          of: async (query: string) => String((await json(`/authors/${researcher?.slug}${query}`)).sIndex),
        },
      ];
      for (const { path, label, of } of figures) {
        for (const query of ["", "?rubric=2.0", "?rubric=1.0", "?utm_source=x&rubric=1.0"]) {
          const reply = await ask(port, `${path}${query}`);
          expectBadge(reply, 200, [label, await of(query.replace("utm_source=x&", ""))]);
        }
      }
      const [first, second] = [await ask(port, DATASET), await ask(port, `${DATASET}?rubric=1.0`)];
      expect(first.text).not.toBe(second.text);
      const fresh = await ask(port, `${DATASET}?rubric=1.0`, {
        headers: { "if-none-match": String(second.headers.etag) },
      });
      expect(fresh.status).toBe(304);
    });

    test("badges use up an allowance of their own, and are refused as badges", async () => {
      const { port } = await world().serve(world().store, {
        quotas: { anonymous: { requests: 2, seconds: 60 }, badge: { requests: 3, seconds: 60 } },
      });
      for (const path of [DATASET, NO_DATASET, ODD]) {
        const { status, headers } = await ask(port, path);
        expect([200, 404]).toContain(status);
        expect(headers["ratelimit-policy"]).toBe('"badge";q=3;w=60');
      }
      const refused = await ask(port, DATASET);
      expectBadge(refused, 429, ["SHARE", "try later"]);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      expect(refused.headers["cache-control"]).toBe("no-store");
      for (const status of [200, 200, 429]) expect((await ask(port, "/rubrics")).status).toBe(status);
    });

    test("before the first release there is one too", async () => {
      const { port } = await world().serve(world().copy());
      expectBadge(await ask(port, DATASET), 503, ["SHARE", "try later"]);
    });
  });
}
