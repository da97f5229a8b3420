/** The form that checks a dataset by its DOI: what counts towards the limit of checks, and several DOIs at once. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { recordList } from "../../schemas/public/api/record.ts";
import { REGISTERED, startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";

/** Number of checks that a client may start in a minute. The page of a check says how many are left if at most three are. */
const QUOTA = 5;

let store: ReleasedStore;
let upstream: Upstream;
let server: Listening;

beforeAll(async () => {
  store = await releasedStore({ rubrics: ["2.0"], history: false });
  upstream = await startUpstream();
  // The sources never respond, so that no check ends before the test has read its page.
  upstream.fault = "silent";
});

beforeEach(async () => {
  await server?.close();
  server = await serve(store.store, {
    quotas: { evaluation: { requests: QUOTA, seconds: 60 } },
    evaluations: { upstreams: upstream.upstreams },
  });
});

afterAll(async () => {
  await server?.close();
  await upstream?.close();
  await store?.[Symbol.asyncDispose]();
});

const HTML = { accept: "text/html" };
const [FIRST = "", SECOND = "", ...MORE] = REGISTERED;

function check(identifier: string): Promise<Reply> {
  return ask(server.port, "/check", {
    method: "POST",
    headers: {
      ...HTML,
      origin: `http://localhost:${server.port}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ identifier }).toString(),
  });
}

const checks = async (identifiers: readonly string[]) => {
  const replies: Reply[] = [];
  for (const identifier of identifiers) replies.push(await check(identifier));
  return replies;
};
const places = (replies: readonly Reply[]) => replies.map(({ status, headers }) => [status, headers.location]);

test("checks of the same dataset within a minute count once towards the limit, however its DOI is written", async () => {
  const [first] = await checks([FIRST]);
  const again = await checks([FIRST, ` https://doi.org/${FIRST.toUpperCase()}`, `doi:${FIRST}`, FIRST, FIRST, FIRST]);
  expect(first?.headers.location).toMatch(/^\/check\/j[0-9a-f]{32}$/);
  expect(places(again)).toEqual(again.map(() => [303, first?.headers.location]));
  const others = await checks([SECOND, ...MORE].slice(0, QUOTA));
  expect(others.map(({ status }) => status)).toEqual([303, 303, 303, 303, 429]);
  // Even with the limit used up, the check that is running can still be opened.
  expect(places(await checks([FIRST]))).toEqual([[303, first?.headers.location]]);
});

test("the page of a check says how many more checks can be started in this minute, if at most three", async () => {
  const replies = await checks(MORE.slice(10, 10 + QUOTA));
  const said: (string | undefined)[] = [];
  for (const { headers } of replies) {
    const { text } = await ask(server.port, String(headers.location), { headers: HTML });
    expect(text).toContain("<title>Checking… – SHARE</title>");
    said.push(/You can start (.*?) in this minute/.exec(text)?.[1]);
  }
  expect(said).toEqual([undefined, "3 more checks", "2 more checks", "1 more check", "no more checks"]);
});

test("an identifier that cannot be checked does not count towards the limit, and is shown again", async () => {
  for (const reply of await checks(Array.from({ length: QUOTA + 1 }, () => "no <identifier>"))) {
    expect([reply.status, reply.text.includes('value="no &lt;identifier&gt;"')]).toEqual([400, true]);
  }
});

test("an empty identifier is an error beside its field", async () => {
  for (const reply of await checks(["", "  "])) {
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(
      /<\/span>Enter a DOI, an accession number or a URL\.<\/span><input id="f-identifier"[^>]* aria-invalid="true" autofocus>/,
    );
    expect(reply.text).not.toContain("Please correct your input");
  }
});

test("punctuation after a DOI is ignored, unless a dataset of the release has that DOI", async () => {
  const { data } = recordList.parse(JSON.parse((await ask(server.port, "/records?limit=40")).text));
  const { id, doi } = data.find((each) => each.doi !== null) ?? {};
  const published = await checks([".", ",", ")", ");"].map((end) => `${doi}${end}`));
  expect(places(published)).toEqual(published.map(() => [303, `/datasets/${id}`]));
  const [plain, copied] = places(await checks([SECOND, `${SECOND}).`]));
  expect(copied).toEqual(plain);
  for (const end of [".", ")", ".]"]) expect((await check(`10.5072/${end.repeat(10_000)}`)).status).toBe(400);
});

test("the page for lists ignores punctuation after a DOI, as the box for one dataset does", async () => {
  const { data } = recordList.parse(JSON.parse((await ask(server.port, "/records?limit=40")).text));
  const { id, doi } = data.find((each) => each.doi !== null) ?? {};
  const typed = [".", ",", ")", ");"].map((end) => `${doi}${end}`);
  const { status, text } = await ask(server.port, "/check-list", {
    method: "POST",
    headers: {
      ...HTML,
      origin: `http://localhost:${server.port}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ identifiers: [...typed, `${FIRST}.`, "."].join("\n") }).toString(),
  });
  expect([status, text.includes("<b>4</b> of 6 identifiers found")]).toEqual([200, true]);
  // Each row has the identifier as in the list.
  for (const each of typed) expect(text).toContain(`>${each}</bdi></th>`);
  expect(text.split(`<a href="/datasets/${id}"`)).toHaveLength(typed.length + 1);
  expect(text).toContain("Not in the current release");
});

test("several DOIs in the box for one dataset are looked up as a list, and do not count towards the limit of checks", async () => {
  const { data } = recordList.parse(JSON.parse((await ask(server.port, "/records?limit=40")).text));
  const { id, doi } = data.find((each) => each.doi !== null) ?? {};
  for (const between of [" ", ", ", "\n", ";", "\u00a0", " \u200e "]) {
    const { status, text } = await check([doi, FIRST, SECOND].join(between));
    expect([between, status, /<h1[^>]*>([^<]*)/.exec(text)?.[1]]).toEqual([between, 200, "Check a list"]);
    expect(text).toContain(`href="/datasets/${id}"`);
    for (const each of [FIRST, SECOND]) expect(text).toContain(`>${each}</bdi></th>`);
  }
  // One of them is not an identifier.
  expect((await check(`${FIRST} and`)).status).toBe(400);
});
