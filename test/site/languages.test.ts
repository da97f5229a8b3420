/** The pages for researchers in six languages: complete texts, links in the same language, and the choice of the home page. */

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { PAGES, ROUTES } from "../../api-static/routes/index.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { inLanguage, preferredLanguage, readTexts, TRANSLATIONS } from "../../server/site/languages.ts";
import { countText, dayText, hundredths, integer, percent, signedNumber } from "../../web/components/figures.ts";
import { html } from "../../web/html.ts";
import { isTranslated, localPath, pathIn, splitTarget } from "../../web/languages/paths.ts";
import { addTexts, LANGUAGE_CODES, LANGUAGES, type Language, listenToTexts, t } from "../../web/languages/translate.ts";
import { REGISTERED, startUpstream, UNKNOWN_DOI, type Upstream } from "../evaluations/upstream.ts";
import { accountsBeside, hide } from "../hidden/hidden-world.ts";
import { ask, type Reply } from "../server/ask.ts";
import {
  type Listening,
  makeRecordId,
  type ReleasedStore,
  releasedStore,
  SPECIAL,
  serve,
  UNLIMITED,
} from "../server/test-store.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { listTexts } from "../support/site-texts.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let store: ReleasedStore;
let upstream: Upstream;
let server: Listening;
let records: ReturnType<typeof recordList.parse>["data"];
let people: ReturnType<typeof researcherList.parse>["data"];

beforeAll(async () => {
  store = await releasedStore({}, {});
  upstream = await startUpstream();
  server = await serve(store.store, {
    contact: "https://operator.example/contact",
    quotas: { ...UNLIMITED, evaluation: { requests: 1000, seconds: 60 } },
    evaluations: {
      upstreams: upstream.upstreams,
      workers: { taskMilliseconds: 120_000 },
    },
  });
  const list = async (path: string) => JSON.parse((await ask(server.port, path)).text);
  records = recordList.parse(await list("/records?sortBy=score&sortOrder=desc&limit=100")).data;
  people = researcherList.parse(await list("/authors?sortBy=sIndex&sortOrder=desc&limit=100")).data;
});

afterAll(async () => {
  listenToTexts(null);
  await server?.close();
  await upstream?.close();
  await store?.[Symbol.asyncDispose]();
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(server.port, path, { headers: { ...HTML, ...headers } });

const post = (path: string, fields: Readonly<Record<string, string>>) =>
  ask(server.port, path, {
    method: "POST",
    headers: {
      ...HTML,
      origin: `http://localhost:${server.port}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(fields).toString(),
  });

/** Returns the path of one page of each translated kind, including a dataset and a researcher. */
const kinds = () => [
  "/",
  "/help",
  "/check",
  "/signals",
  "/signals/S1",
  `/datasets/${records[0]?.id}`,
  `/researchers/${people[0]?.slug}`,
];

const DRAFT = { metadata: { title: "Meadow", upload_type: "dataset", creators: [{ name: "Nemo, Nora" }] } };

/** Requests the translated pages in one language in many states, for example a draft with an error in a field. */
async function readAll(of: Language): Promise<Reply[]> {
  const paths = [
    ...kinds(),
    "/signals?rubric=1.0",
    "/check?identifier=10.5072/nothing",
    ...["H3", "R2", "E5"].flatMap((id) => [`/signals/${id}`, `/signals/${id}?rubric=1.0`]),
    ...records.filter((_, i) => i % 3 === 0).map(({ id }) => `/datasets/${id}`),
    ...records.filter((_, i) => i % 15 === 0).map(({ id }) => `/datasets/${id}?rubric=1.0`),
    ...Object.values(SPECIAL).map((identifier) => `/datasets/${makeRecordId(identifier)}`),
    ...people.filter((_, i) => i % 8 === 0).map(({ slug }) => `/researchers/${slug}`),
    `/researchers/${people[0]?.slug}?rubric=1.0`,
  ];
  const pages: Reply[] = [];
  for (const path of paths) pages.push(await get(`/${of}${path === "/" ? "" : path}`));
  const drafts = [
    {
      form: "fields",
      title: "Tides",
      keywords: "tides, sea level",
      licence: "cc-by-4.0",
      access: "open",
      files: "a.csv",
    },
    { form: "fields", keywords: "tides" },
    { form: "fields" },
    { form: "fields", title: "Tides", creators: "Carberry; 0000-0002-1825-0098" },
    { pasted: "" },
    { pasted: "{}" },
    { source: "datacite", pasted: JSON.stringify(DRAFT) },
  ];
  for (const fields of drafts) pages.push(await post(`/${of}/check/draft`, fields));
  for (const identifier of ["", "no <identifier>"]) pages.push(await post(`/${of}/check`, { identifier }));
  return pages;
}

async function readCheck(of: Language, identifier: string): Promise<Reply> {
  const { headers } = await post(`/${of}/check`, { identifier, fresh: "true" });
  const path = String(headers.location);
  expect(path).toMatch(new RegExp(`^/${of}/check/j[0-9a-f]{32}$`));
  return vi.waitFor(
    async () => {
      const page = await get(path);
      expect(page.text).not.toContain(" data-job=");
      return page;
    },
    { timeout: 30_000, interval: 200 },
  );
}

test("the file of each language translates exactly the texts of the translated pages, in alphabetical order", () => {
  const wanted = [...listTexts()].toSorted();
  expect(wanted.length).toBeGreaterThan(1000);
  for (const of of TRANSLATIONS) {
    const known = readTexts(of);
    expect([of, wanted.filter((key) => !(key in known))]).toEqual([of, []]);
    expect([of, Object.keys(known).filter((key) => !wanted.includes(key))]).toEqual([of, []]);
    expect(Object.keys(known)).toEqual(Object.keys(known).toSorted());
  }
});

/** Returns the placeholders and tags of a text, in alphabetical order. */
function listMarks(text: string): string[] {
  return (text.match(/<\/?[a-z]+\d*>|\{\d+\}/g) ?? []).toSorted();
}

test("a translation has the placeholders and tags of its text, and the plural forms of its language", () => {
  for (const of of TRANSLATIONS) {
    const needed = new Intl.PluralRules(of)
      .resolvedOptions()
      .pluralCategories.filter((category) => category !== "many");
    for (const [key, found] of Object.entries(readTexts(of))) {
      if (typeof found === "string") {
        expect([of, key, found !== "", listMarks(found)]).toEqual([of, key, true, listMarks(key)]);
        continue;
      }
      const allowed = key.split("|").map((form) => JSON.stringify(listMarks(form)));
      expect([of, key, Object.keys(found).toSorted()]).toEqual([of, key, needed.toSorted()]);
      for (const form of Object.values(found))
        expect(allowed, `${of} ${form}`).toContain(JSON.stringify(listMarks(form)));
    }
  }
});

test.each(TRANSLATIONS)(
  "every text that a page looks up, in any of many states, has a translation into %s",
  async (of) => {
    const missing = new Set<string>();
    listenToTexts((key, language, isMissing) => {
      if (isMissing) missing.add(`${language}: ${key}`);
    });
    const pages = [...(await readAll(of)), await readCheck(of, REGISTERED[0] ?? ""), await readCheck(of, UNKNOWN_DOI)];
    listenToTexts(null);
    expect([...missing]).toEqual([]);
    for (const { text, status } of pages.filter((page) => page.status < 300 || page.status >= 400)) {
      const found = status !== 404 || text.includes(" was withdrawn") ? of : "en-GB";
      expect([text.slice(0, 60), /<html lang="([^"]*)"/.exec(text)?.[1]]).toEqual([text.slice(0, 60), found]);
      const shown = text.replace(/<(script|pre)[^<]*<\/\1>/g, "");
      expect(shown.match(/.{0,40}(?:\{\d\}|undefined|\[object|[\ue000-\uf8ff])/)?.[0]).toBeUndefined();
    }
    expect(pages.filter(({ status }) => status === 200).length).toBeGreaterThan(50);
  },
);

test("figures, dates and plural forms follow the language", () => {
  const write = () => [
    integer(12_345),
    hundredths(1234.5),
    percent(1, 3),
    percent(1, 100_000),
    signedNumber(-1.5, 2),
    dayText("2026-11-02"),
    dayText("2026-11"),
    countText(1, "dataset"),
    countText(2000, "dataset"),
  ];
  const found = Object.fromEntries(
    LANGUAGE_CODES.map((of) => [of, inLanguage(of, write).map((text) => text.replace(/\s/g, " "))]),
  );
  expect(found).toEqual({
    en: ["12,345", "1,234.50", "33.3 %", "<0.1 %", "−1.50", "2026-11-02", "2026-11", "1 dataset", "2,000 datasets"],
    de: ["12.345", "1.234,50", "33,3 %", "<0,1 %", "−1,50", "02.11.2026", "2026-11", "1 Datensatz", "2.000 Datensätze"],
    fr: [
      ...["12 345", "1 234,50", "33,3 %", "<0,1 %", "−1,50", "2 nov. 2026", "2026-11"],
      ...["1 jeu de données", "2 000 jeux de données"],
    ],
    es: [
      ...["12.345", "1234,50", "33,3 %", "<0,1 %", "−1,50", "2 nov 2026", "2026-11"],
      ...["1 conjunto de datos", "2000 conjuntos de datos"],
    ],
    pt: [
      ...["12.345", "1.234,50", "33,3%", "<0,1%", "−1,50", "2 de nov. de 2026", "2026-11"],
      ...["1 conjunto de dados", "2.000 conjuntos de dados"],
    ],
    zh: ["12,345", "1,234.50", "33.3%", "<0.1%", "−1.50", "2026年11月2日", "2026-11", "1 个数据集", "2,000 个数据集"],
  });
});

describe("a template in another language", () => {
  const shown = (of: Language) =>
    inLanguage(of, () => {
      const link = html`<p>See <a href="/x?a=${"1&2"}">all signals</a> of ${"<Z>"}.</p>`;
      return [link.text, html`<input${html` hidden`} placeholder="Search ${"it"}">`.text, t("a text of no page")];
    });

  test("a translated template may have another word order, keeps its attributes, and escapes its values", () => {
    const texts = readTexts("de");
    const more = { "See <a>all signals</a> of {0}.": "Von {0}: <a>alle</a>, & 1 < 2", "Search {0}": 'Suche "{0}"' };
    addTexts("de", { ...texts, ...more });
    expect(shown("de")).toEqual([
      '<p>Von &lt;Z&gt;: <a href="/x?a=1&amp;2">alle</a>, &amp; 1 &lt; 2</p>',
      '<input hidden placeholder="Suche &quot;it&quot;">',
      "a text of no page",
    ]);
    expect(shown("en")).toEqual([
      '<p>See <a href="/x?a=1&amp;2">all signals</a> of &lt;Z&gt;.</p>',
      '<input hidden placeholder="Search it">',
      "a text of no page",
    ]);
    addTexts("de", texts);
  });
});

test("a path can begin with a language, as in /de/help, only if the view of its route is translated", () => {
  const names = ["index", "help", "check", "check-draft", "check-job", "signals", "signal", "dataset", "researcher"];
  const found = [...ROUTES, ...PAGES].filter(({ path }) => isTranslated(path.replace(/\{\w+\}/, "key")));
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set([...names, "new-check"]));
});

test("a path such as /de/help is split into language and path, and links on a page get its language if their target is translated", () => {
  const split = (target: string) => Object.values(splitTarget(target));
  for (const path of [...kinds(), "/check/j1", "/find", "/find/suggestions"]) {
    for (const query of ["", "?a=b/c?d"]) {
      const prefixed = pathIn("de", path) + query;
      expect(split(prefixed)).toEqual(["de", path + query]);
      expect(inLanguage("de", () => localPath(path + query))).toBe(prefixed);
    }
    expect(split(path)).toEqual([null, path]);
  }
  for (const path of [
    "/de/",
    "/de/datasets",
    "/de//help",
    "/dex",
    "/de/de/help",
    "/it/help",
    "/de/records",
    "/de/docs",
  ])
    expect([path, ...split(path)]).toEqual([path, null, path]);
  for (const path of ["/datasets", "/records/r1", "/history#validation", "https://orcid.org/", "#next", "/de/help"])
    expect(inLanguage("de", () => localPath(path))).toBe(path);
});

/** Returns the paths to which links and forms of a page lead, except the links that switch the language. */
function listLinks(text: string): string[] {
  return Array.from(
    text.matchAll(/(?<!hreflang="..") (?:action|data-suggest|href)="(\/[^"?#]*)/g),
    ([, path = ""]) => path,
  );
}

/** Matches paths of pages that exist once for each SHARE version. */
const HAS_VERSIONS = /^\/(?:datasets|researchers|signals)/;

test("each translated page states its language, its canonical URL and its other languages, and its links keep the language", async () => {
  const origin = `http://localhost:${server.port}`;
  for (const path of kinds()) {
    for (const of of LANGUAGE_CODES) {
      const own = pathIn(of, path);
      const query = HAS_VERSIONS.test(path) ? "?rubric=2.0" : "";
      const { status, text, headers } = await get(`${of === "en" && path === "/" ? "/en" : own}${query}`);
      expect([own, status]).toEqual([own, 200]);
      expect(text).toContain(`<html lang="${of === "en" ? "en-GB" : of}"`);
      expect(text).toContain(`<link rel="canonical" href="${origin}${own}">`);
      for (const other of LANGUAGE_CODES) {
        expect(text).toContain(`<link rel="alternate" hreflang="${other}" href="${origin}${pathIn(other, path)}">`);
        const to = other === "en" && path === "/" ? "/en" : pathIn(other, path);
        const mark = other === of ? ' aria-current="true"' : "";
        expect(text).toContain(
          `<a lang="${other}" hreflang="${other}" href="${to}${query}"${mark}>${LANGUAGES[other]}</a>`,
        );
      }
      expect(text).toContain(`<link rel="alternate" hreflang="x-default" href="${origin}${path}">`);
      const links = listLinks(text);
      expect(links.length).toBeGreaterThan(20);
      const wrong = links.filter((link) =>
        of === "en" ? splitTarget(link).language !== null : isTranslated(link) || link.startsWith("/find"),
      );
      expect([own, wrong]).toEqual([own, []]);
      // The security policy allows every script of the page by its digest.
      const policy = String(headers["content-security-policy"]);
      for (const [, script = ""] of text.matchAll(/<script>(.*?)<\/script>/gs))
        expect([own, policy.includes(`'sha256-${hash("sha256", script, "base64")}'`)]).toEqual([own, true]);
    }
  }
});

test("pages that exist only in English have no language switch, and a path such as /de/about returns 404", async () => {
  for (const path of ["/datasets", "/researchers", "/repositories", "/history", "/about", "/no-such-page"]) {
    const plain = await get(path);
    expect([path, plain.text.includes("hreflang")]).toEqual([path, false]);
    const { status, text } = await get(`/de${path}`);
    expect([path, status, text.includes('<html lang="en-GB"')]).toEqual([path, 404, true]);
  }
});

test("the home page at / redirects to the language that the browser prefers, but other pages do not redirect", async () => {
  const home = async (accepted: string | null, more: Readonly<Record<string, string>> = {}) => {
    const { status, headers } = await get("/", {
      ...(accepted === null ? {} : { "accept-language": accepted }),
      ...more,
    });
    expect(String(headers.vary)).toBe(`${SHARED_HEADERS.vary}, Accept-Language`);
    return headers.location ?? status;
  };
  expect(await home(null)).toBe(200);
  expect(await home("en-GB,de;q=0.9")).toBe(200);
  expect(await home("de-AT,de;q=0.9,en;q=0.8")).toBe("/de");
  expect(await home("it,pt-BR;q=0.7,en;q=0.5")).toBe("/pt");
  expect(await home("zh-Hans-CN")).toBe("/zh");
  expect(await home("fr;q=0, es;q=0.1")).toBe("/es");
  expect(await home("*")).toBe(200);
  // A link on an English page leads to the English home page.
  expect(await home("de", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" })).toBe(200);
  expect((await get("/en", { "accept-language": "fr" })).text).toContain('<html lang="en-GB">');
  expect((await get("/help", { "accept-language": "fr" })).status).toBe(200);
  expect(
    (await ask(server.port, "/", { headers: { accept: "application/json", "accept-language": "fr" } })).status,
  ).toBe(200);
  expect(preferredLanguage("de;q=x, fr;q=0.2")).toBe("fr");
});

test("the search and the forms of a page lead to pages in its language", async () => {
  const [first] = records.filter(({ doi }) => doi !== null);
  expect((await get(`/fr/find?q=${first?.doi}`)).headers.location).toBe(`/fr/datasets/${first?.id}`);
  expect((await post("/fr/check", { identifier: first?.doi ?? "" })).headers.location).toBe(
    `/fr/datasets/${first?.id}`,
  );
  const { text } = await get("/fr/find/suggestions?q=S1", { accept: "application/json" });
  expect(text).toContain('"path":"/fr/signals/S1"');
  // The list of results exists only in English.
  const several = await get("/fr/find?q=soil");
  expect([several.status, splitTarget(String(several.headers.location)).language]).toEqual([303, null]);
});

test("concurrent requests in several languages each get a page in their own language, also from the cache", async () => {
  const paths = ["/help", "/signals", `/datasets/${records[0]?.id}`, `/researchers/${people[0]?.slug}`];
  const asked = [1, 2, 3].flatMap(() => LANGUAGE_CODES.flatMap((of) => paths.map((path) => ({ of, path }))));
  const pages = await Promise.all(asked.map(async ({ of, path }) => ({ of, path, page: await get(pathIn(of, path)) })));
  for (const { of, path, page } of pages) {
    const first = pages.find((each) => each.of === of && each.path === path)?.page;
    expect(page.text === first?.text, `${of} ${path}`).toBe(true);
    expect(page.text).toContain(`<html lang="${of === "en" ? "en-GB" : of}"`);
    const title = inLanguage(of, () => t("Skip to the content"));
    expect(page.text).toContain(`<a class="skip" href="#content">${title}</a>`);
  }
  expect(new Set(pages.map(({ page }) => page.headers.etag)).size).toBe(LANGUAGE_CODES.length * paths.length);
});

test("the page of a hidden researcher returns 404 in each language, even if it was cached before", async () => {
  const person = people.find(({ orcid }) => orcid !== null) ?? people[0];
  const paths = LANGUAGE_CODES.map((of) => pathIn(of, `/researchers/${person?.slug}`));
  for (const path of [...paths, ...paths]) expect((await get(path)).status).toBe(200);
  const accounts = await accountsBeside(store.store);
  try {
    await hide(accounts.db, [{ id: person?.id ?? "", slug: person?.slug ?? "" }]);
    for (const path of paths) {
      await vi.waitFor(async () => expect((await get(path)).status).toBe(404), 20_000);
      expect((await get(path)).text).not.toContain(person?.name);
    }
  } finally {
    await hide(accounts.db, []);
    await accounts.close();
  }
});

test("each translation of the help has the headings, links and figures of the English document", async () => {
  const original = readFileSync(new URL("../../docs/understanding-scores.md", import.meta.url), "utf8");
  const shape = (text: string) => ({
    headings: text.match(/^#+ /gm),
    links: (text.match(/\]\([^)]+\)/g) ?? []).toSorted(),
    code: (text.match(/`[^`]+`/g) ?? []).toSorted(),
    rows: text.match(/^\|/gm)?.length,
    example: [
      ...new Set(text.split("<!-- generated: worked-example -->")[1]?.split("<!-- end -->")[0]?.match(/\d+/g)),
    ].toSorted(),
  });
  expect(shape(original).example.length).toBeGreaterThan(10);
  const ids = ({ text }: Reply) => Array.from(text.matchAll(/<h[234] id="([^"]*)"/g), ([, id]) => id);
  for (const of of TRANSLATIONS) {
    const text = readFileSync(join(REPOSITORY, `docs/understanding-scores.${of}.md`), "utf8");
    expect([of, shape(text)]).toEqual([of, shape(original)]);
    expect(ids(await get(`/${of}/help`))).toEqual(ids(await get("/help")));
  }
});
