/** The Atom feed of releases: valid under RFC 4287, with the changes of each release and any later retraction. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CACHE } from "../../api-static/routes/route.ts";
import { makeSigner, newReleaseKey } from "../../pipeline/store/signatures.ts";
import { retract } from "../../releases/retract.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { releasesFeed } from "../../web/views/releases-feed.ts";
import { ask } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { atomFaults } from "./atom-faults.ts";

const REASON = "Citations were counted twice <b>& so</b> on.";

let store: ReleasedStore;
let server: Listening;
let first: Receipt;
let second: Receipt;

beforeAll(async () => {
  store = await releasedStore({}, { asOf: "2026-11-02" }, { asOf: "2026-11-03", activate: false });
  const [one, other] = store.receipts;
  if (one === undefined || other === undefined) throw new Error("expected three releases, and fewer were built");
  [first, second] = [one, other];
  server = await serve(store.store);
}, 300_000);

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "entry" || name === "link" });

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly summary: string;
  readonly content: { readonly "#text": string };
  readonly link: readonly { readonly "@_href": string; readonly "@_rel": string }[];
}

async function feed(port = server.port) {
  const reply = await ask(port, "/history.atom");
  const parsed: { feed: { entry: readonly Entry[]; updated: string } } = parser.parse(reply.text);
  return { ...reply, ...parsed.feed };
}

test("the feed of releases is valid Atom, with an entry for each release that was active, newest first", async () => {
  const { headers, text, entry } = await feed();
  expect([headers["content-type"], headers["cache-control"]]).toEqual([
    "application/atom+xml; charset=utf-8",
    CACHE.page,
  ]);
  expect(XMLValidator.validate(text)).toBe(true);
  expect(atomFaults(text)).toEqual([]);
  expect(entry.map(({ id, title }) => [id, title])).toEqual([
    [`urn:${second.releaseDigest}`, `Release ${second.scoreReleaseVersion}`],
    [`urn:${first.releaseDigest}`, `Release ${first.scoreReleaseVersion}`],
  ]);
});

test("an entry of the feed states how many datasets changed, and links to the page and to the list of changes of the release", async () => {
  const { entry } = await feed();
  const [later, earlier] = entry;
  expect(later?.summary).toMatch(
    new RegExp(
      `^0 datasets added and 0 removed since release ${first.scoreReleaseVersion.replaceAll(".", "\\.")}; \\d+ in total\\. Under SHARE 2\\.0, \\d+ datasets? changed:`,
    ),
  );
  expect(earlier?.summary).toMatch(/^The first release, with \d+ datasets\.$/);
  expect(earlier?.content["#text"]).toContain(`<p>${earlier?.summary}</p>`);
  for (const { "@_href": href } of later?.link ?? []) {
    expect([href, (await ask(server.port, new URL(href).pathname)).status]).toEqual([href, 200]);
  }
  expect(later?.link.map(({ "@_rel": relation }) => relation)).toEqual(["alternate", "related"]);
});

test("every link of every entry resolves, also for a release that was made before diffs existed", async () => {
  await using copy = await temporaryStore(store.store);
  const manifest = join(copy.store.release(first.releaseDigest), "manifest.ndjson");
  const kept = readFileSync(manifest, "utf8")
    .split("\n")
    .filter((line) => !/^\{"path":"(data\/)?diff/.test(line));
  writeFileSync(manifest, kept.join("\n"));
  const other = await serve(copy.store);
  try {
    const { entry, text } = await feed(other.port);
    expect(atomFaults(text)).toEqual([]);
    expect(entry.map(({ link }) => link.map(({ "@_rel": relation }) => relation))).toEqual([
      ["alternate", "related"],
      ["alternate"],
    ]);
    expect(entry[1]?.summary).toMatch(/^\d+ datasets with a score\.$/);
    for (const { link, content } of entry) {
      const [, inText = ""] = /<a href="([^"]+)">/.exec(content["#text"]) ?? [];
      for (const address of [...link.map(({ "@_href": href }) => href), inText]) {
        const { status } = await ask(other.port, new URL(address).pathname);
        expect([address, status]).toEqual([address, 200]);
      }
    }
  } finally {
    await other.close();
  }
});

test("every page links to the feed", async () => {
  for (const path of ["/", "/history", "/datasets", `/history/${second.releaseDigest.replace(":", "-")}`]) {
    const { text } = await ask(server.port, path, { headers: { accept: "text/html" } });
    expect([path, /<link rel="alternate" type="application\/atom\+xml" href="([^"]+)"/.exec(text)?.[1]]).toEqual([
      path,
      "/history.atom",
    ]);
  }
});

test("the entry of a retracted release states the reason and has a newer update time", async () => {
  const before = await feed();
  const signer = await makeSigner(await newReleaseKey());
  const at = "2026-12-24T09:00:00.000Z";
  await retract(store.store, { releaseDigest: first.releaseDigest, reason: REASON }, signer, {
    at,
    sleep: async () => {},
  });
  await expect.poll(async () => (await feed()).entry[1]?.title, { timeout: 60_000 }).toContain("retracted");
  const after = await feed();
  expect(atomFaults(after.text)).toEqual([]);
  expect([after.updated, after.entry[1]?.updated, after.entry[1]?.id]).toEqual([at, at, before.entry[1]?.id]);
  expect(after.entry[0]).toEqual(before.entry[0]);
  expect(after.entry[1]?.summary.startsWith(`Retracted: ${REASON}`)).toBe(true);
  expect(after.entry[1]?.content["#text"]).toContain("&lt;b&gt;");
});

test("the feed stays valid if the reason of a retraction has characters that XML forbids", async () => {
  const [built] = releaseList.parse(JSON.parse((await ask(server.port, "/releases")).text));
  if (built === undefined) throw new Error("expected a release, and none was built");
  const { releaseDigest } = built;
  const reason = "Counted twice\uffff, and so\ufffe on \ud800.";
  const release = {
    ...built,
    retraction: { releaseDigest, reason, retractedAt: "2026-11-05T09:00:00.000Z", signature: "" },
  };
  const text = releasesFeed([{ release, diff: null }], "https://share.example", "SHARE");
  expect(text).not.toMatch(/[\ufffe\uffff]/);
  expect(text.isWellFormed()).toBe(true);
  expect(text).toContain("Retracted: Counted twice , and so  on \ufffd.");
  expect(atomFaults(text)).toEqual([]);
});

test("the feed of a store without releases is valid", () => {
  expect(atomFaults(releasesFeed([], "https://share.example", "SHARE"))).toEqual([]);
});

test.each([
  ["without an id", (text: string) => text.replace(/<id>[^<]*<\/id>/, "")],
  ["with two alternates of the same kind", (text: string) => text.replace(/(<link rel="alternate"[^>]*>)/, "$1$1")],
  ["with a date in place of an instant", (text: string) => text.replace(/<updated>[^<]*/, "<updated>2026-11-01")],
  ["with two entries that have one id and time", (text: string) => text.replace(/(<entry>[\s\S]*?<\/entry>)/, "$1$1")],
  [
    "with a relative URL of the feed",
    (text: string) => text.replace(/(rel="self"[^>]*href=")[^"]*/, "$1/history.atom"),
  ],
  ["without an author", (text: string) => text.replace(/<author>[\s\S]*?<\/author>/, "")],
])("atomFaults rejects a feed %s", async (_name, spoil) => {
  const { text } = await feed();
  expect(spoil(text)).not.toBe(text);
  expect(atomFaults(spoil(text)).length).toBeGreaterThan(0);
});
