/** Attacks that would reveal hidden people or what others typed: by response times, evaluations, files and spreadsheets. */

import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDuckDB, writeCsv } from "../../pipeline/engine/open.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { evaluationJob } from "../../schemas/public/api/evaluation.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { csvCell } from "../../schemas/public/csv.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import { csvBody } from "../../server/read/list-response.ts";
import { type Services, services, zenodoRecord } from "../evaluate/services.ts";
import { post } from "../evaluations/post.ts";
import { accountsBeside, fetchPage, hide, listed, type Person, untilStatus } from "../hidden/hidden-world.ts";
import { ask } from "../server/ask.ts";
import { BUILD, type Listening, makeRecordId, releasedStore, serve } from "../server/test-store.ts";
import { REPOSITORY, RETRIEVED_AT } from "../support/bundled-corpus.ts";
import { runHosted } from "../support/command-host.ts";
import { mentions } from "../support/release-mentions.ts";
import { filledStore } from "../support/temporary-store.ts";

vi.setConfig({ testTimeout: 300_000 });

const cleanups: (() => PromiseLike<void> | void)[] = [];
let store: Store;
let server: Listening;
let accounts: Accounts;
let people: readonly Person[];
let gone: Person;

beforeAll(async () => {
  const released = await releasedStore();
  cleanups.push(() => released[Symbol.asyncDispose]());
  store = released.store;
  server = await serve(store);
  cleanups.push(() => server.close());
  accounts = await accountsBeside(store);
  cleanups.push(() => accounts.close());
  people = await listed(server.port);
  const withIds = people.filter(({ orcid }) => orcid !== null);
  if (withIds[0] === undefined) throw new Error("the corpus has nobody with an ORCID iD");
  gone = withIds[0];
}, 300_000);

afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

test("an evaluation of a published dataset does not name a hidden person", async () => {
  const [dataset] = (await fetchPage(server.port, gone.slug)).datasets;
  const identifier = recordDetail.parse(
    JSON.parse((await ask(server.port, `/records/${dataset?.id}`)).text),
  ).identifier;
  const before = await post(server.port, "/evaluations", { identifier, rubricVersion: "2.0" });
  expect(before.text).toContain(gone.id);
  await hide(accounts.db, [gone]);
  await untilStatus(server.port, `/authors/${gone.slug}`, 404);
  const after = await post(server.port, "/evaluations", { identifier, rubricVersion: "2.0" });
  expect(after.status).toBe(200);
  for (const word of [gone.id, gone.slug, gone.orcid ?? "?"]) expect(after.text).not.toContain(word);
  expect(recordDetail.parse(JSON.parse(after.text)).authors).toContainEqual(
    expect.objectContaining({ name: "withheld" }),
  );
});

test("the job of an evaluation does not name a person who was hidden before or after the job ran", async () => {
  await hide(accounts.db, []);
  await untilStatus(server.port, `/authors/${gone.slug}`, 200);
  const [dataset] = (await fetchPage(server.port, gone.slug)).datasets;
  const identifier = dataset?.doi ?? "";
  const words = [gone.id, gone.slug, gone.orcid ?? "?"];
  const before = await jobDone(server.port, { identifier, rubricVersion: "2.0" });
  for (const word of words) expect(before).toContain(word);
  await hide(accounts.db, [gone]);
  await untilStatus(server.port, `/authors/${gone.slug}`, 404);
  const since = [await jobDone(server.port, { identifier, rubricVersion: "2.0" }), await jobShown(server.port, before)];
  for (const text of since) {
    expect(text).toContain('"withheld"');
    for (const word of words) expect(text).not.toContain(word);
  }
});

/** Returns the text of the job once it has succeeded. */
async function jobDone(port: number, body: object): Promise<string> {
  let { text } = await post(port, "/evaluation-jobs", body);
  while (/"status":"(?:queued|running)"/.test(text)) {
    await sleep(5);
    text = await jobShown(port, text);
  }
  expect(text).toContain('"status":"succeeded"');
  return text;
}

async function jobShown(port: number, job: string): Promise<string> {
  return (await ask(port, `/evaluation-jobs/${evaluationJob.parse(JSON.parse(job)).id}`)).text;
}

/** Two datasets of one researcher. The second alone does not identify the person; only the release does. */
describe("a dataset whose creator is identified only by the release", () => {
  const creator = { name: "Carberry, Josiah", affiliation: "Brown University, USA" };
  const depositing = (id: number, creators: readonly object[]) =>
    zenodoRecord(id, {
      metadata: {
        title: "Rain",
        resource_type: { type: "dataset" },
        access_right: "open",
        keywords: ["rain"],
        description: "Rain along an invented river, hour by hour.",
        license: { id: "cc-by-4.0" },
        creators,
      },
    });
  const [told, untold] = [
    depositing(99300001, [{ ...creator, orcid: "0000-0002-1825-0097" }]),
    depositing(99300002, [{ name: "Okoro, Ada", affiliation: "Norvale" }, creator]),
  ];
  const identifier = "zenodo/99300002";
  // No release has this contract, so the dataset is fetched and scored now.
  const asked = { identifier, rubricVersion: "2.0.0-beta.1" };
  const NAMES = /Carberry|Josiah|Brown/;
  let there: Services;
  let server: Listening;
  let accounts: Accounts;
  let joined: { readonly id: string; readonly slug: string };
  const ended: (() => Promise<unknown> | unknown)[] = [];

  beforeAll(async () => {
    there = await services({ "/api/records/99300002": untold });
    ended.push(() => there[Symbol.asyncDispose]());
    const captures = [told, untold].map((payload, i) => ({
      source: "zenodo",
      sourceId: String(99300001 + i),
      payload,
      retrievedAt: RETRIEVED_AT,
    }));
    const builds = [{ ...BUILD, sources: ["zenodo"], rubrics: ["2.0"] as const }];
    const raw = await filledStore({ captures, builds });
    ended.push(() => raw[Symbol.asyncDispose]());
    server = await serve(raw.store, { evaluations: { upstreams: there.upstreams } });
    ended.push(() => server.close());
    accounts = await accountsBeside(raw.store);
    ended.push(() => accounts.close());
    const person = (await listed(server.port)).find(({ orcid }) => orcid !== null);
    if (person === undefined) throw new Error("nobody has an ORCID iD");
    joined = person;
  }, 300_000);
  afterAll(async () => {
    for (const end of ended.reverse()) await end();
  });

  test("an evaluation under a contract that the release does not publish does not name a hidden creator", async () => {
    const published = await ask(server.port, `/records/${makeRecordId(identifier)}`);
    expect(recordDetail.parse(JSON.parse(published.text)).authors[1]?.id).toBe(joined.id);
    const before = await post(server.port, "/evaluations", asked);
    expect([before.status, before.text]).toEqual([201, expect.stringMatching(NAMES)]);
    // The advice names creators who have no ORCID iD.
    expect(before.text).toMatch(/Without one: Okoro, Ada; Carberry, Josiah/);
    const job = await jobDone(server.port, asked);
    expect(job).toMatch(NAMES);
    await hide(accounts.db, [joined]);
    await untilStatus(server.port, `/authors/${joined.slug}`, 404);
    const after = await post(server.port, "/evaluations", asked);
    const texts = [after.text, await jobDone(server.port, asked), await jobShown(server.port, job)];
    for (const text of texts) {
      expect(text).not.toMatch(NAMES);
      expect(text).toContain('{"id":null,"name":"withheld","affiliation":null,"slug":null,"orcid":null}');
      expect(text).toContain('"Okoro, Ada"');
    }
  });
});

test("the 404 for a hidden researcher takes as long as the 404 for an unknown researcher", async () => {
  await hide(accounts.db, [gone]);
  await untilStatus(server.port, `/authors/${gone.slug}`, 404);
  const unknown = `/authors/${gone.slug.slice(0, -19)}0000-0003-1415-9269`;
  const hidden = `/authors/${gone.slug}`;
  const timed = async (path: string) => {
    const began = performance.now();
    const { status } = await ask(server.port, path);
    expect(status).toBe(404);
    return performance.now() - began;
  };
  const timesByPath = new Map([
    [hidden, [] as number[]],
    [unknown, [] as number[]],
  ]);
  const ROUNDS = 400;
  for (let i = 0; i < ROUNDS; i += 1)
    // The two paths are requested in turns, and each of them is the first as often as the other.
    for (const path of i % 2 === 0 ? [hidden, unknown] : [unknown, hidden])
      timesByPath.get(path)?.push(await timed(path));
  // An attacker takes the median of ten requests for each person, and concludes that the slower one is hidden.
  const medians = (path: string) =>
    Array.from({ length: ROUNDS / 10 }, (_, i) => median((timesByPath.get(path) ?? []).slice(10 * i, 10 * i + 10)));
  const [slow, fast] = [medians(hidden), medians(unknown)];
  const right = slow.filter((time, i) => time > (fast[i] ?? 0)).length / slow.length;
  expect(right).toBeLessThan(0.8);
  expect(right).toBeGreaterThan(0.2);
});

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
}

test("a job shows its identifier in the canonical spelling, and not as the user typed it", async () => {
  const typed = "https://DOI.org/10.5072/NOT-harvested";
  const other = "10.5072/not-harvested";
  const first = await post(server.port, "/evaluation-jobs", { identifier: typed, rubricVersion: "2.0" });
  const second = await post(server.port, "/evaluation-jobs", { identifier: other, rubricVersion: "2.0" });
  const jobs = [first, second].map(({ text }) => JSON.parse(text));
  expect(jobs[1].id).toBe(jobs[0].id);
  expect(jobs[1].identifier).toBe(jobs[0].identifier);
  expect(jobs[1].identifier).not.toMatch(/DOI\.org|NOT/);
});

describe("hiding people with share-release account hide", () => {
  test("account hide replaces a release by one in which no page, table or other file names the hidden person", async () => {
    await hide(accounts.db, [gone]);
    const words = [gone.id, gone.slug, gone.orcid ?? "?"];
    const before = (await ask(server.port, "/releases")).text;
    const old = JSON.parse(before)[0].releaseDigest;
    expect((await mentions(store.release(old), words)).get(gone.id)).not.toEqual([]);
    const { stdout, stderr, exitCode } = await runHosted(["account", "hide", "--json", "--store", store.root], {
      environment: { DATABASE_URL: "" },
    });
    expect([exitCode, stderr.includes("rror")]).toEqual([0, false]);
    const summary = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(summary).toMatchObject({ withheld: 1, removed: [old], kept: [] });
    const now = await mentions(store.release(summary.releaseDigest), words);
    for (const word of words) expect([word, now.get(word)]).toEqual([word, []]);
    expect(
      (await ask(server.port, `/releases/${old.replace(":", "-")}/data/authorships/part-0000.parquet`)).status,
    ).toBe(404);
    expect((await ask(server.port, "/metrics/live")).headers["share-release"]).toBe(summary.releaseDigest);
  });
});

test("the list of hidden people can be read only by its owner, even if it replaces another file", async () => {
  const file = join(store.root, "withheld.txt");
  for (let i = 0; i < 2; i += 1) {
    const { exitCode } = await runHosted(["account", "list", "--hidden", "--out", file, "--store", store.root], {
      environment: { DATABASE_URL: "" },
    });
    expect(exitCode).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(file, "utf8")).toContain(gone.id);
});

describe("an apostrophe precedes a spreadsheet formula", () => {
  const RUN = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    " =1",
    "\t=1",
    "\u00a0=1",
    "\u200b=1",
    "＝1",
    "＋1",
    "－1",
    "＠A1",
    "﹦1",
    "\r\n1",
  ];
  const PLAIN = ["a=1", "1-2", "Ångström", "'=1", ""];
  const TABLE = { name: "made", grain: "one row", key: ["id"], columns: { id: "int", title: "text" } } as const;

  test("a formula gets an apostrophe in the CSV of a list", async () => {
    const text = (
      await csvBody(
        ["title"],
        [...RUN, ...PLAIN].map((title) => ({ title })),
      )
    ).toString("utf8");
    for (const title of RUN) expect(text).toContain(`'${title}`);
    for (const title of PLAIN.filter((each) => each !== "")) expect(text).not.toContain(`'${title}`);
  });

  test("csvCell puts an apostrophe before a formula, and all code that writes CSV uses csvCell", () => {
    expect([...RUN, ...PLAIN].map(csvCell)).toEqual([...RUN.map((title) => `'${title}`), ...PLAIN]);
    const writing = /import \{[^}]*\bwriteTo\w+[^}]*\} from "fast-csv"/;
    const writers = globSync("{cli,pipeline,releases,server,web}/**/*.ts", { cwd: REPOSITORY })
      .map((path) => [path, readFileSync(join(REPOSITORY, path), "utf8")] as const)
      .filter(([, text]) => writing.test(text));
    expect(writers.length).toBeGreaterThan(1);
    expect(writers.filter(([, text]) => !text.includes("csvCell(") && !text.includes("map(csvCell)"))).toEqual([]);
  });

  test("a formula gets an apostrophe in the CSV of a release", async () => {
    const db = await openDuckDB({ threads: 1 });
    const path = join(store.root, "made.csv");
    try {
      await db.create(TABLE);
      for (const [id, title] of [...RUN, ...PLAIN].entries())
        await db.run("insert into made values ($id, $title)", { id, title });
      await writeCsv(db, TABLE, path, "file");
      const rows = await db.rows(
        `select title from read_csv('${path}', header = true, columns = {'id': 'integer', 'title': 'varchar'},
         auto_detect = false, quote = '"', escape = '"', delim = ',', new_line = '\\n') order by id`,
      );
      expect(rows.map(({ title }) => title ?? "")).toEqual([...RUN.map((title) => `'${title}`), ...PLAIN]);
      expect(readFileSync(path, "utf8")).toMatch(/^id,title\n/);
    } finally {
      db.close();
    }
  });
});
