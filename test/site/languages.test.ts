/** The pages for researchers in six languages: complete texts, links in the same language, and the choice of the home page. */

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import {
  inLanguage,
  LANGUAGES_FOLDER,
  preferredLanguage,
  readTexts,
  TRANSLATIONS,
} from "../../server/site/languages.ts";
import { countText, dayText, hundredths, integer, percent, signedNumber } from "../../web/components/figures.ts";
import { html } from "../../web/html.ts";
import { isTranslated, localPath, pathIn, splitTarget } from "../../web/languages/paths.ts";
import { addTexts, isLanguage, LANGUAGES, type Language, listenToTexts, t } from "../../web/languages/translate.ts";
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
import { listTexts } from "../support/site-texts.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const ALL = Object.keys(LANGUAGES).filter(isLanguage);

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
      workers: { turnMilliseconds: 120_000, taskMilliseconds: 120_000 },
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

/** Returns one path of each kind, with a dataset and a researcher. */
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

/** Requests pages in many states. */
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

test("every text of the translated pages is in each language, and no other", () => {
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

test.each(TRANSLATIONS)("pages in many states look up no text in vain: %s", async (of) => {
  const missing = new Set<string>();
  listenToTexts((key, language, isMissing) => {
    if (isMissing) missing.add(`${language}: ${key}`);
  });
  const pages = [...(await readAll(of)), await readCheck(of, REGISTERED[0] ?? ""), await readCheck(of, UNKNOWN_DOI)];
  listenToTexts(null);
  expect([...missing]).toEqual([]);
  for (const { text, status } of pages) {
    const found = status !== 404 || text.includes(" was withdrawn") ? of : "en-GB";
    expect([text.slice(0, 60), /<html lang="([^"]*)"/.exec(text)?.[1]]).toEqual([text.slice(0, 60), found]);
    expect(text).not.toMatch(/\{\d\}|undefined|\[object|[\ue000-\uf8ff]/);
  }
  expect(pages.filter(({ status }) => status === 200).length).toBeGreaterThan(50);
});
