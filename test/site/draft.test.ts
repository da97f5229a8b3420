/** Drafts: metadata that are scored before a deposit, through the API and the site. The server stores no draft. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDeposit } from "../../pipeline/evaluate/draft-fields.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { draftResult } from "../../schemas/public/api/evaluation.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";

const JSON_BODY = { "content-type": "application/json" };
const FILLED_IN = {
  title: "Invented tides",
  description: "Heights of an invented tide, hour by hour, with the gauge that was used and what it cannot see.",
  keywords: "tides, sea level, invented",
  creators: "Carberry, Josiah; 0000-0002-1825-0097",
  licence: "cc-by-4.0",
  access: "open",
  files: "README.md\ntides.csv",
};

let store: ReleasedStore;
let server: Listening;

beforeAll(async () => {
  store = await releasedStore({});
  server = await serve(store.store, {
    quotas: { evaluation: { requests: 1000, seconds: 60 } },
    evaluations: { workers: { taskMilliseconds: 120_000 } },
  });
});

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

function draft(source: string, body: string, headers: Readonly<Record<string, string>> = JSON_BODY): Promise<Reply> {
  return ask(server.port, `/evaluations/draft?source=${source}`, { method: "POST", headers, body });
}

function fillIn(fields: Readonly<Record<string, string>>, of = server): Promise<Reply> {
  return postForm("/check/draft", fields, of);
}

function postForm(path: string, fields: Readonly<Record<string, string>>, { port }: Listening): Promise<Reply> {
  return ask(port, path, {
    method: "POST",
    headers: {
      accept: "text/html",
      origin: `http://localhost:${port}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Returns one complete example payload of each source whose payloads are JSON or XML files. */
function examples(): { readonly source: string; readonly text: string; readonly type: string }[] {
  return SOURCES.flatMap(({ name }) => {
    const folder = join(PAYLOADS, name);
    const file = readdirSync(folder).find((each) => /complete.*\.(?:json|xml)$/.test(each)) ?? "";
    if (file === "" || statSync(join(folder, file)).isDirectory()) return [];
    const type = file.endsWith(".xml") ? "application/xml" : "application/json";
    return [{ source: name, text: readFileSync(join(folder, file), "utf8"), type }];
  });
}

test("the metadata that a source publishes are accepted unchanged as a draft, in JSON and XML", async () => {
  const all = examples();
  expect(all.length).toBeGreaterThan(8);
  for (const { source, text, type } of all) {
    const reply = await draft(source, text, { "content-type": type });
    expect([source, reply.status, reply.status === 200 ? "" : reply.text]).toEqual([source, 200, ""]);
    const { draft: scored } = draftResult.parse(JSON.parse(reply.text));
    expect([source, scored.record.scoreStatus]).toEqual([source, "scored"]);
    expect(reply.headers["cache-control"]).toBe("no-store");
  }
});

test.each([
  { name: "for an unknown source", source: "nobody", body: "{}", status: 400 },
  { name: "invalid JSON", source: "zenodo", body: "{", status: 400 },
  { name: "JSON without a record", source: "zenodo", body: "[1, 2]", status: 400 },
  {
    name: "software instead of a dataset",
    source: "zenodo",
    body: '{"metadata":{"upload_type":"software","title":"x"}}',
    status: 400,
  },
  { name: "an empty body", source: "zenodo", body: "", status: 400 },
  { name: "a draft that is too large", source: "zenodo", body: `{"a":"${"x".repeat(MAX_DRAFT_BYTES)}"}`, status: 413 },
])("a draft is rejected with status $status if it is $name", async ({ source, body, status }) => {
  const reply = await draft(source, body);
  expect(reply.status).toBe(status);
  expect(reply.headers["content-type"]).toBe("application/problem+json");
});

test("a picture in place of a draft is rejected", async () => {
  expect((await draft("zenodo", "x", { "content-type": "image/png" })).status).toBe(415);
});

test("the form for a draft shows the score with an explanation, and a higher score if another field is filled in", async () => {
  const total = ({ text }: Reply) => Number(/class="big(?: range)?">(\d+)/.exec(text)?.[1] ?? Number.NaN);
  const [first, better] = [
    await fillIn(FILLED_IN),
    await fillIn({ ...FILLED_IN, methods: "A gauge that is read by eye, every full hour, by two people in turns." }),
  ];
  expect([first.status, better.status]).toEqual([200, 200]);
  expect(total(better)).toBeGreaterThan(total(first));
  expect(first.text).toContain("Next steps");
  expect(first.text).toMatch(
    /How to reproduce this score.*<dt>Contract<\/dt><dd><a href="\/rubrics\/(2[^"]+)">\1<\/a> <code>sha256:[0-9a-f]{64}<.*<dt>Reader<\/dt><dd>version \d+/s,
  );
  // The footer must not state the as-of date of the release, because the draft is scored as of another date.
  expect(first.text.match(/\bas of\b/gi)).toHaveLength(1);
  // The page shows the repository's display name.
  expect(first.text).toContain("as Zenodo would publish it");
  expect(first.text).toContain("<dt>Never provided by Zenodo</dt>");
});

test("a draft without a title has a note that the repository requires one", async () => {
  const note = "<strong>A title is missing.</strong> Zenodo requires one.";
  const { title: _title, ...untitled } = FILLED_IN;
  const pasted = JSON.stringify({ upload_type: "dataset", keywords: ["tides"] });
  for (const fields of [untitled, { source: "zenodo", pasted }]) {
    const { status, text } = await fillIn(fields);
    expect([status, text.indexOf(note) > 0, text.indexOf(note) < text.indexOf('class="score"')]).toEqual([
      200,
      true,
      true,
    ]);
  }
  expect((await fillIn(FILLED_IN)).text).not.toContain("A title is missing.");
});

test("the score of a draft is a range if signals are not known yet, in the total and in the bars of the buckets", async () => {
  const pasted = JSON.stringify({ metadata: { upload_type: "dataset", title: "Invented tides", keywords: 7 } });
  const { record } = draftResult.parse(JSON.parse((await draft("zenodo", pasted)).text)).draft;
  const { text } = await fillIn({ source: "zenodo", pasted });
  const { least = 0, most = 0 } = record.range ?? {};
  expect(most).toBeGreaterThan(least);
  expect(text).toContain(`<span class="big range">${least} to ${most}</span>`);
  const bars = [...text.matchAll(/<span class="num">(\d+)(?: to (\d+))? of \d+<\/span>/g)];
  const sum = (i: (bar: RegExpExecArray) => string | undefined) =>
    bars.reduce((all, bar) => all + Number(i(bar) ?? 0), 0);
  expect([sum((bar) => bar[1]), sum((bar) => bar[2] ?? bar[1])]).toEqual([least, most]);
  // The heading of each bucket shows the same range as its bar.
  const headings = [...text.matchAll(/<h3>[^<]+<span class="muted">([^<]+)<\/span>/g)].map(([, points]) => points);
  const shown = [...text.matchAll(/<span class="num">([^<]+)<\/span>/g)].map(([, points]) => points);
  expect(headings).toEqual(shown.slice(0, 5));
});

test("the page of a draft shows every field that the API returns as the basis of the score", async () => {
  const pasted = JSON.stringify({ metadata: { upload_type: "dataset", title: "Invented tides", keywords: 7 } });
  const { basis } = draftResult.parse(JSON.parse((await draft("zenodo", pasted)).text)).draft;
  const said = leaves(basis);
  // The basis has 8 single values (a date, five about contract, pledge and policy, two about the reader) and two lists.
  expect([basis.unreadable, basis.pledge.neverCarries.length > 1]).toEqual([["keyword_count"], true]);
  expect(said.length).toBe(8 + basis.pledge.neverCarries.length + 1);
  const { text } = await fillIn({ source: "zenodo", pasted });
  const shown = /How to reproduce this score.*?<dl class="facts">(.*?)<\/dl>/s.exec(text)?.[1] ?? text;
  // Compares the visible text alone; a URL in an attribute is not visible.
  const words = shown.replaceAll(/<[^>]*>/g, " ").split(/[\s,]+/);
  expect(said.filter((each) => !words.includes(each))).toEqual([]);
});

/** Returns every string, number and other simple value inside an object or list, as text. */
function leaves(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [String(value)];
}

test("a draft form that is empty or cannot be read is shown again with an error and the typed values", async () => {
  const empty = await fillIn({ source: "zenodo" });
  expect([empty.status, /choose a file, paste metadata, or fill in the form/.test(empty.text)]).toEqual([400, true]);
  const broken = await fillIn({ source: "dryad", pasted: '{"title": <b>"' });
  expect(broken.status).toBe(400);
  expect(broken.text).toContain("{&quot;title&quot;: &lt;b&gt;&quot;");
  expect(broken.text).toMatch(/value="dryad" selected/);
  expect(broken.text).toContain("Your input cannot be read as metadata for Dryad");
  expect(broken.text).toContain('<a href="#form">fill in the form</a>');
});

test("a draft form without a title or another text shows the error beside the title, even if an access level is selected", async () => {
  for (const access of ["", "open"]) {
    const { status, text } = await fillIn({ form: "fields", title: " ", access });
    expect(status).toBe(400);
    expect(text).toMatch(
      />A draft<.* id="form" open>.*<\/span>Fill in the title or another field\.<\/span><input id="f-title"[^>]* aria-invalid="true" autofocus>/s,
    );
    expect(text.match(/ autofocus/g)).toHaveLength(1);
    expect(text).not.toContain("Please correct your input");
  }
});

test("an invalid ORCID iD in the form is an error beside the creators, and all other input is kept", async () => {
  const creators = `${FILLED_IN.creators}\nSmith, Bob; 0000-0001-1111-1111\nDoe, Jane; <b>`;
  const { status, text } = await fillIn({ ...FILLED_IN, creators });
  expect(status).toBe(400);
  expect(text).toMatch(
    /<span class="error" id="e-creators">.*Line 2 has an invalid ORCID iD: 0000-0001-1111-1111; line 3 has an invalid ORCID iD: &lt;b&gt;\.<\/span><textarea id="f-creators"[^>]* aria-describedby="h-creators e-creators" aria-invalid="true" autofocus>/,
  );
  expect(text.match(/ autofocus/g)).toHaveLength(1);
  expect(text).not.toContain("Please correct your input");
  expect(text).toContain("0000-0001-1111-1111\nDoe, Jane; &lt;b&gt;</textarea>");
  for (const typed of [FILLED_IN.title, FILLED_IN.keywords, FILLED_IN.licence])
    expect(text).toContain(`value="${typed}"`);
  expect(text).toContain(`${FILLED_IN.files}</textarea>`);
  expect(text).toContain(`${FILLED_IN.description}</textarea>`);
});

test("the draft form also separates keywords and creators at full-width signs such as “，” and “；”", () => {
  const empty = { description: "", methods: "", contributors: "", licence: "", access: "", references: "" };
  const rest = { ...empty, related: "", grants: "", files: "", title: "Invented tides" };
  const typed = { ...rest, keywords: "潮汐，海平面、虚构", creators: "Carberry, Josiah；0000-0002-1825-0097" };
  expect(JSON.parse(buildDeposit(typed)).metadata).toMatchObject({
    keywords: ["潮汐", "海平面", "虚构"],
    creators: [{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }],
  });
});

test("the draft form explains that a creator with neither a comma nor an iD counts as an organisation, as in the score", async () => {
  const { text } = await ask(server.port, "/check", { headers: { accept: "text/html" } });
  expect(text).toContain("A name with neither a comma nor an iD counts as an organisation.");
  const people = async (creators: readonly object[]) => {
    const metadata = { upload_type: "dataset", title: "Invented tides", creators };
    const { record } = draftResult.parse(JSON.parse((await draft("zenodo", JSON.stringify({ metadata }))).text)).draft;
    return record.signals.find(({ id }) => id === "E2")?.evidence.person_creator_count;
  };
  expect(await people([{ name: "Josiah Carberry" }])).toBe(0);
  expect(await people([{ name: "Carberry, Josiah" }])).toBe(1);
  expect(await people([{ name: "Josiah Carberry", orcid: "0000-0002-1825-0097" }])).toBe(1);
});

test.each([
  { source: "", chosen: false },
  { source: "datacite", chosen: false },
  { source: "zenodo", chosen: true },
])("a draft in DataCite's format is scored for DataCite, even if “$source” is selected", async ({ source, chosen }) => {
  const { status, text } = await fillIn({ source, pasted: '{"titles":[{"title":"Tides"}]}' });
  expect([status, text.includes("as DataCite would publish it")]).toEqual([200, true]);
  expect(text.includes("You selected Zenodo, but the file has the format of DataCite.")).toBe(chosen);
});

test("the source of a draft is recognised by its format, and a draft without a known format gets a message that says so", async () => {
  for (const { source, text, type } of examples()) {
    const headers = { "content-type": type };
    const reply = await ask(server.port, "/evaluations/draft", { method: "POST", headers, body: text });
    expect([source, draftResult.parse(JSON.parse(reply.text)).draft.source]).toEqual([source, source]);
  }
  const nothing = await fillIn({ source: "", pasted: '{"a":1}' });
  expect([
    nothing.status,
    /does not show which repository the dataset belongs to; choose the repository/.test(nothing.text),
  ]).toEqual([400, true]);
});

test("one identifier that is pasted as a draft leads to the check of that dataset, and several lead to the check of a list", async () => {
  const one = await fillIn({ source: "", pasted: " 10.5281/zenodo.1\n" });
  expect([one.status, one.headers.location]).toEqual([303, "/check?identifier=10.5281%2Fzenodo.1"]);
  const several = await fillIn({ source: "", pasted: "10.5281/zenodo.1\nhttps://doi.org/10.5072/b" });
  expect([several.status, several.text.includes("<h1>Check a list</h1>")]).toEqual([200, true]);
});

test("the draft form suggests licences, each with its class such as “open and permissive”", async () => {
  const { text } = await ask(server.port, "/check", { headers: { accept: "text/html" } });
  const list = /<datalist id="l-licence">(.*?)<\/datalist>/.exec(text)?.[1] ?? "";
  expect(list).toContain('<option value="CC-BY-4.0">open and permissive</option>');
  expect(list).toContain('<option value="CC-BY-SA-4.0">open, share alike</option>');
  expect(list).toContain('<option value="CC-BY-NC-4.0">not open</option>');
});

test("a draft form that another site sends is rejected with an HTML page", async () => {
  const { status, headers } = await ask(server.port, "/check/draft", {
    method: "POST",
    headers: {
      accept: "text/html",
      origin: "https://elsewhere.example",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "title=x",
  });
  expect([status, headers["content-type"]]).toEqual([403, "text/html; charset=utf-8"]);
});

test("each client can score ten drafts a minute, whether through the API or the site", async () => {
  const guarded = await serve(store.store);
  try {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      const reply = await ask(guarded.port, "/evaluations/draft?source=zenodo", {
        method: "POST",
        headers: JSON_BODY,
        body: "{",
      });
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
    // The site shows the typed text again.
    const limited = await fillIn({ source: "", pasted: "{typed}" }, guarded);
    expect([limited.status, Number(limited.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
    expect(limited.text).toMatch(/Your text is still here\. Try again in \d+ seconds?\..*>\n\{typed\}</s);
    // A draft above the maximum size is rejected even over the limit. The page does not repeat its text, and says so.
    const large = await fillIn({ source: "", pasted: `{"a":"${"x".repeat(MAX_DRAFT_BYTES)}"}` }, guarded);
    expect([large.status, large.text.length < 100_000]).toEqual([413, true]);
    expect(large.text).toContain("<strong>The draft is too large</strong>");
    expect(large.text).toContain("Your draft has 5.1 MB, and at most 5 MB are possible. It is too long to be shown");
    expect(large.text).not.toContain("Your text is still here");
    const { data } = recordList.parse(JSON.parse((await ask(guarded.port, "/records?limit=40")).text));
    const published = data.flatMap(({ id, doi }) => (doi === null ? [] : [{ id, identifier: doi }])).slice(0, 12);
    expect(published.length).toBe(12);
    for (const { id, identifier } of published) {
      const { status, headers } = await postForm("/check", { identifier }, guarded);
      expect([status, headers.location]).toEqual([303, `/datasets/${id}`]);
    }
  } finally {
    await guarded.close();
  }
});
