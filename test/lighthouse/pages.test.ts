/**
 * Lighthouse audits the most visited pages for accessibility, best practices and search engines. The bench measures their
 * speed.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audit, HAS_LIGHTHOUSE } from "../../bench/pages/audit.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";
import { CHROMIUM } from "../site/chromium.ts";
import { everyNth } from "../tiers.ts";

const MIN_SCORE = 95;

if (!HAS_LIGHTHOUSE) {
  const words = "Lighthouse is not installed: pages are not audited; `make lighthouse` installs it";
  if (process.env.CI !== undefined) throw new Error(words);
  console.warn(words);
}

describe.skipIf(CHROMIUM === null || !HAS_LIGHTHOUSE)("the Lighthouse scores of the site", () => {
  let store: ReleasedStore;
  let server: Listening;
  let paths: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    store = await releasedStore({});
    server = await serve(store.store);
    const records = await ask(server.port, "/records?sortBy=score&sortOrder=desc");
    const people = await ask(server.port, "/authors?sortBy=sIndex&sortOrder=desc");
    paths = {
      "the first page": "/",
      "a dataset": `/datasets/${recordList.parse(JSON.parse(records.text)).data[0]?.id}`,
      "a researcher": `/researchers/${researcherList.parse(JSON.parse(people.text)).data[0]?.slug}`,
      "the check": "/check",
      "the list of datasets": "/datasets",
      "the map": "/countries",
      "the API reference": "/docs",
    };
  });

  afterAll(async () => {
    await server?.close();
    await store?.[Symbol.asyncDispose]();
  });

  const names = ["the first page", "a dataset", "a researcher", "the check", "the list of datasets", "the map"];
  test.each(everyNth([...names, "the API reference"], 3))(
    `the page %s has a Lighthouse score of at least ${MIN_SCORE} in each category`,
    async (name) => {
      const categories = ["accessibility", "best-practices", "seo"];
      const found = await audit(`http://localhost:${server.port}${paths[name]}`, categories, CHROMIUM ?? "");
      expect(found.map(({ category }) => category).toSorted()).toEqual(categories);
      expect(found.filter(({ score }) => score < MIN_SCORE)).toEqual([]);
    },
    300_000,
  );
});
