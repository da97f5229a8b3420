/**
 * Test case that follows one user from the first email to the deleted account. The server is `share-release serve` in a
 * separate process, moderators decide by commands, and emails arrive by SMTP.
 */

import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { withSubmissions } from "../../cli/options/sources.ts";
import { harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import type { NewTarget } from "../accounts/each-database.ts";
import { readEnvelopes, testEffects } from "../harvest/bench-store.ts";
import { fetchPage, listed, onlyOfTheirName, type Person, until, untilStatus } from "../hidden/hidden-world.ts";
import { ask } from "../server/ask.ts";
import { makeRecordId, type ReleasedStore, releasedStore, SPECIAL } from "../server/test-store.ts";
import { Browser } from "../sign-in/browser.ts";
import { type Mailbox, openMailbox, tokenIn } from "../sign-in/mailbox.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { mentions } from "../support/release-mentions.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { linkedStore, type TemporaryStore } from "../support/temporary-store.ts";
import { serve } from "../support/upstream/service.ts";

const EMAIL = "a.person@example.org";
/** DOI of the dataset that the user submits. No release of this test has it. */
const SUBMITTED = "10.5072/submitted-by-a-person";
/** Parameters of the command that builds a release like `first`. */
const BUILD = ["build", "--as-of", "2026-11-01", "--source", "clinicaltrials", "datacite", "zenodo", "--rubric", "2.0"];

const summary = z.looseObject({});
const built = z.looseObject({
  receipt: z.looseObject({ releaseDigest: z.string(), withheld: z.looseObject({ count: z.int() }) }),
});
const made = z.looseObject({ id: z.string(), state: z.string().optional() });

/** Name of the suite, which the soak test uses too. */
export const WAY = "the whole life of an account, on a real server";

export function personsWay(newTarget: NewTarget): void {
  let raw: ReleasedStore;
  let first: Receipt;
  let mailbox: Mailbox;
  let commands: CommandHost;

  beforeAll(async () => {
    raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
    mailbox = await openMailbox();
    commands = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
    first = raw.receipt;
  }, 300_000);

  afterAll(async () => {
    await commands?.[Symbol.asyncDispose]();
    await mailbox?.close();
    await raw?.[Symbol.asyncDispose]();
  });

  let at: TemporaryStore;
  let store: Store;
  let target: AccountTarget;
  let server: Serving;
  let browser: Browser;
  let person: Person;

  beforeAll(async () => {
    at = await linkedStore(raw.store);
    store = at.store;
    const other = await newTarget();
    target = "postgres" in other ? other : { sqlite: join(store.root, "accounts.sqlite") };
    server = await startServing(["--store", store.root, "--rate", "1000000"], {
      DATABASE_URL: databaseUrl(),
      SMTP_URL: mailbox.url,
      SHARE_SITE: "",
    });
    browser = newBrowser();
    person = await onlyOfTheirName(store.release(first.releaseDigest), await listed(server.port));
  }, 300_000);

  afterAll(async () => {
    await server?.end();
    await at?.[Symbol.asyncDispose]();
  });

  const databaseUrl = () => ("postgres" in target ? target.postgres : "");
  const newBrowser = () => new Browser({ port: server.port, origin: `http://localhost:${server.port}` });

  /**
   * Runs a command of share-release with --json, and returns the last line of its output, parsed. Throws if the command fails.
   */
  async function ran(...parameters: string[]): Promise<z.infer<typeof summary>> {
    const environment = { DATABASE_URL: databaseUrl(), SHARE_STORE: store.root };
    const { exitCode, stdout, stderr } = await commands.run([...parameters, "--json"], { environment });
    if (exitCode !== 0) throw new Error(`${parameters.join(" ")} ended with ${exitCode}: ${stderr}`);
    return summary.parse(jsonLines(stdout).at(-1));
  }
  async function signIn(): Promise<void> {
    expect((await browser.post("/auth/magic/request", { email: EMAIL, returnTo: "/account" })).status).toBe(201);
    const reply = await browser.post("/auth/magic/consume", { token: tokenIn(await mailbox.next()) });
    expect(reply.status).toBe(201);
    expect(JSON.parse(reply.text)).toMatchObject({ user: { email: EMAIL, orcid: null }, returnTo: "/account" });
  }

  async function posted(path: string, body: object) {
    const reply = await browser.post(path, body);
    expect([path, reply.status, reply.text]).toEqual([path, 201, reply.text]);
    return made.parse(JSON.parse(reply.text));
  }

  const ownPage = async () => accountPage.parse(JSON.parse((await browser.get("/account/me")).text));
  const researcherPath = () => `/authors/${person.slug}`;
  const badgePath = () => `/widgets/researchers/${person.slug}/badge.svg`;

  /**
   * Harvests the submitted dataset as `share-release harvest datacite` does, but from a service of this test. Returns the paths
   * that the harvest requested.
   */
  async function harvested(): Promise<string[]> {
    const source = sourceNamed("datacite");
    if (source === null) throw new Error("the source datacite is missing in pipeline/sources");
    await using service = await serve(({ url }) => {
      if (url.pathname === "/dois") return { json: { data: [], meta: { total: 0 }, links: {} } };
      return { json: { data: { id: SUBMITTED, type: "dois", attributes: { doi: SUBMITTED } } } };
    });
    const options = { since: null, limit: null, base: service.base, contact: null, allowPrivate: true };
    const { DATABASE_URL: before } = process.env;
    process.env.DATABASE_URL = databaseUrl();
    try {
      await withSubmissions(store, "datacite", testEffects(), (wanted) =>
        harvestHttp(store, source, { ...options, wanted }, testEffects()),
      );
    } finally {
      if (before === undefined) delete process.env.DATABASE_URL;
      else process.env.DATABASE_URL = before;
    }
    return service.asked.map(({ url }) => decodeURIComponent(url.pathname));
  }

  /** Returns every row of every table of the account store as text. */
  async function dumped(): Promise<string> {
    const accounts = await openAccounts(target);
    const parts: string[] = [];
    for (const { name } of await accounts.db.introspection.getTables()) {
      parts.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(accounts.db)).rows));
    }
    await accounts.close();
    return parts.join("\n");
  }

  test("a user signs in by email, claims a researcher page, saves items, submits a dataset, checks one, is hidden, and exports and deletes the account", async () => {
    await signIn();
    const { user } = await ownPage();

    const claim = await posted("/account/profile-claims", { authorSlug: person.slug });
    expect(claim.state).toBe("pending");
    // A visibility request needs an approved claim, and this claim is still pending.
    const asksTooEarly = { authorSlug: person.slug, requestType: "opt_out" };
    expect((await browser.post("/account/visibility-requests", asksTooEarly)).status).toBe(403);
    expect(await ran("account", "decide", claim.id, "approve", "--by", "ada")).toMatchObject({
      state: "approved",
      by: "ada",
    });
    await until(async () => (await fetchPage(server.port, person.slug)).verified);

    const recordId = makeRecordId(SPECIAL.winner);
    await browser.post("/account/saved-records", { recordId, note: "to read" });
    await browser.post("/account/saved-authors", { authorSlug: person.slug, note: "myself" });
    const submission = await posted("/account/dataset-submissions", { identifier: SUBMITTED });
    await posted("/account/measurements", { identifier: SPECIAL.winner });
    expect(await ownPage()).toMatchObject({
      user: { email: EMAIL },
      profileClaims: { data: [{ state: "approved", researcher: { name: person.name } }] },
      savedRecords: { data: [{ recordId, note: "to read" }] },
      savedAuthors: { data: [{ note: "myself", researcher: { sIndex: person.sIndex } }] },
      datasetSubmissions: { data: [{ identifier: SUBMITTED, state: "queued" }] },
      measurements: { data: [{ recordId }] },
    });

    const request = await posted("/account/visibility-requests", { ...asksTooEarly, reason: "I would rather not." });
    expect((await ask(server.port, researcherPath())).status).toBe(200);
    await ran("account", "decide", request.id, "approve", "--by", "ada");
    await untilStatus(server.port, researcherPath(), 404);
    expect((await ask(server.port, badgePath())).status).toBe(404);
    expect((await listed(server.port)).map(({ id }) => id)).not.toContain(person.id);
    expect(await ownPage()).toMatchObject({ hidden: [{ authorId: person.id }] });

    const file = join(at.folder, "withheld.txt");
    expect(await ran("account", "list", "--hidden", "--out", file)).toMatchObject({ researchers: 1 });
    const withholding = ["--skip", "attribution,history", "--exclude-researchers", file, "--no-activate"];
    const { receipt } = built.parse(await ran(...BUILD, ...withholding));
    const { releaseDigest } = receipt;
    expect(receipt.withheld.count).toBe(1);
    await ran("release", "activate", releaseDigest);
    await until(async () => (await ask(server.port, "/health")).text.includes(releaseDigest));
    const words = [person.id, person.slug, person.orcid ?? "no iD", person.name];
    const [was, is] = [
      await mentions(store.release(first.releaseDigest), words),
      await mentions(store.release(releaseDigest), words),
    ];
    for (const word of words) {
      expect([word, (was.get(word) ?? []).length > 0]).toEqual([word, true]);
      expect([word, is.get(word)]).toEqual([word, []]);
    }
    expect((await ask(server.port, researcherPath())).status).toBe(404);

    await ran("account", "decide", submission.id, "approve", "--by", "ada");
    expect(await harvested()).toContain(`/dois/${SUBMITTED}`);
    expect((await readEnvelopes(store, "datacite")).map(({ sourceId }) => sourceId)).toContain(SUBMITTED);
    expect(await ownPage()).toMatchObject({ datasetSubmissions: { data: [{ harvestOutcome: "kept" }] } });

    const exported = await browser.get("/account/export");
    expect(exported.headers["content-disposition"]).toMatch(/^attachment/);
    for (const mine of [EMAIL, user.id, "to read", "myself", "I would rather not.", SUBMITTED, SPECIAL.winner]) {
      expect(exported.text).toContain(mine);
    }

    expect(JSON.parse((await browser.delete("/account/me")).text)).toEqual({ deleted: true });
    expect(browser.cookies.size).toBe(0);
    expect((await browser.get("/account/me")).status).toBe(401);
    const left = await dumped();
    for (const mine of [EMAIL, user.id, "to read", "myself", "I would rather not."]) expect(left).not.toContain(mine);
    // Three entries stay, because they do not belong to the account: the hidden researcher, the submission and the decision.
    for (const kept of [person.id, SUBMITTED, request.id]) expect(left).toContain(kept);

    // A new sign-in gives a new, empty account; the researcher stays hidden.
    await signIn();
    const again = await ownPage();
    expect(again.user.id).not.toBe(user.id);
    expect([again.profileClaims, again.savedRecords, again.measurements].map(({ data }) => data)).toEqual([[], [], []]);
    expect((await ask(server.port, researcherPath())).status).toBe(404);
    for (const secret of [EMAIL, browser.cookies.get("share_session") ?? ""])
      expect(server.logged()).not.toContain(secret);
  }, 300_000);
}
