/**
 * The Atom feeds that list score changes of a repository, researcher, institution, dataset, funder or search, over two real
 * releases.
 */

import { XMLParser } from "fast-xml-parser";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CACHE } from "../../api-static/routes/route.ts";
import { type ChangeRow, changeList } from "../../schemas/public/api/changes.ts";
import { recordDetail, recordList } from "../../schemas/public/api/record.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { accountsBeside, hide } from "../hidden/hidden-world.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { CHANGED_ROR, TWO_RELEASES } from "../support/two-releases.ts";
import { atomFaults } from "./atom-faults.ts";

let store: FilledStore;
let server: Listening;
let changes: readonly ChangeRow[];

beforeAll(async () => {
  store = await filledStore(TWO_RELEASES);
  server = await serve(store.store);
  changes = changeList.parse(await get("/releases/latest/changes?limit=100")).data;
  expect(changes.map(({ source }) => source).sort()).toEqual(["datacite", "zenodo", "zenodo", "zenodo", "zenodo"]);
}, 300_000);

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

async function get(path: string) {
  const reply = await ask(server.port, path, { headers: { accept: "application/json" } });
  if (reply.status === 307) return get(String(reply.headers.location));
  expect(reply.status, `${path}: ${reply.text}`).toBe(200);
  return JSON.parse(reply.text);
}

interface Entry {
  readonly title: string;
  readonly summary: string;
  readonly content: { readonly "#text": string };
}

const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "entry" });

async function feed(path: string) {
  const reply = await ask(server.port, path);
  expect(reply.status, reply.text).toBe(200);
  expect(atomFaults(reply.text)).toEqual([]);
  const { feed: parsed }: { feed: { title: string; updated: string; entry?: readonly Entry[] } } = parser.parse(
    reply.text,
  );
  return { title: parsed.title, updated: parsed.updated, entries: parsed.entry ?? [], headers: reply.headers };
}

test("the feed of a repository lists the score changes of its datasets, each with its cause", async () => {
  const { title, entries, headers } = await feed("/repositories/Zenodo/changes.atom");
  expect(headers["cache-control"]).toBe(CACHE.page);
  expect(title).toBe("SHARE scores: Zenodo – SHARE");
  expect(entries.map((entry) => entry.title)).toEqual([`Release ${store.last.scoreReleaseVersion}`]);
  const own = changes.filter(({ repository }) => repository === "Zenodo");
  const up = own.filter(({ points }) => (points ?? 0) > 0).length;
  const down = own.filter(({ points }) => (points ?? 0) < 0).length;
  expect([up, down]).toEqual([3, 1]);
  expect(entries[0]?.summary).toContain(`${up + down} datasets changed: ${up} up, ${down} down.`);
  expect(entries[0]?.summary).toContain(
    `Causes, with their datasets: the metadata of the dataset changed (${own.length}).`,
  );
  const content = entries[0]?.content["#text"] ?? "";
  const page = await ask(server.port, "/repositories/Zenodo", { headers: { accept: "text/html" } });
  expect(page.text).toMatch(
    /<details><summary>Since the previous release: \d+ signals? fixed, \d+ lost<\/summary><ul>/,
  );
  const section = page.text.slice(page.text.indexOf("Changes in the last release"));
  expect(section).toContain(entries[0]?.summary);
  const [, path = ""] = /<a href="([^"]+)">All changes of this repository as JSON/.exec(section) ?? [];
  expect(changeList.parse(await get(path.replaceAll("&amp;", "&"))).data).toEqual(own);
  for (const { id, totalBefore, totalAfter } of own) {
    for (const text of [content, section]) {
      expect(text).toContain(`/datasets/${id}">`);
      expect(text).toContain(`: ${totalBefore} before, ${totalAfter} now</li>`);
      expect(text.match(/The metadata of the dataset changed:/g)).toHaveLength(1);
    }
  }
});

test("the feed of a repository without changes is empty, and that of an unknown repository is 404", async () => {
  const { data } = recordList.parse(await get("/records?limit=100"));
  const changed = changes.map(({ repository }) => repository);
  const other = data.find(({ repository }) => !changed.includes(repository))?.repository ?? "";
  const empty = await feed(`/repositories/${encodeURIComponent(other)}/changes.atom`);
  // Nothing has changed since the first release.
  expect([empty.entries, empty.updated]).toEqual([[], store.receipts[0]?.publishedAt]);
  const page = await ask(server.port, `/repositories/${encodeURIComponent(other)}`, {
    headers: { accept: "text/html" },
  });
  expect(page.text).toContain(`href="/repositories/${encodeURIComponent(other)}/changes.atom"`);
  expect(page.text).not.toContain("<h2>Changes in the last release</h2>");
  for (const path of [
    "/repositories/Nowhere/changes.atom",
    "/organisations/000000000/changes.atom",
    "/funders/Nobody/changes.atom",
    `/datasets/r${"0".repeat(24)}/changes.atom`,
    "/researchers/nobody-0000000000000000000000000/changes.atom",
  ]) {
    expect([path, (await ask(server.port, path)).status]).toEqual([path, 404]);
  }
});

test("the feed of a researcher lists only changes of the researcher's datasets, and is 404 once the researcher is hidden", async () => {
  const details = await Promise.all(changes.map(async ({ id }) => recordDetail.parse(await get(`/records/${id}`))));
  const slug = details.flatMap(({ authors }) => authors.flatMap((author) => author.slug ?? [])).at(0) ?? "";
  const own = details.filter(({ authors }) => authors.some((author) => author.slug === slug));
  const path = `/researchers/${slug}/changes.atom`;
  const { entries, headers } = await feed(path);
  expect(headers["cache-control"]).toBe(CACHE.person);
  const content = entries[0]?.content["#text"] ?? "";
  expect(content.match(/<li>/g)).toHaveLength(own.length);
  for (const { id } of own) expect(content).toContain(`/datasets/${id}">`);
  const page = await ask(server.port, `/researchers/${slug}`, { headers: { accept: "text/html" } });
  expect(page.text).toContain(`<link rel="alternate" type="application/atom+xml" href="${path}"`);
  const accounts = await accountsBeside(store.store);
  try {
    await hide(accounts.db, [{ id: researcherDetail.parse(await get(`/authors/${slug}`)).id, slug }]);
    await vi.waitFor(async () => expect((await ask(server.port, path)).status).toBe(404), 20_000);
  } finally {
    await hide(accounts.db, []);
    await accounts.close();
  }
});

test("the feed of an institution lists the changes of the datasets whose metadata state its ROR id", async () => {
  const { title, entries } = await feed(`/organisations/${CHANGED_ROR}/changes.atom`);
  expect(title).toBe(`SHARE scores: institution ${CHANGED_ROR} – SHARE`);
  const [only] = changes.filter(({ source }) => source === "datacite");
  const content = entries[0]?.content["#text"] ?? "";
  expect(content.match(/<li>/g)).toHaveLength(1);
  expect(content).toContain(`/datasets/${only?.id}">`);
});

test("the feed of a dataset has only its own changes", async () => {
  const [changed] = changes;
  const { entries } = await feed(`/datasets/${changed?.id}/changes.atom`);
  const content = entries[0]?.content["#text"] ?? "";
  expect(content.match(/<li>/g)).toHaveLength(1);
  expect(content).toContain(`: ${changed?.totalBefore} before, ${changed?.totalAfter} now</li>`);
  const page = await ask(server.port, `/datasets/${changed?.id}`, { headers: { accept: "text/html" } });
  expect(page.text).toContain(`type="application/atom+xml" href="/datasets/${changed?.id}/changes.atom"`);
});

test("the feeds of a funder and of a search have the changes of the datasets that match", async () => {
  const own = changes.filter(({ source }) => source === "zenodo");
  expect((await feed("/datasets.atom?source=zenodo&order=score+desc")).entries[0]?.content["#text"]).toBe(
    (await feed("/repositories/Zenodo/changes.atom")).entries[0]?.content["#text"],
  );
  const { entries: narrowed, title } = await feed("/datasets.atom?maxScore=0&source=zenodo");
  expect([narrowed, title]).toEqual([[], "SHARE scores: Read through: zenodo · Maximum score: 0 – SHARE"]);
  const list = await ask(server.port, "/datasets?source=zenodo", { headers: { accept: "text/html" } });
  expect(list.text).toContain('type="application/atom+xml" href="/datasets.atom?source=zenodo"');
  expect(list.text).toContain('<input type="hidden" name="query" value="source=zenodo">');
  const all = await ask(server.port, "/datasets", { headers: { accept: "text/html" } });
  expect(all.text).not.toContain("/datasets.atom");
  for (const query of ["", "?page=2", `?author=a${"0".repeat(24)}&source=zenodo`, "?minScore=high"]) {
    expect([query, (await ask(server.port, `/datasets.atom${query}`)).status]).toEqual([query, 400]);
  }

  const funders = await ask(server.port, "/funders", { headers: { accept: "text/html" } });
  const paths = [...funders.text.matchAll(/href="(\/funders\/[^"]+)"/g)].map(([, path = ""]) => path);
  const fetchChanged = async (path: string) => {
    const query = new URLSearchParams({ funder: decodeURIComponent(path.slice("/funders/".length)), limit: "100" });
    const { data } = recordList.parse(await get(`/records?${query}`));
    return own.filter(({ id }) => data.some((each) => each.id === id)).map(({ id }) => id);
  };
  const found = await Promise.all(paths.map(async (path) => ({ path, ids: await fetchChanged(path) })));
  const funder = found.find(({ ids }) => ids.length > 0);
  const { entries } = await feed(`${funder?.path}/changes.atom`);
  const content = entries[0]?.content["#text"] ?? "";
  expect([...content.matchAll(/r[0-9a-f]{24}/g)].map(([id]) => id).toSorted()).toEqual(funder?.ids.toSorted());
});
