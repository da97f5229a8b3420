/** Pages of disputes lead nowhere that is gone: a record that left, a release that was pruned, a contract without pages. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { dispute as disputeSchema } from "../../schemas/public/account/dispute.ts";
import { DIFF_FILE } from "../../schemas/public/api/diff.ts";
import type { Receipt, ScoreRelease } from "../../schemas/public/release.ts";
import { answerDispute, noteMended } from "../../server/people/disputes/answer.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { linkedStore, type TemporaryStore } from "../support/temporary-store.ts";
import { GOOD } from "./hostile.ts";
import { DISPUTED, type DisputedStore, disputedStore, GAVE_WAY } from "./world.ts";

const GONE = `r${"0".repeat(24)}`;

let raw: DisputedStore;
let at: TemporaryStore;
let server: AccountServer;
let person: Person;
let id: string;
/** What the server has logged. */
let logged = "";

const releaseOf = ({ scoreReleaseVersion, releaseDigest }: Receipt): ScoreRelease => ({
  scoreReleaseVersion,
  releaseDigest,
});
const addressOf = ({ releaseDigest }: Receipt) => releaseDigest.replace(":", "-");

beforeAll(async () => {
  raw = await disputedStore();
  at = await linkedStore(raw.store);
  const write: Writable["_write"] = (chunk, _encoding, done) => {
    logged += String(chunk);
    done();
  };
  const options = { logger: pino(new Writable({ write })) };
  server = await serveAccounts(at.store, { sqlite: join(at.store.root, "accounts.sqlite") }, options);
  person = await server.person();
  const body = { ...GOOD, role: "repository", statement: "Write to the desk.", evidenceUrl: "https://example.org/" };
  ({ id } = disputeSchema.parse(await person.posted("/account/disputes", body)));
  const by = { id, by: "ada", now: server.now() };
  await answerDispute(server.accounts, { ...by, state: "upheld", answer: "Looked at." });
  await noteMended(server.accounts, { ...by, release: releaseOf(raw.after), reason: null });
}, 300_000);

afterAll(async () => {
  await server?.close();
  await at?.[Symbol.asyncDispose]();
  raw?.remove();
});

const become = (values: object) => server.accounts.db.updateTable("dispute").set(values).where("id", "=", id).execute();

beforeEach(() =>
  become({
    record_id: DISPUTED,
    contract: "2.0.0-beta.2",
    mended_version: raw.after.scoreReleaseVersion,
    mended_digest: raw.after.releaseDigest,
  }),
);

/** The part of a page that is its own, and nothing of it leads to what is not there. */
async function mainOf(path: string): Promise<string> {
  const accept = { accept: "text/html" };
  const { status, text } = await person.ask("GET", path, undefined, accept);
  expect([path, status]).toEqual([path, 200]);
  const main = /<main[\s\S]*<\/main>/.exec(text)?.[0] ?? "";
  const links = [...main.matchAll(/ href="(\/[^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
  expect(links.length).toBeGreaterThan(2);
  for (const link of new Set(links)) {
    const reply = await person.ask("GET", link, undefined, accept);
    expect([link, reply.status]).toEqual([link, reply.status < 400 ? reply.status : "a page"]);
  }
  return main;
}

const beside = () => mainOf(`/datasets/${DISPUTED}/disputes`);

/** The dispute in its account. */
async function own(): Promise<string> {
  const main = await mainOf("/me");
  return /<div class="dispute">[\s\S]*?<\/div>/.exec(main)?.[0] ?? "";
}

test("what is there is linked to: the record with the signal, the contract's words, what moved in the release", async () => {
  const [page, mine] = [await beside(), await own()];
  const mended = `in release <a href="/history/${addressOf(raw.after)}">${raw.after.scoreReleaseVersion}</a>`;
  expect(page).toContain(mended);
  expect(page).toContain(`under 2.0.0-beta.2; <a href="/signals/S1">about S1</a>`);
  expect(mine).toContain(mended);
  expect(mine).toContain(`S1 of <a href="/datasets/${DISPUTED}#S1" dir="auto">Invented counts 99100001</a>`);
});

test.each([
  { name: "a version", contract: "1.0.0" },
  { name: "a contract that no version stands for", contract: "2.0.0-beta.1" },
])("$name without pages: the contract itself, and no signal of another", async ({ contract }) => {
  await become({ contract });
  const [page, mine] = [await beside(), await own()];
  expect(page).toContain(
    `under <a href="/rubrics/${contract}">${contract}</a>, of which the current release has no pages`,
  );
  expect(page).not.toContain("/signals/");
  expect(mine).toContain(`<a href="/datasets/${DISPUTED}" dir="auto">`);
});

test("a record that another one took the place of is linked to as that one", async () => {
  await become({ record_id: GAVE_WAY });
  expect(await own()).toContain(`href="/datasets/${DISPUTED}#S1"`);
  expect(await beside()).toContain("Looked at.");
});

test("a record that the release no longer lists is named, and not linked to", async () => {
  await become({ record_id: GONE });
  const mine = await own();
  expect(mine).toContain(`S1 of ${GONE}, which the current release does not list`);
  expect(mine).not.toContain("/datasets/");
});

test.each([
  { name: "receipt", file: "release.json" },
  { name: "diff", file: DIFF_FILE },
])("a release whose $name was cut off takes no page with it: all are linked to, and it is logged", async ({ file }) => {
  const path = join(at.store.release(raw.after.releaseDigest), file);
  const whole = await readFile(path);
  // Not written into: the store that all tests share has it under another name.
  await rm(path);
  await writeFile(path, whole.subarray(0, whole.length / 2));
  logged = "";
  for (const main of [await beside(), await own()]) {
    expect(main).toContain(`in release <a href="/history">${raw.after.scoreReleaseVersion}</a>`);
  }
  expect(logged.split(`"release":"${raw.after.releaseDigest}"`).length).toBeGreaterThan(2);
  expect(logged).toContain(`"msg":"release-unreadable"`);
  expect(logged).not.toContain("request-failed");
  await writeFile(path, whole);
});

test("a release of which nobody can say what moved is told of among all; one that is pruned is named", async () => {
  const folder = at.store.release(raw.after.releaseDigest);
  const manifest = join(folder, "manifest.ndjson");
  const lines = (await readFile(manifest, "utf8")).split("\n");
  await rm(manifest);
  await writeFile(manifest, lines.filter((line) => !line.includes(DIFF_FILE)).join("\n"));
  for (const main of [await beside(), await own()]) {
    expect(main).toContain(`in release <a href="/history">${raw.after.scoreReleaseVersion}</a>`);
  }
  await rm(folder, { recursive: true });
  for (const main of [await beside(), await own()]) {
    expect(main).toContain(`in release ${raw.after.scoreReleaseVersion}, which is kept here no more`);
    expect(main).not.toContain(addressOf(raw.after));
  }
});
