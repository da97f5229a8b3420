/** A server that hides two researchers: it shows them nowhere, and everybody else as before. */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { activate } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { recordDetail, recordList } from "../../schemas/public/api/record.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import { ask, type Reply } from "../server/ask.ts";
import { type Listening, releasedStore, serve } from "../server/test-store.ts";
import { evaluationCases } from "./evaluation-cases.ts";
import { accountsBeside, claim, fetchPage, hide, listed, type Person, until, untilStatus } from "./hidden-world.ts";

vi.setConfig({ testTimeout: 300_000 });

interface World {
  readonly store: Store;
  readonly digest: string;
  readonly accounts: Accounts;
  readonly server: Listening;
  readonly people: readonly Person[];
  /** The two researchers whom the tests hide: one with an ORCID iD, and one without. */
  readonly gone: readonly Person[];
}

let made: World | null = null;
const cleanups: (() => PromiseLike<void> | void)[] = [];

function world(): World {
  if (made === null) throw new Error("the release is built by `beforeAll`: call `world` in a hook or test");
  return made;
}

beforeAll(async () => {
  const released = await releasedStore();
  const { store, receipt } = released;
  cleanups.push(() => released[Symbol.asyncDispose]());
  const { releaseDigest: digest } = receipt;
  const many = { requests: 1_000_000, seconds: 60 };
  const server = await serve(store, { quotas: { anonymous: many, evaluation: many } });
  cleanups.push(() => server.close());
  const accounts = await accountsBeside(store);
  cleanups.push(() => accounts.close());
  const people = await listed(server.port);
  const best = await listed(server.port, "sortBy=sIndex&sortOrder=desc");
  const gone = [best.find(({ orcid }) => orcid !== null), people.find(({ orcid }) => orcid === null)];
  made = { store, digest, server, accounts, people, gone: gone.filter((person) => person !== undefined) };
}, 300_000);

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Lists the URLs of a researcher's page, badge and picture, also under other names. */
function listAddresses({ id, slug, orcid }: Person): string[] {
  const others = orcid === null ? [`x-${id.slice(1, 11)}`] : [`another-name-${orcid}`, orcid];
  return [
    `/authors/${slug}`,
    `/authors/${slug}?rubric=2.0`,
    `/authors/${slug}?rubric=1.0`,
    `/authors/${slug}?rubric=1.0&_=1`,
    ...[slug, ...others].map((each) => `/widgets/researchers/${each}/badge.svg`),
    ...[slug, ...others].map((each) => `/researchers/${each}/card.png`),
    ...others.map((other) => `/authors/${other}`),
  ];
}

function slugIn(path: string): string {
  return /^\/(?:authors|(?:widgets\/)?researchers)\/([^/?]+)/.exec(path)?.[1] ?? "";
}

/**
 * Returns the parts of a response that must be equal for a hidden and an unknown researcher. The slug is replaced by `{slug}`.
 */
function told({ status, headers, text }: Reply, slug: string) {
  const own = new Set(["x-request-id", "date", "connection", "keep-alive", "content-length"]);
  const shared = Object.entries(headers).filter(([name]) => !own.has(name) && !name.includes("ratelimit"));
  return { status, headers: Object.fromEntries(shared), text: text.replaceAll(slug, "{slug}") };
}

const LISTS = [
  "/authors",
  "/authors?rubric=2.0",
  "/authors?rubric=1.0",
  "/authors?sortBy=sIndex&sortOrder=desc",
  "/authors?limit=100",
  "/authors?limit=3&page=2",
  "/authors?minSIndex=1&sortOrder=desc&limit=100",
  "/authors?minDatasets=1&limit=100",
];

const LINKED_DATA = "application/ld+json";

/** Lists requests about a dataset whose responses may name its creators: the path, the media type, and the body of a POST. */
function listPages({
  id,
  identifier,
  repository,
}: {
  readonly id: string;
  readonly identifier: string;
  readonly repository: string | null;
}): readonly { readonly path: string; readonly accept: string; readonly body?: object }[] {
  return [
    { path: `/records/${id}`, accept: "application/json" },
    { path: `/records/${id}?rubric=1.0`, accept: "application/json" },
    { path: `/records/${id}?_=1`, accept: "application/json" },
    { path: `/records/${id}`, accept: LINKED_DATA },
    { path: `/records/${id}`, accept: `${LINKED_DATA}; profile="https://w3id.org/ftr/1.3.0"` },
    { path: "/evaluations", accept: "application/json", body: { identifier, rubricVersion: "2.0" } },
    { path: `/datasets/${id}`, accept: "text/html" },
    { path: `/datasets/${id}?rubric=1.0`, accept: "text/html" },
    { path: `/datasets/${id}/linkset`, accept: "application/linkset+json" },
    { path: `/datasets/${id}/changes.atom`, accept: "application/atom+xml" },
    { path: `/records/${id}/impact`, accept: "application/json" },
    { path: `/widgets/datasets/${id}/badge.svg`, accept: "image/svg+xml" },
    { path: `/records?ids=${id}`, accept: "text/csv" },
    { path: `/repositories/${encodeURIComponent(repository ?? "")}/repairs.csv`, accept: "text/csv" },
    { path: `/repositories/${encodeURIComponent(repository ?? "")}/updates.jsonl`, accept: "application/x-ndjson" },
    { path: `/repositories/${encodeURIComponent(repository ?? "")}/changes.atom`, accept: "application/atom+xml" },
    { path: `/report?page=/datasets/${id}`, accept: "text/html" },
  ];
}

async function askPage(port: number, { path, accept, body }: ReturnType<typeof listPages>[number]): Promise<Reply> {
  const headers = { accept, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  return ask(port, path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
}

async function fetchDatasets(port: number, { id }: Person) {
  const { text } = await ask(port, `/records?author=${id}&limit=100`);
  const { data } = recordList.parse(JSON.parse(text));
  return Promise.all(
    data.map(async (row) => recordDetail.parse(JSON.parse((await ask(port, `/records/${row.id}`)).text))),
  );
}

test("the test release has people who are hidden and people who are not", () => {
  const { people, gone } = world();
  expect(gone.map(({ orcid }) => orcid === null)).toEqual([false, true]);
  expect(people.length).toBeGreaterThan(20);
});

describe("while two people are hidden", () => {
  const before = new Map<string, Reply>();
  /**
   * Responses about datasets of the two people from before they were hidden. Each was requested twice, so that it is cached.
   */
  const pages: {
    readonly person: Person;
    readonly page: ReturnType<typeof listPages>[number];
    readonly reply: Reply;
  }[] = [];

  beforeAll(async () => {
    const { server, accounts, gone } = world();
    for (const path of [...LISTS, ...gone.flatMap(listAddresses)]) before.set(path, await ask(server.port, path));
    for (const person of gone) {
      for (const page of (await fetchDatasets(server.port, person)).flatMap(listPages)) {
        await askPage(server.port, page);
        pages.push({ person, page, reply: await askPage(server.port, page) });
      }
    }
    await hide(accounts.db, gone);
    await untilStatus(server.port, `/authors/${gone[0]?.slug}`, 404);
  });

  afterAll(async () => {
    const { server, accounts, gone } = world();
    await hide(accounts.db, []);
    await untilStatus(server.port, `/authors/${gone[0]?.slug}`, 200);
  });

  test("every URL of a hidden person existed before, and now responds like that of an unknown person", async () => {
    const { server, gone } = world();
    for (const path of gone.flatMap(listAddresses)) {
      expect([path, before.get(path)?.status]).toEqual([path, expect.toBeOneOf([200, 308])]);
      const slug = slugIn(path);
      const unknown = slug.replace(/[0-9a-f]{10}$|\d{3}[\dX]$/, (end) =>
        end.replace(/\d/g, (digit) => `${9 - Number(digit)}`),
      );
      expect(unknown).not.toBe(slug);
      for (const method of ["GET", "HEAD"]) {
        const reply = await ask(server.port, path, { method });
        const stranger = await ask(server.port, path.replace(slug, unknown), { method });
        expect([path, reply.status]).toEqual([path, 404]);
        expect(told(reply, slug)).toEqual(told(stranger, unknown));
      }
    }
  });

  test("the author filter finds no dataset of a hidden person", async () => {
    const { server, people, gone } = world();
    const shown = people.find(({ id }) => !gone.some((hidden) => hidden.id === id));
    const totals = async (id: string | undefined) => {
      const list = await ask(server.port, `/records?author=${id}`);
      const queue = await ask(server.port, `/improvements?author=${id}`);
      expect(list.headers["cache-control"]).toBe("public, max-age=60");
      return [JSON.parse(list.text).pagination.total, JSON.parse(queue.text).data.datasets];
    };
    for (const { id } of gone) {
      expect(await totals(id)).toEqual([0, 0]);
      // The feed of a search rejects the author filter.
      expect((await ask(server.port, `/datasets.atom?author=${id}`)).status).toBe(400);
    }
    expect((await totals(shown?.id)).every((total) => total > 0)).toBe(true);
  });

  test("no response about a dataset names a hidden person, and everything else in it is unchanged", async () => {
    const { server } = world();
    const naming = new Set<string>();
    for (const { person, page, reply } of pages) {
      const names = [person.id, person.slug, person.name, person.orcid].filter((name) => name !== null);
      const shown = await askPage(server.port, page);
      const about = `${page.path} as ${page.accept}`;
      if (names.some((name) => reply.text.includes(name))) {
        naming.add(about.replace(/r[0-9a-f]{24}/, "{id}"));
        expect([about, shown.headers["cache-control"]]).toEqual([
          about,
          page.body === undefined ? "public, max-age=60" : "no-store",
        ]);
        if (reply.headers.etag !== undefined)
          expect([about, shown.headers.etag]).not.toEqual([about, reply.headers.etag]);
      }
      expect([about, shown.status, names.filter((name) => shown.text.includes(name))]).toEqual([
        about,
        reply.status,
        [],
      ]);
      if (page.accept === "application/json" && page.path.startsWith("/records/"))
        expect({ ...JSON.parse(shown.text), authors: null }).toEqual({ ...JSON.parse(reply.text), authors: null });
    }
    // These responses named the people before. Otherwise the expectations above would prove nothing.
    expect([...naming].sort()).toEqual([
      "/datasets/{id} as text/html",
      "/datasets/{id}/linkset as application/linkset+json",
      "/datasets/{id}?rubric=1.0 as text/html",
      "/evaluations as application/json",
      "/records/{id} as application/json",
      "/records/{id}?_=1 as application/json",
      "/records/{id}?rubric=1.0 as application/json",
    ]);
  });

  test("a conditional request for the page of a hidden person returns 404, even with the right ETag", async () => {
    const { server, gone } = world();
    for (const path of gone.flatMap(listAddresses)) {
      const etag = before.get(path)?.headers.etag;
      for (const condition of etag === undefined ? ["*"] : [etag, `W/${etag}`, "*"]) {
        const reply = await ask(server.port, path, { headers: { "if-none-match": condition } });
        expect([path, condition, reply.status]).toEqual([path, condition, 404]);
      }
    }
  });

  test("caches may store pages, badges and lists of researchers for at most a minute", async () => {
    const { server, people, gone } = world();
    const other = people.find(({ id }) => !gone.some((person) => person.id === id));
    const seconds = async (path: string) =>
      Math.max(
        ...[
          ...String((await ask(server.port, path)).headers["cache-control"]).matchAll(
            /(s-maxage|max-age|stale-[a-z-]+)=(\d+)/g,
          ),
        ]
          .filter(([, name], _i, all) => name !== "max-age" || !all.some(([, shared]) => shared === "s-maxage"))
          .map(([, , text]) => Number(text)),
      );
    for (const slug of [other?.slug, gone[0]?.slug]) {
      expect(await seconds(`/authors/${slug}`)).toBeLessThanOrEqual(60);
      expect(await seconds(`/widgets/researchers/${slug}/badge.svg`)).toBeLessThanOrEqual(60);
    }
    for (const path of LISTS) expect(await seconds(path)).toBeLessThanOrEqual(60);
  });

  test("lists and totals contain all people who are not hidden, in the same order", async () => {
    const { server, people, gone } = world();
    const ids = gone.map(({ id }) => id);
    const left = people.filter(({ id }) => !ids.includes(id));
    expect(await listed(server.port)).toEqual(left);
    for (const query of ["rubric=1.0", "sortBy=sIndex&sortOrder=desc", "sortBy=name&sortOrder=desc", "minDatasets=1"]) {
      const shown = await listed(server.port, query);
      expect([query, shown.length]).toEqual([query, left.length]);
      expect(shown.filter(({ id }) => ids.includes(id))).toEqual([]);
    }
  });

  test.each(LISTS)(
    "while people are hidden, %s has another ETag, and the old ETag returns the new rows",
    async (path) => {
      const { server, gone } = world();
      const old = before.get(path);
      const etag = old?.headers.etag ?? "";
      const reply = await ask(server.port, path, { headers: { "if-none-match": etag } });
      expect(reply.status).toBe(200);
      expect(reply.headers.etag).not.toBe(etag);
      for (const { id } of gone) expect(reply.text).not.toContain(id);
      const fresh = await ask(server.port, path, { headers: { "if-none-match": reply.headers.etag ?? "" } });
      expect([fresh.status, fresh.text]).toEqual([304, ""]);
      const head = await ask(server.port, path, { method: "HEAD" });
      expect([head.headers.etag, head.headers["content-length"]]).toEqual([
        reply.headers.etag,
        String(reply.body.length),
      ]);
    },
  );

  test("a search does not find hidden people, and CSV files do not contain them", async () => {
    const { server, people, gone } = world();
    for (const { name, id } of gone) {
      const shown = await listed(server.port, `search=${encodeURIComponent(name)}`);
      expect(shown.map((row) => row.id)).not.toContain(id);
    }
    const csv = await ask(server.port, "/authors?limit=100", { headers: { accept: "text/csv" } });
    expect(csv.headers["x-total-count"]).toBe(String(people.length - gone.length));
    for (const { id, slug } of gone) {
      expect(csv.text).not.toContain(id);
      expect(csv.text).not.toContain(slug);
    }
    const last = Math.ceil((people.length - gone.length) / 100);
    expect(csv.headers.link).toContain(`page=${last}&limit=100>; rel="last"`);
  });

  test("the pages and badges of people who are not hidden are unchanged", async () => {
    const { server, people, gone, store } = world();
    const others = people.filter(({ id }) => !gone.some((person) => person.id === id)).slice(0, 20);
    const away = await serve(store, { accounts: { sqlite: join(store.root, "nobody.sqlite") } });
    try {
      for (const { slug } of others) {
        for (const path of [`/authors/${slug}`, `/widgets/researchers/${slug}/badge.svg`]) {
          const [one, other] = [await ask(server.port, path), await ask(away.port, path)];
          expect(told(one, slug)).toEqual(told(other, slug));
          expect(one.status).toBe(200);
        }
      }
      expect((await ask(away.port, `/authors/${gone[0]?.slug}`)).status).toBe(200);
    } finally {
      await away.close();
    }
  });

  test("a server of a release without stored pages hides the same people", async () => {
    const store = openStore(mkdtempSync(join(tmpdir(), "share-hidden-bare-")));
    const remove = () => rmSync(store.root, { recursive: true });
    const release = world().store.release(world().digest);
    for (const part of ["data", "release.json", "manifest.ndjson"]) {
      cpSync(join(release, part), join(store.release(world().digest), part), { recursive: true });
    }
    await activate(store, world().digest, { reason: "copied by a test" });
    const bare = await serve(store, { accounts: { sqlite: join(world().store.root, "accounts.sqlite") } });
    try {
      for (const path of world().gone.flatMap(listAddresses)) {
        expect([path, (await ask(bare.port, path)).status]).toEqual([path, 404]);
      }
      const list = await ask(bare.port, "/authors");
      expect(list.text).toBe((await ask(world().server.port, "/authors")).text);
      const other = world().people.at(-1)?.slug;
      expect((await ask(bare.port, `/authors/${other}`)).text).toBe(
        (await ask(world().server.port, `/authors/${other}`)).text,
      );
    } finally {
      await bare.close();
      remove();
    }
  }, 300_000);

  evaluationCases(world);
});

test("a researcher who is no longer hidden is shown as before, byte for byte", async () => {
  const { server, accounts, gone } = world();
  const [person] = gone;
  const paths = [...LISTS, `/authors/${person?.slug}`];
  const whole = await Promise.all(paths.map((path) => ask(server.port, path)));
  await hide(accounts.db, gone);
  await untilStatus(server.port, `/authors/${person?.slug}`, 404);
  await hide(accounts.db, []);
  await untilStatus(server.port, `/authors/${person?.slug}`, 200);
  for (const [i, path] of paths.entries()) {
    const { status, text, headers } = await ask(server.port, path);
    expect([path, status, text, headers.etag]).toEqual([path, 200, whole[i]?.text, whole[i]?.headers.etag]);
  }
});

test("a server notices two decisions at the same time that hide one person and show another", async () => {
  const { server, accounts, people } = world();
  const [one, other] = people;
  if (one === undefined || other === undefined) throw new Error("the release has too few researchers");
  await hide(accounts.db, [one]);
  await untilStatus(server.port, `/authors/${one.slug}`, 404);
  await hide(accounts.db, [other]);
  await untilStatus(server.port, `/authors/${one.slug}`, 200);
  await untilStatus(server.port, `/authors/${other.slug}`, 404);
  await hide(accounts.db, []);
  await untilStatus(server.port, `/authors/${other.slug}`, 200);
});

test("ten thousand researchers can be hidden, whether the release has them or not", async () => {
  const { server, accounts, people, gone } = world();
  const strangers = Array.from({ length: 10_000 }, (_, i) => {
    const id = `a${i.toString(16).padStart(24, "0")}`;
    return { id, slug: `nobody-${id.slice(1, 11)}` };
  });
  await hide(accounts.db, [...strangers, ...gone]);
  await untilStatus(server.port, `/authors/${gone[0]?.slug}`, 404);
  expect((await listed(server.port)).length).toBe(people.length - gone.length);
  await hide(accounts.db, people);
  await untilStatus(server.port, `/authors/${people.at(-1)?.slug}`, 404);
  expect(await listed(server.port)).toEqual([]);
  await hide(accounts.db, []);
  await untilStatus(server.port, `/authors/${gone[0]?.slug}`, 200);
});

describe("an approved claim", () => {
  test("an approved claim is shown only on the page of its researcher, and a pending claim nowhere", async () => {
    const { server, accounts, gone, people } = world();
    const [person, other] = gone;
    const pending = people.at(-1);
    if (person === undefined || other === undefined || pending === undefined)
      throw new Error("the release has too few researchers");
    const path = `/authors/${person.slug}`;
    const badge = `/widgets/researchers/${person.slug}/badge.svg`;
    const [page, list, svg] = [
      await ask(server.port, path),
      await ask(server.port, "/authors"),
      await ask(server.port, badge),
    ];
    expect(page.text).toContain('"verified":false');
    await claim(accounts.db, [person, other], [pending]);
    await until(async () => (await fetchPage(server.port, person.slug)).verified);
    for (const query of ["", "?rubric=2.0", "?rubric=1.0", "?_=1"]) {
      const { status, text, headers } = await ask(server.port, path + query);
      const plain = text.replace('"verified":true', '"verified":false');
      expect([status, plain === text]).toEqual([200, false]);
      if (!query.includes("1.0")) expect(plain).toBe(page.text);
      expect(headers["cache-control"]).toBe(page.headers["cache-control"]);
      expect(headers.etag).not.toBe(page.headers.etag);
      const conditional = (etag: unknown) =>
        ask(server.port, path + query, { headers: { "if-none-match": String(etag) } });
      expect((await conditional(headers.etag)).status).toBe(304);
      expect((await conditional(page.headers.etag)).status).toBe(200);
    }
    expect((await fetchPage(server.port, other.slug)).verified).toBe(true);
    expect((await fetchPage(server.port, pending.slug)).verified).toBe(false);
    expect((await ask(server.port, "/authors")).text).toBe(list.text);
    expect((await ask(server.port, badge)).text).toBe(svg.text);
    await claim(accounts.db, []);
    await until(async () => !(await fetchPage(server.port, person.slug)).verified);
    const again = await ask(server.port, path);
    expect([again.text, again.headers.etag]).toEqual([page.text, page.headers.etag]);
  });

  test("an approved claim does not show a researcher who is hidden", async () => {
    const { server, accounts, gone } = world();
    await claim(accounts.db, gone);
    await hide(accounts.db, gone);
    for (const { slug } of gone) await untilStatus(server.port, `/authors/${slug}`, 404);
    await hide(accounts.db, []);
    await claim(accounts.db, []);
  });
});
