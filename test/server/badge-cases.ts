/** Test cases for badges: under either SHARE version, as the response to an error, and with a rate limit of their own. */

import { beforeAll, describe, expect, test } from "vitest";
import { endpointBadge } from "../../schemas/public/api/badge.ts";
import { ask, type Reply } from "./ask.ts";
import { type Listening, makeRecordId, ODD_LABEL, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

const DATASET = `/widgets/datasets/${makeRecordId(SPECIAL.winner)}/badge.svg`;
const NO_DATASET = "/widgets/datasets/r000000000000000000000000/badge.svg";
const ODD = `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`;

const REJECTED = [
  { path: `${NO_DATASET}?rubric=1.0`, status: 404, says: ["SHARE", "unknown"] },
  { path: "/widgets/datasets/%zz/badge.svg", status: 404, says: ["SHARE", "unknown"] },
  { path: "/widgets/datasets/a/b/badge.svg", status: 404, says: ["SHARE", "unknown"] },
  { path: `${DATASET}?style=round`, status: 400, says: ["SHARE", "unknown"] },
  { path: `${DATASET}?label=`, status: 400, says: ["SHARE", "unknown"] },
  // XML does not allow these two characters.
  ...["%EF%BF%BE", "%EF%BF%BF"].map((label) => ({
    path: `${DATASET}?label=a${label}`,
    status: 400,
    says: ["SHARE", "unknown"],
  })),
  { path: `${DATASET}?colour=red`, status: 400, says: ["SHARE", "unknown"] },
  { path: `${DATASET}?release=latest`, status: 400, says: ["SHARE", "unknown"] },
  { path: `${DATASET}?release=sha256-${"0".repeat(64)}`, status: 404, says: ["SHARE", "unknown"] },
  { path: `${NO_DATASET}?style=plastic`, status: 404, says: ["SHARE", "unknown"] },
  { path: "/widgets/repositories/Zen%252Fodo/badge.svg", status: 404, says: ["SHARE mean", "unknown"] },
  { path: "/widgets/repositories/%3Cscript%3E/badge.svg", status: 404, says: ["SHARE mean", "unknown"] },
  { path: `/widgets/repositories/${"a".repeat(500)}/badge.svg`, status: 404, says: ["SHARE mean", "unknown"] },
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
  // The texts with y="140" are the visible ones. Each has a shadow with the same text.
  expect([...reply.text.matchAll(/<text x="\d+" y="140" textLength="\d+">([^<]*)</g)].map(([, text]) => text)).toEqual(
    says,
  );
}

const colour = (svg: string) => /<rect x="\d+" width="\d+" height="20" fill="([^"]+)"/.exec(svg)?.[1];

export function badgeCases(world: () => World): void {
  describe("badges of a server", () => {
    let server: Listening;

    beforeAll(async () => {
      server = await world().serve(world().store);
    });

    test.each(REJECTED)(
      "the error badge at $path has status $status and the text $says",
      async ({ path, status, says }) => {
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
      },
    );

    test("style and label change the look of a badge, but not its text", async () => {
      const { port } = server;
      const total = String(JSON.parse((await ask(port, `/records/${makeRecordId(SPECIAL.winner)}`)).text).shareScore);
      const usual = await ask(port, DATASET);
      expect((await ask(port, `${DATASET}?style=flat`)).text).toBe(usual.text);
      const own = await ask(port, `${DATASET}?label=data%20sharing`);
      expectBadge(own, 200, ["data sharing", total]);
      expect(colour(own.text)).toBe(colour(usual.text));
      const square = await ask(port, `${DATASET}?style=flat-square`);
      expect([square.status, square.text.includes(`<title>SHARE: ${total}</title>`)]).toEqual([200, true]);
      expect(square.text).not.toBe(usual.text);
      const fresh = await ask(port, `${DATASET}?style=flat-square`, {
        headers: { "if-none-match": String(square.headers.etag) },
      });
      expect(fresh.status).toBe(304);
    });

    test("the JSON of a badge for shields.io has the text of the SVG badge, and errors are problem documents", async () => {
      const { port } = server;
      const [researcher] = await world().researchers();
      for (const path of [
        `/widgets/datasets/${makeRecordId(SPECIAL.winner)}/badge`,
        "/widgets/repositories/Zenodo/badge",
        `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge`,
        `/widgets/researchers/${researcher?.slug}/badge`,
      ]) {
        for (const query of ["", "?rubric=1.0", "?style=social&label=x"]) {
          const [json, svg] = await Promise.all(["json", "svg"].map((end) => ask(port, `${path}.${end}${query}`)));
          const said = endpointBadge.parse(JSON.parse(json?.text ?? ""));
          expect([json?.status, json?.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
          expect(json?.headers["cache-control"]).toBe(svg?.headers["cache-control"]);
          expect(svg?.text.toLowerCase()).toContain(`<title>${said.label}: ${said.message}`.toLowerCase());
        }
      }
      for (const [path, status] of [
        [NO_DATASET, 404],
        ["/widgets/repositories/zenodo/badge.svg", 404],
        ["/widgets/researchers/nobody/badge.svg", 404],
        [`${DATASET}?rubric=3.0`, 400],
      ] as const) {
        const reply = await ask(port, path.replace("badge.svg", "badge.json"));
        expect([reply.status, reply.headers["content-type"]]).toEqual([status, "application/problem+json"]);
      }
      const moved = await ask(port, `/widgets/datasets/${makeRecordId(SPECIAL.loser)}/badge.json?style=social`);
      expect([moved.status, moved.headers.location]).toEqual([
        308,
        `/widgets/datasets/${makeRecordId(SPECIAL.winner)}/badge.json?style=social`,
      ]);
    });

    test("a badge with `release` of a release that is not current names that release", async () => {
      const { port } = await world().serve(world().store);
      const active = world().full;
      const past = world().next;
      const digest = (receipt: { readonly releaseDigest: string }) => receipt.releaseDigest.replace(":", "-");
      const usual = await ask(port, DATASET);
      expect((await ask(port, `${DATASET}?release=${digest(active)}`)).text).toBe(usual.text);
      const pinned = await ask(port, `${DATASET}?release=${digest(past)}`);
      expect([pinned.status, pinned.headers["share-release"]]).toEqual([200, past.releaseDigest]);
      expect((await ask(port, `${DATASET}?release=${past.releaseDigest}`)).text).toBe(pinned.text);
      expect(pinned.text).toContain(`, in release ${past.scoreReleaseVersion}</title>`);
      const json = await ask(port, `${DATASET.replace(".svg", ".json")}?release=${digest(past)}&label=then`);
      expect(JSON.parse(json.text)).toMatchObject({ label: "then", message: expect.stringMatching(/^\d+$/) });
    });

    test("requests for badges have a rate limit of their own, and a request above it gets a badge that says “try later”", async () => {
      const { port } = await world().serve(world().store, {
        quotas: { anonymous: { requests: 2, seconds: 60 }, badge: { requests: 3, seconds: 60 } },
      });
      const endpoint = DATASET.replace("badge.svg", "badge.json");
      for (const path of [endpoint, NO_DATASET, ODD]) {
        const { status, headers } = await ask(port, path);
        expect([200, 404]).toContain(status);
        expect(headers["ratelimit-policy"]).toBe('"badge";q=3;w=60');
      }
      const rejected = await ask(port, DATASET);
      expectBadge(rejected, 429, ["SHARE", "try later"]);
      expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
      expect(rejected.headers["cache-control"]).toBe("no-store");
      for (const status of [200, 200, 429]) expect((await ask(port, "/rubrics")).status).toBe(status);
    });
  });
}
