/** Attacks by forms of the site and by drafts. Attacks by JSON bodies are in account.test.ts. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { MAX_DRAFT_BYTES } from "../../schemas/public/text.ts";
import { startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { mostBlocked } from "../support/blocked.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { AccountSite, RECORD } from "./account-site.ts";
import { FORGED } from "./forged-origins.ts";
import { FORMS, HONEST_FORMS } from "./honest-forms.ts";
import { HOSTILE_FORMS } from "./hostile-forms.ts";
import { INJECTIONS } from "./injections.ts";
import type { SignedIn } from "./site.ts";

interface HostileDraft {
  readonly name: string;
  readonly source: string;
  readonly type: string;
  readonly body: () => string;
  /** Matches strings that no response to the draft may contain. */
  readonly not: RegExp;
}

const SIZE = MAX_DRAFT_BYTES - 1000;
const JSON_TYPE = "application/json";
const XML_TYPE = "application/xml";
const NOTHING = /root:x:0|\bat .*\.ts:\d/;

const zenodo = (metadata: string, rest = "") => `{"metadata":{"upload_type":"dataset",${metadata}}${rest}}`;

const LAUGHS = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join("");

const eml = (text: string) =>
  `<eml:eml xmlns:eml="x" packageId="knb-lter-x.1.1"><dataset><title>${text}</title></dataset></eml:eml>`;

const json = (name: string, body: () => string, not = NOTHING): HostileDraft => ({
  name,
  source: "zenodo",
  type: JSON_TYPE,
  body,
  not,
});
const xml = (name: string, body: () => string, not = NOTHING): HostileDraft => ({
  name,
  source: "edi",
  type: XML_TYPE,
  body,
  not,
});

/** Makes a graph (JSON-LD) of as many people as a draft may have, all of whom refer to one organisation. */
const crowd = (organisation: string, person: (i: number) => string) => {
  const people: string[] = [];
  for (let size = organisation.length + 200; size < SIZE; size += people.at(-1)?.length ?? 0) {
    people.push(`,{"@id":"#${people.length}","@type":"Person",${person(people.length)}}`);
  }
  const creators = people.map((_, i) => `{"@id":"#${i}"}`);
  const room = Math.floor(people.length / 2);
  return `{"@context":"https://schema.org","@graph":[{"@id":"./","@type":"Dataset","name":"x","creator":[${creators.slice(0, room).join()}]},{"@id":"#o",${organisation}}${people.slice(0, room).join("")}]}`;
};

const linked = (name: string, body: () => string): HostileDraft => ({
  name,
  source: "datacite",
  type: JSON_TYPE,
  body,
  not: NOTHING,
});

const HOSTILE_DRAFTS: readonly HostileDraft[] = [
  xml(
    "entities that grow a thousand million times",
    () => `<!DOCTYPE e [<!ENTITY l0 "lol">${LAUGHS}]>${eml("&l9;")}`,
    /lollol/,
  ),
  xml("an entity of a file", () => `<!DOCTYPE e [<!ENTITY f SYSTEM "file:///etc/passwd">]>${eml("&f;")}`),
  xml("a document type of elsewhere", () => `<!DOCTYPE e SYSTEM "http://127.0.0.1:1/e.dtd">${eml("x")}`),
  xml("elements within elements", () => "<a>".repeat(SIZE / 7) + "</a>".repeat(SIZE / 7)),
  xml("an element that is never closed", () => "<a>".repeat(SIZE / 3)),
  xml(
    "attributes by the ten thousand",
    () => `<a ${Array.from({ length: 60_000 }, (_, i) => `b${i}="1"`).join(" ")}/>`,
  ),
  xml("comments without an end", () => eml("<!--".repeat(SIZE / 5))),
  xml("characters that are none", () => eml("&#0;&#x1F;&#xD800;&#xFFFE;")),
  xml("a title that turns over", () => eml("\u202egnp.exe\u202c <script>alert(1)</script>")),
  json("arrays within arrays", () => "[".repeat(SIZE)),
  json("objects within objects", () => `${'{"metadata":'.repeat(SIZE / 14)}1${"}".repeat(SIZE / 14)}`),
  json("as many values as it has room for", () => zenodo(`"keywords":[${'"",'.repeat(SIZE / 4)}""]`)),
  json("as many creators as it has room for", () => zenodo(`"creators":[${'{"name":"A, B"},'.repeat(SIZE / 20)}{}]`)),
  json("as many files as it has room for", () =>
    zenodo(`"title":"x"`, `,"files":[${'{"key":"a.csv"},'.repeat(SIZE / 20)}{}]`),
  ),
  json("a description of brackets", () => zenodo(`"title":"x","description":"${"<".repeat(SIZE - 200)}"`)),
  json("a description of escapes", () => zenodo(`"title":"x","description":"${"\\u0000".repeat(SIZE / 7)}"`)),
  json("members that would change an object's nature", () =>
    zenodo(`"title":"x","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}`),
  ),
  json("a title that steers", () => zenodo('"title":"\\u202egnp.exe \\u001b[2J<script>alert(1)</script>"')),
  json("a licence and people of markup", () =>
    zenodo(
      '"title":"x","license":{"id":"<script>alert(1)</script>"},"creators":[{"name":"<img src=x onerror=\\"alert(1)\\">, \\u202eB"}]',
    ),
  ),
  json("numbers where there are texts", () => zenodo('"title":1e999,"creators":9007199254740993,"keywords":-0')),
  linked("people of one organisation with a long name", () =>
    crowd(`"name":"${"x".repeat(100_000)}"`, (i) => `"name":"A${i}, B","affiliation":{"@id":"#o"}`),
  ),
  linked("people of one organisation with as many identifiers as there is room for", () =>
    crowd(`"identifier":[${"{},".repeat(200_000)}{}]`, (i) => `"name":"A${i}, B","affiliation":{"@id":"#o"}`),
  ),
  linked("datasets that are parts of each other", () =>
    crowd(
      '"@type":"Dataset","hasPart":{"@id":"#o"}',
      (i) => `"@type":"Dataset","hasPart":[{"@id":"#${i + 1}"},{"@id":"#o"}]`,
    ),
  ),
  linked("as many keywords as it has room for", () => `{"@type":"Dataset","keywords":"${"a,".repeat(SIZE / 2 - 50)}"}`),
  linked("a citation of digits", () => `{"@type":"Dataset","citation":"${"10.1111".repeat(SIZE / 7 - 50)}"}`),
  json("bytes that are not text", () => "\u0000\u001f\u008b\ufffd".repeat(1000)),
];

const FORM = "application/x-www-form-urlencoded";

/** The fields that the buttons of the account page send, besides those in HONEST_FORMS. */
const BUTTONS: readonly Readonly<Record<string, string>>[] = [
  { do: "claim", authorSlug: "carberry-josiah-0000000000" },
  { do: "visibility", authorSlug: "carberry-josiah-0000000000", requestType: "opt_out", reason: "Mine." },
  { do: "save-author", authorSlug: "carberry-josiah-0000000000", note: "Good." },
  { do: "save-repository", repository: "Zenodo" },
  { do: "save-search", query: "search=soil" },
  ...["start-change-mails", "stop-change-mails"].map((button) => ({ do: button })),
  { do: "submit", identifier: "zenodo/55000001" },
  ...[
    "withdraw-claim",
    "withdraw-visibility",
    "unsave-record",
    "unsave-author",
    "unsave-repository",
    "unsave-search",
  ].map((button) => ({
    do: button,
    id: "x",
  })),
  ...["withdraw-submission", "delete-measurement", "revoke-key", "end-session"].map((button) => ({
    do: button,
    id: "x",
  })),
];

/** The limit, in milliseconds, for the time between two turns of the event loop of this thread. */
const MAX_BLOCK_MS = 200;

/** Matches characters that reverse text, control a terminal, or end a line of a protocol. */
const STEERS = /[^\P{Cc}\t\n\r]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
const FOREIGN = /<script>alert|<img src=x|onerror="|href="javascript:/;

let raw: ReleasedStore;
let upstream: Upstream;
let of: AccountSite;
let port: number;
const cleanups: (() => PromiseLike<unknown>)[] = [];

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
  cleanups.push(() => raw[Symbol.asyncDispose]());
  upstream = await startUpstream();
  cleanups.push(() => upstream.close());
  const made = await temporaryStore();
  cleanups.push(() => made[Symbol.asyncDispose]());
  of = await AccountSite.open(raw, { sqlite: `${made.folder}/accounts.sqlite` }, upstream);
  cleanups.push(() => of[Symbol.asyncDispose]());
  port = of.site.world.port;
}, 300_000);

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Sends a form as a page of the site would, with the session of `person`, or without a session if there is none. */
function send(
  path: string,
  body: string,
  { type = FORM, person = null, from = { origin: of.site.world.origin } }: Partial<Sent> = {},
): Promise<Reply> {
  const cookie = person === null ? {} : { cookie: `share_session=${person.token}` };
  const headers = { accept: "text/html", ...(type === null ? {} : { "content-type": type }), ...from, ...cookie };
  return ask(port, path, { method: "POST", headers, body });
}

interface Sent {
  readonly type: string | null;
  readonly person: Pick<SignedIn, "token"> | null;
  /** Headers from which the server sees the origin of the page with the form. */
  readonly from: Readonly<Record<string, string>>;
}

/** Encodes fields as multipart/form-data, as browsers encode a form with a file. */
const inParts = (fields: Readonly<Record<string, string>>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--parts\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("")}--parts--\r\n`;

const encoded = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();

/** Returns the text of a page without what the user typed into its fields. */
const untyped = ({ text }: Reply) => text.replace(/<textarea[\s\S]*?<\/textarea>|\svalue="[^"]*"/g, "");

async function fetchExport(person: SignedIn): Promise<unknown> {
  const exported = z
    .looseObject({ exportedAt: z.unknown() })
    .parse(JSON.parse((await person.browser.get("/account/export")).text));
  return { ...exported, exportedAt: null };
}

test("this suite tests every form of the site", () => {
  expect(FORMS.map(({ name }) => name).sort()).toEqual(Object.keys(HONEST_FORMS).sort());
  // Mail programs send the form that stops emails (RFC 8058). Its URL allows nothing else.
  for (const { ownSite, name } of FORMS) expect([name, ownSite]).toEqual([name, name !== "unsubscribe"]);
});

test("CSRF: a form of another origin changes nothing and gets an error page", async () => {
  const person = await of.person();
  await person.browser.post("/account/saved-records", { recordId: RECORD, note: "mine" });
  const before = await fetchExport(person);
  const messages = of.site.world.mailbox.received.length;
  for (const { name: from, headers } of FORGED) {
    for (const { name, path } of FORMS.filter(({ ownSite }) => ownSite)) {
      const said = { from: headers(of.site.world.origin), person };
      const reply = await send(path, encoded(HONEST_FORMS[name] ?? {}), said);
      expect([from, name, reply.status, reply.headers["content-type"]]).toEqual([
        from,
        name,
        403,
        "text/html; charset=utf-8",
      ]);
      expect(reply.headers["set-cookie"]).toBeUndefined();
    }
  }
  expect(await fetchExport(person)).toEqual(before);
  expect(of.site.world.mailbox.received.length).toBe(messages);
  // A page of the site itself may send the form.
  const own = await send("/me", encoded({ do: "unsave-record", id: RECORD }), { person });
  expect([own.status, own.headers.location]).toEqual([303, "/me/saved?done=unsave-record"]);
});

test.each([
  { type: "application/json", body: '{"identifier":"zenodo/1"}', status: 415 },
  { type: "text/plain", body: "identifier=zenodo/1", status: 415 },
  { type: "application/xml", body: "<identifier>zenodo/1</identifier>", status: 415 },
  { type: "image/svg+xml", body: "<svg/>", status: 415 },
  { type: null, body: "identifier=zenodo/1", status: 415 },
  { type: "multipart/form-data", body: "identifier=zenodo/1", status: 400 },
  { type: `multipart/form-data; boundary=${"b".repeat(71)}`, body: "--b--", status: 400 },
  {
    type: "multipart/form-data; boundary=b",
    body: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
    status: 400,
  },
])("a form that is sent as $type gets status $status", async ({ type, body, status }) => {
  const person = await of.person();
  for (const { name, path } of FORMS) {
    const reply = await send(path, body, { type, person });
    expect([name, reply.status]).toEqual([name, status]);
  }
  expect((await person.browser.get("/account/me")).status).toBe(200);
});

test("if a field of a form occurs twice, the first value counts", async () => {
  const person = await of.person();
  const body = `do=save-record&do=unsave-record&recordId=${RECORD}&recordId=r0&note=first&note=second&id=${RECORD}`;
  expect((await send("/me", body, { person })).headers.location).toBe("/me/saved?done=save-record");
  const boundary = "x-y_z";
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const multipart = [part("do", "save-record"), part("recordId", RECORD), part("note", "parts"), part("do", "x")].join(
    "",
  );
  const type = `multipart/form-data; boundary=${boundary}`;
  const saved = async () => (await person.browser.get("/account/saved-records")).text;
  expect(await saved()).toContain('"note":"first"');
  const reply = await send("/me", `${multipart}--${boundary}--\r\n`, { person, type });
  expect([reply.status, await saved()]).toEqual([303, expect.stringContaining('"note":"parts"')]);
  await send("/sign-in", "email=first%40example.org&email=second%40example.org");
  await expect
    .poll(() => of.site.world.mailbox.received.map(({ to }) => String(to)).join())
    .toContain("first@example.org");
  expect(of.site.world.mailbox.received.map(({ to }) => String(to)).join()).not.toContain("second@example.org");
});

test("a field of a form may be named like __proto__", async () => {
  for (const { name, path } of FORMS.filter(({ session }) => !session)) {
    const body = `__proto__=x&constructor=y&toString=z&__proto__%5Badmin%5D=1&${encoded(HONEST_FORMS[name] ?? {})}`;
    const reply = await send(path, body);
    expect([name, reply.status < 500]).toEqual([name, true]);
  }
  expect(Reflect.has({}, "admin")).toBe(false);
});

test("injection: typed values remain text in pages, headers and stored data", async () => {
  const texts = [
    ...INJECTIONS,
    "\u202egnp.exe\u202c",
    "\u0000\u001b[2J",
    `"><img src=x onerror="alert(1)">`,
    "javascript:alert(1)",
  ];
  const statuses = new Set<number>();
  const forms = FORMS.map(({ name, path, setsCookie }) => ({
    name,
    path,
    setsCookie,
    honest: HONEST_FORMS[name] ?? {},
  }));
  const buttons = BUTTONS.map((honest) => ({ name: honest.do, path: "/me", setsCookie: false, honest }));
  const person = await of.person();
  for (const { name, path, setsCookie, honest } of [...forms, ...buttons]) {
    for (const field of Object.keys(honest)) {
      for (const text of texts) {
        const reply = await send(path, encoded({ ...honest, [field]: text }), { person });
        statuses.add(reply.status);
        expect([name, field, text, reply.status < 500]).toEqual([name, field, text, true]);
        expect(JSON.stringify(reply.headers)).not.toMatch(/evil/);
        if (!setsCookie) expect([name, reply.headers["set-cookie"]]).toEqual([name, undefined]);
        expect(reply.text).not.toMatch(FOREIGN);
        expect([name, field, text, STEERS.exec(untyped(reply))?.[0]]).toEqual([name, field, text, undefined]);
      }
      // The page shows stored values again, as text.
      const me = await send("/me", encoded({ do: "save-record", recordId: RECORD, note: texts.join(" ") }), { person });
      const own = await ask(port, "/me/saved", {
        headers: { accept: "text/html", cookie: `share_session=${person.token}` },
      });
      expect(me.status).toBeLessThan(500);
      expect(own.text).not.toMatch(FOREIGN);
    }
  }
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 303, 400]));
}, 300_000);

describe("a form of any size and shape does not block the server", () => {
  test("a form is rejected with 413 if it is larger than its URL allows", async () => {
    const person = await of.person();
    for (const { name, path, largestBody } of FORMS) {
      const body = `title=${"x".repeat((largestBody ?? 64 * 1024) + 1)}`;
      const reply = await send(path, body, { person });
      expect([name, reply.status]).toEqual([name, 413]);
    }
  });

  test.each(HOSTILE_FORMS)("a form does not block the server if it has $name", async ({ type, body }) => {
    const text = body();
    const measure = () => mostBlocked(() => send("/check/draft", text, { type }));
    let { result, blocked } = await measure();
    // The garbage of the tests before counts too, so a time above the limit is measured again.
    for (let tried = 0; tried < 2 && blocked >= MAX_BLOCK_MS; tried += 1) ({ result, blocked } = await measure());
    expect([200, 400, 413]).toContain(result.status);
    expect(blocked).toBeLessThan(MAX_BLOCK_MS);
    expect(result.text).not.toMatch(/^\s+at /m);
  });
});

describe("a draft is scored or rejected with a message by the API and by the site", () => {
  test.each(HOSTILE_DRAFTS)(
    "a draft is scored or rejected with a message: $name",
    async ({ source, type, body, not }) => {
      const text = body();
      const headers = { "content-type": type, accept: "application/json" };
      const { result, blocked } = await mostBlocked(() =>
        ask(port, `/evaluations/draft?source=${source}`, { method: "POST", headers, body: text }),
      );
      expect([result.status, result.text.slice(0, 300)]).toEqual([
        expect.toBeOneOf([200, 400, 413, 502, 504]),
        expect.anything(),
      ]);
      expect(blocked).toBeLessThan(MAX_BLOCK_MS);
      expect(result.text).not.toMatch(not);
      expect(JSON.stringify(JSON.parse(result.text))).not.toMatch(/\p{Bidi_Control}|\\u00[01]|<script/u);
      const page = await send("/check/draft", inParts({ source, pasted: text }), {
        type: "multipart/form-data; boundary=parts",
      });
      expect(page.status).toBe(result.status);
      expect(untyped(page)).not.toMatch(not);
      expect(page.text).not.toMatch(FOREIGN);
      expect(STEERS.exec(untyped(page))?.[0]).toBe(undefined);
      expect((await ask(port, "/health")).status).toBe(200);
    },
  );
});
