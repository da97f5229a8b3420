/** What other sites embed: a card in a frame, in a real browser where there is one, and the answer that tells of it (oEmbed). */

import { hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html } from "../../api-static/html/html.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import { liveMetrics } from "../../schemas/public/api/metrics.ts";
import { type RecordRow, recordDetail, recordList } from "../../schemas/public/api/record.ts";
import { type ResearcherRow, researcherList } from "../../schemas/public/api/researcher.ts";
import { FRAME, oembed } from "../../schemas/public/site/embeds.ts";
import { oembedXml } from "../../server/site/reading/oembed-xml.ts";
import { cardFrame } from "../../web/cards/card-frame.ts";
import { datasetCard, datasetWords } from "../../web/cards/dataset-card.ts";
import { previewPicture } from "../../web/cards/preview-picture.ts";
import { asked } from "../rings.ts";
import { ask } from "../server/ask.ts";
import {
  idOf,
  type Listening,
  ODD_LABEL,
  type ReleasedStore,
  releasedStore,
  SPECIAL,
  serve,
} from "../server/test-store.ts";
import { CHROMIUM, openBrowser, openContext, violationsOn } from "./chromium.ts";
import { HOSTILE_NAMES, hostileCards } from "./hostile-pages.ts";

let store: ReleasedStore;
let server: Listening;
let rows: readonly RecordRow[];
let people: readonly ResearcherRow[];

beforeAll(async () => {
  store = await releasedStore({});
  server = await serve(store.store);
  rows = recordList.parse(
    JSON.parse((await ask(server.port, "/records?sortBy=score&sortOrder=desc&limit=100")).text),
  ).data;
  people = researcherList.parse(
    JSON.parse((await ask(server.port, "/authors?sortBy=sIndex&sortOrder=desc&limit=100")).text),
  ).data;
});

afterAll(async () => {
  await server?.close();
  await store?.remove();
});

const best = () => rows[0] ?? Promise.reject(new Error("no rows"));
const known = () => people[0] ?? Promise.reject(new Error("no researchers"));
const pathOf = ({ id }: { readonly id: string }) => `/widgets/datasets/${id}/card`;

/** The page of each kind that has a card. */
const PAGES = [
  { kind: "a dataset", cache: CACHE.badge, pageOf: async () => `/datasets/${(await best()).id}` },
  { kind: "a repository", cache: CACHE.badge, pageOf: async () => `/repositories/${encodeURIComponent(ODD_LABEL)}` },
  { kind: "a researcher", cache: CACHE.personBadge, pageOf: async () => `/researchers/${(await known()).slug}` },
] as const;

/** The address of the site as it says itself: of the canonical link of a page. */
async function originOf(): Promise<string> {
  const { text } = await ask(server.port, "/privacy");
  return new URL(/<link rel="canonical" href="([^"]+)">/.exec(text)?.[1] ?? "").origin;
}

test.each(PAGES)("a card of $kind loads and runs nothing, and may be framed by any page", async ({ pageOf, cache }) => {
  const page = await pageOf();
  const { status, headers, text } = await ask(server.port, `/widgets${page}/card`);
  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "text/html; charset=utf-8", cache]);
  const policy = String(headers["content-security-policy"]);
  const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? "";
  expect(policy).toContain(`style-src 'sha256-${hash("sha256", style, "base64")}'`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("frame-ancestors");
  expect(headers["x-frame-options"]).toBeUndefined();
  expect(text).not.toMatch(/<script| style="| src="|https?:\/\/(?!localhost|127\.0\.0\.1|www\.w3\.org)/);
  expect(text).toContain(`href="${await originOf()}${page}" target="_blank"`);
});

test("a card has the figures of its page: of a dataset, a repository, a researcher", async () => {
  const row = await best();
  expect((await ask(server.port, pathOf(row))).text).toContain(`<b>${row.score?.total}</b> of 100 points`);

  const { repositoryBreakdown } = liveMetrics.parse(JSON.parse((await ask(server.port, "/metrics/live")).text));
  for (const { repository, scoredCount } of repositoryBreakdown) {
    const path = `/widgets/repositories/${encodeURIComponent(repository)}`;
    const badge = JSON.parse((await ask(server.port, `${path}/badge.json`)).text).message;
    const { text } = await ask(server.port, `${path}/card`);
    const many = scoredCount === 1 ? "1 dataset;" : `${scoredCount} datasets;`;
    expect([repository, text]).toEqual([
      repository,
      expect.stringContaining(scoredCount === 0 ? "<b>No score</b> none of" : `<b>${badge}</b> average of ${many}`),
    ]);
    const shares = [...text.matchAll(/<span class="num">([\d.]+) %<\/span>/g)].map(([, share]) => Number(share));
    expect(shares.length).toBe(scoredCount === 0 ? 0 : 5);
    if (scoredCount > 0) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0);
  }

  const person = await known();
  const { text } = await ask(server.port, `/widgets/researchers/${person.slug}/card`);
  expect(text).toContain(`<b>${person.sIndex}</b> S-Index`);
  expect(text).toContain(`of ${person.sIndexBasis.datasets} dataset`);
  expect(text.match(/ of 20<\/span>/g)).toHaveLength(5);
});

test.each([
  { query: "", shows: 'class="auto"' },
  { query: "?theme=dark", shows: 'class="dark"' },
  { query: "?rubric=1.0", shows: "SHARE 1.0" },
])("a card with '$query' shows $shows", async ({ query, shows }) => {
  for (const { pageOf } of PAGES) {
    expect((await ask(server.port, `/widgets${await pageOf()}/card${query}`)).text).toContain(shows);
  }
});

test.each([
  ["?theme=pink", 400],
  ["?rubric=9", 400],
  ["?size=2", 400],
] as const)("a card with %s is %i", async (query, status) => {
  for (const { pageOf } of PAGES) {
    expect((await ask(server.port, `/widgets${await pageOf()}/card${query}`)).status).toBe(status);
  }
});

test.each([
  { status: "failed", why: "the record could not be read" },
  { status: "insufficient_evidence", why: "too little could be judged" },
] as const)("$status: card, words and picture give the same reason", async ({ status, why }) => {
  const { text } = await ask(server.port, `/records/${(await best()).id}`);
  const record = { ...recordDetail.parse(JSON.parse(text)), score: null, scoreStatus: status };
  expect(datasetCard(record, "2.0").figures.text).toContain(`<b>No score</b> ${why}.`);
  expect(datasetWords(record)).toBe(`SHARE: no score, ${why}.`);
  expect(previewPicture(record).toLowerCase()).toContain(`>${why}.</text>`);
});

test("a dataset that could not be read: its card, its snippet and its picture say so", async () => {
  const failed = rows.find(({ scoreStatus }) => scoreStatus === "failed");
  if (failed === undefined) throw new Error("the store has no record that could not be read");
  const said = "SHARE: no score, the record could not be read.";
  expect((await ask(server.port, pathOf(failed))).text).toContain(`<title>${said}</title>`);
  const { text } = await ask(server.port, `/datasets/${failed.id}`);
  expect(text).toContain(`<meta property="og:image:alt" content="${said}">`);
  expect(text).not.toContain("too little could be judged");
});

test("without a score, a card says why; what gave way is shown as what it gave way to; what is not there is 404", async () => {
  const unscored = rows.find(({ scoreStatus }) => scoreStatus === "failed") ?? (await best());
  expect((await ask(server.port, pathOf(unscored))).text).toContain("<b>No score</b> the record could not be read.");
  const { status, text } = await ask(server.port, pathOf({ id: idOf(SPECIAL.loser) }));
  expect([status, text.includes(`/datasets/${idOf(SPECIAL.winner)}`)]).toEqual([200, true]);
  const picture = await ask(server.port, `/datasets/${idOf(SPECIAL.loser)}/card.png`);
  expect([picture.status, picture.headers["content-type"]]).toEqual([200, "image/png"]);
  expect((await ask(server.port, pathOf({ id: idOf(SPECIAL.tombstone) }))).status).toBe(404);
  const person = people.find(({ orcid }) => orcid !== null) ?? (await known());
  const former = await ask(server.port, `/widgets/researchers/former-name-${person.orcid}/card`);
  expect([former.status, former.text.includes(`/researchers/${person.slug}"`)]).toEqual([200, true]);
  for (const path of ["/widgets/repositories/nowhere/card", "/widgets/researchers/nobody/card"]) {
    expect([path, (await ask(server.port, path)).status]).toEqual([path, 404]);
  }
});

/** Path and query by which a page of ours leads to what tells how to embed it. */
async function embedOf(page: string, form: "json" | "xml"): Promise<string> {
  const { text } = await ask(server.port, page);
  const [, link = ""] = new RegExp(`type="(?:application|text)/${form}\\+oembed" href="([^"]+)"`).exec(text) ?? [];
  const { pathname, search } = new URL(link.replaceAll("&amp;", "&"));
  return pathname + search;
}

test.each(PAGES)(
  "a site that is given the address of a page of $kind learns how to embed it",
  async ({ pageOf, cache }) => {
    const page = await pageOf();
    const reply = await ask(server.port, `${await embedOf(page, "json")}&maxwidth=300&maxheight=800&format=json`);
    expect([reply.status, reply.headers["content-type"], reply.headers["cache-control"]]).toEqual([
      200,
      "application/json; charset=utf-8",
      cache,
    ]);
    const said = oembed.parse(JSON.parse(reply.text));
    expect(said).toMatchObject({ type: "rich", width: 300, height: FRAME.height });
    const frame =
      /^<iframe src="([^"]+)" title="[^"]+" width="300" height="264" style="border:0;border-radius:8px;max-width:100%" loading="lazy"><\/iframe>$/.exec(
        said.html,
      );
    const card = new URL(frame?.[1] ?? "");
    expect(card.pathname).toBe(`/widgets${page}/card`);
    const { status, text } = await ask(server.port, card.pathname);
    expect([status, text.includes(html`<h1 class="title" dir="auto">${said.title}</h1>`.text)]).toEqual([200, true]);
    // What is shown of a person goes from other sites' stores as soon as from shared caches.
    expect(said.cache_age).toBe(Number(/(?:s-maxage=|^public, max-age=)(\d+)$/.exec(cache)?.[1]));
  },
);

test("of a dataset it names the picture, and no other has one", async () => {
  for (const { pageOf } of PAGES) {
    const page = await pageOf();
    const { thumbnail_url } = oembed.parse(JSON.parse((await ask(server.port, await embedOf(page, "json"))).text));
    const isDataset = page.startsWith("/datasets/");
    expect([page, thumbnail_url !== undefined]).toEqual([page, isDataset]);
    if (thumbnail_url === undefined) continue;
    expect((await ask(server.port, new URL(thumbnail_url).pathname)).headers["content-type"]).toBe("image/png");
  }
});

test.each(PAGES)("as XML it says the same of $kind, and the page leads to it", async ({ pageOf, cache }) => {
  const page = await pageOf();
  const reply = await ask(server.port, `${await embedOf(page, "xml")}&theme=dark`);
  expect([reply.status, reply.headers["content-type"], reply.headers["cache-control"]]).toEqual([
    200,
    "text/xml; charset=utf-8",
    cache,
  ]);
  expect(XMLValidator.validate(reply.text)).toBe(true);
  const json = oembed.parse(JSON.parse((await ask(server.port, `${await embedOf(page, "json")}&theme=dark`)).text));
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
    [{ url: `${origin}/datasets/${id}/` }, 200],
    [{ url: `${origin}/datasets/nothing` }, 404],
    [{ url: `${origin}/datasets/${id}/disputes` }, 404],
    [{ url: `${origin}/repositories/Zenodo` }, 200],
    [{ url: `${origin}/repositories/nowhere` }, 404],
    [{ url: `${origin}/repositories/%zz` }, 404],
    [{ url: `${origin}/repositories` }, 404],
    [{ url: `${origin}/researchers/nobody` }, 404],
    [{ url: `${origin}/researchers/${"a".repeat(500)}` }, 404],
    [{ url: `${origin}/researchers/..%2f..%2frelease.json` }, 404],
    [{ url: `${origin}/signals/S1` }, 404],
    [{ url: `${origin}/constructor/x` }, 404],
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

test.each(PAGES)("the page of $kind has the snippets: badge, badge of shields.io, card", async ({ pageOf }) => {
  const page = await pageOf();
  const { text } = await ask(server.port, page);
  const origin = await originOf();
  expect(text).toContain(`(${origin}/widgets${page}/badge.svg)`);
  expect(text).toContain(
    `https://img.shields.io/endpoint?url=${encodeURIComponent(`${origin}/widgets${page}/badge.json`)}`,
  );
  expect(text).toContain(`&lt;iframe src=&quot;${origin}/widgets${page}/card&quot;`);
});

/** Whether nothing in the window has to be scrolled. */
const FITS =
  "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth";

describe.skipIf(CHROMIUM === null)("in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  test("a page of another site frames it: all of it is seen at every width, light and dark, without a fault", async () => {
    const unscored = rows.find(({ scoreStatus }) => scoreStatus === "failed") ?? (await best());
    const longest = people.toSorted((one, other) => other.name.length - one.name.length)[0] ?? (await known());
    const pages = [
      ...(await Promise.all(PAGES.map(({ pageOf }) => pageOf()))),
      `/datasets/${unscored.id}`,
      "/repositories/Zenodo",
      `/researchers/${longest.slug}`,
    ];
    const cards = pages.flatMap((page) => [
      { page, width: FRAME.width, theme: "light" } as const,
      { page, width: FRAME.least, theme: "dark" } as const,
    ]);
    const origin = `http://localhost:${server.port}`;
    const frames = cards.map(({ page, width, theme }) => cardFrame({ origin, page, words: theme, theme, width }).text);
    // A page of another origin.
    const other = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><html lang="en"><title>Elsewhere</title><main><h1>Elsewhere</h1>${frames.join("\n")}</main>`,
      );
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    try {
      const page = await (await openContext(browser, { viewport: { width: 1000, height: 1200 } })).newPage();
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      // The frame has an edge of its own: the browser's would stand around it.
      expect(await page.evaluate("[...document.querySelectorAll('iframe')].map((one) => one.offsetHeight)")).toEqual(
        cards.map(() => FRAME.height),
      );
      const inner = page.frames().slice(1);
      for (const [i, frame] of inner.entries()) {
        await frame.waitForSelector(".card");
        const fits = await frame.evaluate(FITS);
        expect([cards[i]?.page, cards[i]?.width, fits]).toEqual([cards[i]?.page, cards[i]?.width, true]);
      }
      const bypassing = await (await openContext(browser, { bypassCSP: true })).newPage();
      for (const { kind, pageOf } of PAGES) {
        for (const theme of ["light", "dark"]) {
          await bypassing.goto(`${origin}/widgets${await pageOf()}/card?theme=${theme}`);
          expect([kind, theme, await violationsOn(bypassing)]).toEqual([kind, theme, []]);
        }
      }
    } finally {
      other.close();
    }
  });

  test.each(asked(HOSTILE_NAMES, 2))(
    "the narrowest card has room for a name, whatever it is: $name",
    async ({ text }) => {
      const page = await (
        await openContext(browser, { viewport: { width: FRAME.least, height: FRAME.height } })
      ).newPage();
      for (const card of hostileCards(text)) {
        await page.setContent(card);
        expect([card, await page.evaluate(FITS)]).toEqual([card, true]);
      }
    },
  );
});
