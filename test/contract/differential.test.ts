/** 2,000 random questions of the lists, each answered as a naive evaluation in memory answers it. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Receipt } from "../../schemas/public/release.ts";
import { serve } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Ask, Client } from "./client.ts";
import { jsonOf, listAt, textAt } from "./conformance/values.ts";
import { fillStore } from "./corpus.ts";
import { type Expected, evaluate } from "./differential/naive.ts";
import { type ListQuestion, Questions } from "./differential/questions.ts";
import { readTables, type Tables } from "./differential/tables.ts";

/** Another seed asks other questions; a failure names it and the address. */
const SEED = Number(process.env.CONTRACT_SEED ?? 20_261_101);
const QUESTIONS = process.env.SHARE_SOAK === undefined ? 500 : 2000;
const BATCHES = 20;

/** Generated records of each of the three sources. */
const GENERATED = 1000;

const cleanup = new AsyncDisposableStack();
let ask: Ask;
let receipt: Receipt;
let tables: Tables;
let questions: Questions;
const names = new Map<string, string>();

beforeAll(async () => {
  const { store } = cleanup.use(await temporaryStore());
  await fillStore(store, GENERATED);
  receipt = (await buildRelease(store)).receipt;
  tables = await readTables(store, receipt);
  questions = new Questions(SEED, tables);
  const server = await serve(store);
  cleanup.defer(() => server.close());
  const client = new Client(server.port);
  cleanup.defer(() => client.close());
  ask = client.ask;
  // The names of countries are in no table; the page of all of them has each.
  for (const row of listAt(jsonOf((await ask("/geography")).text), "data"))
    names.set(textAt(row, "countryCode"), textAt(row, "name"));
}, 300_000);

afterAll(() => cleanup.disposeAsync());

function addressOf({ list, query }: ListQuestion): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? `/${list}` : `/${list}?${search}`;
}

function bodyOf({ rows, total, page, limit }: Expected): unknown {
  const totalPages = Math.ceil(total / limit);
  const { scoreReleaseVersion, releaseDigest } = receipt;
  return {
    data: rows,
    pagination: { total, page, limit, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
    _meta: { scoreRelease: { scoreReleaseVersion, releaseDigest } },
  };
}

/** How often a batch selected something and not everything: questions that all find nothing would prove nothing. */
let telling = 0;

test.each(Array.from({ length: BATCHES }, (_, i) => i + 1))("batch %i of the seed's questions", async () => {
  for (let i = 0; i < QUESTIONS / BATCHES; i += 1) {
    const question = questions.draw();
    const address = addressOf(question);
    const reply = await ask(address);
    const wanted = evaluate(question.list, question.query, tables, (code) => names.get(code) ?? code);
    const told = `seed ${SEED}: ${address}`;
    expect(reply.status, told).toBe(200);
    expect(jsonOf(reply.text), told).toEqual(bodyOf(wanted));
    if (wanted.total > 0 && wanted.total < 200) telling += 1;
  }
});

test("the questions tell right from wrong: many select something, and not nearly everything", () => {
  expect(tables.records.length).toBeGreaterThan(2500);
  expect(telling).toBeGreaterThan(QUESTIONS / 4);
});
