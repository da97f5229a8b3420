/**
 * An opt-out from the decision to the release: the person is hidden at once, left out of the next release, and shown again
 * after an opt-in.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readExcluded } from "../../cli/options/accounts.ts";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import {
  accountsBeside,
  claim,
  fetchPage,
  listed,
  onlyOfTheirName,
  type Person,
  until,
  untilStatus,
} from "../hidden/hidden-world.ts";
import { ask } from "../server/ask.ts";
import { BUILD, type Listening, NOW, releasedStore, serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { runCommand } from "../support/command-line.ts";
import { mentions } from "../support/release-mentions.ts";
import { pageIn } from "../support/release-pages.ts";

vi.setConfig({ testTimeout: 300_000 });

const cleanups: (() => PromiseLike<void> | void)[] = [];
let store: Store;
let first: Receipt;
let server: Listening;
let accounts: Accounts;
let before: readonly Person[];
/** The researcher who opts out. The name is unique in the release, so that tests can look for it. */
let person: Person;

beforeAll(async () => {
  const released = await releasedStore();
  cleanups.push(() => released[Symbol.asyncDispose]());
  store = released.store;
  first = released.receipt;
  server = await serve(store);
  cleanups.push(() => server.close());
  accounts = await accountsBeside(store);
  cleanups.push(() => accounts.close());
  before = await listed(server.port);
  person = await onlyOfTheirName(store.release(first.releaseDigest), before);
}, 300_000);

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function moderate(...parameters: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(["account", ...parameters], {
    environment: { SHARE_STORE: store.root, DATABASE_URL: "" },
  });
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
}

/** Stores a visibility request, as POST /account/visibility-requests would. */
async function asks(id: string, type: "opt_out" | "opt_in"): Promise<void> {
  const account = await accounts.db.selectFrom("account").select("id").executeTakeFirstOrThrow();
  const { id: researcher, slug } = person;
  const subject = { id, account_id: account.id, researcher_id: researcher, slug, request_type: type };
  const state = {
    state: "pending",
    reason: null,
    decision_reason: null,
    created_at: NOW.toISOString(),
    decided_at: null,
  };
  await accounts.db
    .insertInto("visibility_request")
    .values({ ...subject, ...state })
    .execute();
}

async function exported(): Promise<string[]> {
  const file = join(store.root, "withheld.txt");
  await moderate("list", "--hidden", "--out", file);
  const text = readFileSync(file, "utf8");
  expect(text).not.toContain(person.slug);
  expect(text).not.toContain(person.name);
  return readExcluded(file);
}

function untilServed({ releaseDigest }: Receipt): Promise<void> {
  return until(async () => (await ask(server.port, "/metrics/live")).headers["share-release"] === releaseDigest);
}

test("an approved opt-out applies immediately and in the next release, until the person opts in", async () => {
  const page = `/authors/${person.slug}`;
  const words = [person.id, person.slug, person.orcid ?? "?", person.name];
  await claim(accounts.db, [person]);
  await until(async () => (await fetchPage(server.port, person.slug)).verified);

  await asks(`v${"1".repeat(24)}`, "opt_out");
  await moderate("decide", `v${"1".repeat(24)}`, "approve", "--by", "ada");
  await untilStatus(server.port, page, 404);
  const others = before.filter(({ id }) => id !== person.id);
  expect(await listed(server.port)).toEqual(others);

  const withheld = await exported();
  expect(withheld).toEqual([person.id]);
  const { receipt: second } = await buildRelease(store, { ...BUILD, withheld }, BUILD.now);
  await untilServed(second);
  expect(second.withheld).toEqual({ count: 1, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });

  const [was, is] = [
    await mentions(store.release(first.releaseDigest), words),
    await mentions(store.release(second.releaseDigest), words),
  ];
  for (const word of words) {
    expect([word, is.get(word)]).toEqual([word, []]);
    expect([word, was.get(word)?.includes("data/authorships/part-0000.parquet")]).toEqual([word, true]);
  }
  const { records, evidence, scores, facets, search } = first.content.tables;
  expect(second.content.tables).toMatchObject({ records, evidence, scores, facets, search });
  expect(second.coverage).toEqual(first.coverage);

  // The other researchers did not change. Lists come from the files of the release, because it no longer names anybody hidden.
  expect(await listed(server.port)).toEqual(others);
  expect((await ask(server.port, page)).status).toBe(404);
  expect((await ask(server.port, `/widgets/researchers/${person.slug}/badge.svg`)).status).toBe(404);
  const list = await ask(server.port, "/authors");
  const file = await pageIn(store.release(second.releaseDigest), "api/2.0/lists/authors.json");
  expect(list.body.equals(file)).toBe(true);
  const moved = await ask(server.port, `/releases/${second.releaseDigest.replace(":", "-")}/diff`);
  expect(moved.status).toBe(200);
  for (const word of words) expect(moved.text).not.toContain(word);
  const [dataset] = await listDatasets();
  const detail = recordDetail.parse(JSON.parse((await ask(server.port, `/records/${dataset}`)).text));
  expect(detail.authors).toContainEqual({ id: null, name: "withheld", affiliation: null, slug: null, orcid: null });

  await asks(`v${"2".repeat(24)}`, "opt_in");
  await moderate("decide", `v${"2".repeat(24)}`, "approve", "--by", "ada");
  expect(await exported()).toEqual([]);
  const { receipt: third } = await buildRelease(store, BUILD, BUILD.now);
  expect(third.releaseDigest).toBe(first.releaseDigest);
  await untilServed(third);
  await untilStatus(server.port, page, 200);
  expect(await listed(server.port)).toEqual(before);
  expect((await fetchPage(server.port, person.slug)).verified).toBe(true);
}, 300_000);

/** Lists the ids of the person's datasets, from the release that names the person. */
async function listDatasets(): Promise<string[]> {
  const db = await openDuckDB({ threads: 1 });
  try {
    const file = quote(join(store.release(first.releaseDigest), "data/authorships/part-0000.parquet"));
    const rows = await db.rows(`select id from read_parquet(${file}) where researcher_id = $id order by id`, {
      id: person.id,
    });
    return rows.map(({ id }) => String(id));
  } finally {
    db.close();
  }
}
