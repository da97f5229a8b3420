/** What other sites embed: a card in a frame, in a real browser where there is one, and the answer that tells of it (oEmbed). */

import { hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CACHE } from "../../api-static/routes/route.ts";
import { type RecordRow, recordList } from "../../schemas/public/api/record.ts";
import { FRAME, oembed } from "../../schemas/public/site/embeds.ts";
import { oembedXml } from "../../server/site/reading/oembed-xml.ts";
import { cardFrame } from "../../web/pages/card-frame.ts";
import { ask } from "../server/ask.ts";
import { idOf, type Listening, type ReleasedStore, releasedStore, SPECIAL, serve } from "../server/test-store.ts";
import { CHROMIUM, openBrowser, violationsOn } from "./chromium.ts";

let store: ReleasedStore;
let server: Listening;
let rows: readonly RecordRow[];

beforeAll(async () => {
  store = await releasedStore({});
  server = await serve(store.store);
  rows = recordList.parse(
    JSON.parse((await ask(server.port, "/records?sortBy=score&sortOrder=desc&limit=100")).text),
  ).data;
});

afterAll(async () => {
  await server?.close();
  await store?.remove();
});

const best = () => rows[0] ?? Promise.reject(new Error("no rows"));
const pathOf = ({ id }: { readonly id: string }) => `/widgets/datasets/${id}/card`;

/** The address of the site as it says itself: of the canonical link of a page. */
async function originOf(): Promise<string> {
  const { text } = await ask(server.port, "/privacy");
  return new URL(/<link rel="canonical" href="([^"]+)">/.exec(text)?.[1] ?? "").origin;
}

test("a card says the score, loads and runs nothing, and may be framed by any page", async () => {
  const row = await best();
  const { status, headers, text } = await ask(server.port, pathOf(row));
  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
    200,
    "text/html; charset=utf-8",
    CACHE.badge,
  ]);
  const policy = String(headers["content-security-policy"]);
  const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? "";
  expect(policy).toContain(`style-src 'sha256-${hash("sha256", style, "base64")}'`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("frame-ancestors");
  expect(headers["x-frame-options"]).toBeUndefined();
  expect(text).not.toMatch(/<script| style="| src="|https?:\/\/(?!localhost|127\.0\.0\.1|www\.w3\.org)/);
  expect(text).toContain(`<b>${row.score?.total}</b> of 100 points`);
  expect(text).toContain(`href="${await originOf()}/datasets/${row.id}" target="_blank"`);
});

test.each([
  { query: "", shows: 'class="auto"' },
  { query: "?theme=dark", shows: 'class="dark"' },
  { query: "?rubric=1.0", shows: "SHARE 1.0" },
])("a card with '$query' shows $shows", async ({ query, shows }) => {
  expect((await ask(server.port, `${pathOf(await best())}${query}`)).text).toContain(shows);
});

test.each([
  ["?theme=pink", 400],
  ["?rubric=9", 400],
  ["?size=2", 400],
] as const)("a card with %s is %i", async (query, status) => {
  expect((await ask(server.port, `${pathOf(await best())}${query}`)).status).toBe(status);
});

test("without a score, a card says why; what gave way is shown as what it gave way to; what is not there is 404", async () => {
  const unscored = rows.find(({ scoreStatus }) => scoreStatus === "failed") ?? (await best());
  expect((await ask(server.port, pathOf(unscored))).text).toContain("<b>No score</b> the record could not be read.");
  const { status, text } = await ask(server.port, pathOf({ id: idOf(SPECIAL.loser) }));
  expect([status, text.includes(`/datasets/${idOf(SPECIAL.winner)}`)]).toEqual([200, true]);
  const picture = await ask(server.port, `/datasets/${idOf(SPECIAL.loser)}/card.png`);
  expect([picture.status, picture.headers["content-type"]]).toEqual([200, "image/png"]);
  expect((await ask(server.port, pathOf({ id: idOf(SPECIAL.tombstone) }))).status).toBe(404);
});

test("a site that is given the address of a page learns how to embed it", async () => {
  const { id, title } = await best();
  const page = await ask(server.port, `/datasets/${id}`);
  const link = /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const { pathname, search } = new URL(link.replaceAll("&amp;", "&"));
  const reply = await ask(server.port, `${pathname}${search}&maxwidth=300&maxheight=800&format=json`);
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  const said = oembed.parse(JSON.parse(reply.text));
  expect(said).toMatchObject({ type: "rich", title, width: 300, height: FRAME.height });
  const frame =
    /^<iframe src="([^"]+)" title="[^"]+" width="300" height="264" style="border:0;border-radius:8px;max-width:100%" loading="lazy"><\/iframe>$/.exec(
      said.html,
    );
  expect((await ask(server.port, new URL(frame?.[1] ?? "").pathname)).status).toBe(200);
  expect((await ask(server.port, new URL(said.thumbnail_url).pathname)).headers["content-type"]).toBe("image/png");
});

test("as XML it says the same, and the page leads to it", async () => {
  const { id } = await best();
  const page = await ask(server.port, `/datasets/${id}`);
  const link = /<link rel="alternate" type="text\/xml\+oembed" href="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const { pathname, search } = new URL(link.replaceAll("&amp;", "&"));
  const reply = await ask(server.port, `${pathname}${search}&theme=dark`);
  expect([reply.status, reply.headers["content-type"], reply.headers["cache-control"]]).toEqual([
    200,
    "text/xml; charset=utf-8",
    CACHE.badge,
  ]);
  expect(XMLValidator.validate(reply.text)).toBe(true);
  const json = oembed.parse(
    JSON.parse((await ask(server.port, `${pathname}${search.replace("format=xml", "format=json")}&theme=dark`)).text),
  );
  const told = new XMLParser({ parseTagValue: false }).parse(reply.text).oembed;
  expect(told).toEqual(Object.fromEntries(Object.entries(json).map(([name, value]) => [name, String(value)])));
});

test("a title that XML cannot hold is told without what it cannot", () => {
  const answer = {
    version: "1.0",
    type: "rich",
    provider_name: "SHARE",
    provider_url: "https://share.example",
  } as const;
  const sizes = { cache_age: 300, thumbnail_url: "x", thumbnail_width: 1, thumbnail_height: 1, width: 1, height: 1 };
  const text = oembedXml({ ...answer, ...sizes, title: "A\u0000\u001b<b>&\ud800\uffff雨", html: "<p>" });
  expect(XMLValidator.validate(text)).toBe(true);
  expect(new XMLParser().parse(text).oembed.title).toBe("A  <b>&\ufffd 雨");
});

test("the address of anything else is 404, and what is no address or too small is refused", async () => {
  const origin = await originOf();
  const { id } = await best();
  for (const [query, status] of [
    [{ url: `${origin}/datasets/${id}` }, 200],
    [{ url: `https://elsewhere.example/datasets/${id}` }, 404],
    [{ url: `${origin}/repositories/Zenodo` }, 404],
    [{ url: "no address" }, 404],
    [{ url: `${origin}/datasets/${idOf(SPECIAL.tombstone)}` }, 404],
    [{ url: `${origin}/datasets/${id}`, maxwidth: "100" }, 404],
    [{ url: `${origin}/datasets/${id}`, maxheight: "20" }, 404],
    [{ url: `${origin}/datasets/${id}`, format: "xml" }, 200],
    [{ url: `${origin}/datasets/${id}`, format: "yaml" }, 400],
    [{ url: `${origin}/datasets/${id}`, maxwidth: "wide" }, 400],
    [{}, 400],
  ] as const) {
    const reply = await ask(server.port, `/oembed?${new URLSearchParams(query)}`);
    expect([query, reply.status]).toEqual([query, status]);
  }
});

test("a dataset's page has the snippets: badge, badge of shields.io, card", async () => {
  const { id } = await best();
  const { text } = await ask(server.port, `/datasets/${id}`);
  const origin = await originOf();
  const json = encodeURIComponent(`${origin}/widgets/datasets/${id}/badge.json`);
  expect(text).toContain(`https://img.shields.io/endpoint?url=${json}`);
  expect(text).toContain(`&lt;iframe src=&quot;${origin}/widgets/datasets/${id}/card&quot;`);
});

describe.skipIf(CHROMIUM === null)("in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  test("a page of another site frames it: all of it is seen at every width, light and dark, without a fault", async () => {
    const ids = [await best(), rows.find(({ scoreStatus }) => scoreStatus === "failed") ?? (await best())];
    const cards = ids.flatMap((row) =>
      [FRAME.width, FRAME.least].flatMap((width) =>
        (["light", "dark"] as const).map((theme) => ({ row, width, theme })),
      ),
    );
    const frames = cards.map(
      ({ row, width, theme }) =>
        cardFrame({ origin: `http://localhost:${server.port}`, id: row.id, words: theme, theme, width }).text,
    );
    // A page of another origin.
    const other = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><html lang="en"><title>Elsewhere</title><main><h1>Elsewhere</h1>${frames.join("\n")}</main>`,
      );
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    try {
      const page = await (await browser.newContext({ viewport: { width: 1000, height: 1200 } })).newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      // The frame has an edge of its own: the browser's would stand around it.
      expect(await page.evaluate("[...document.querySelectorAll('iframe')].map((one) => one.offsetHeight)")).toEqual(
        cards.map(() => FRAME.height),
      );
      const inner = page.frames().slice(1);
      for (const [i, frame] of inner.entries()) {
        await frame.waitForSelector(".card");
        const fits = await frame.evaluate(
          "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth",
        );
        expect([cards[i]?.row.id, cards[i]?.width, fits]).toEqual([cards[i]?.row.id, cards[i]?.width, true]);
      }
      const bypassing = await (await browser.newContext({ bypassCSP: true })).newPage();
      for (const theme of ["light", "dark"]) {
        await bypassing.goto(`http://localhost:${server.port}${pathOf(await best())}?theme=${theme}`);
        expect(await violationsOn(bypassing)).toEqual([]);
      }
    } finally {
      other.close();
    }
  });
});
