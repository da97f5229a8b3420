/** Disputes from what a depositor says to the release that mends it: over HTTP, by commands, on every database. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { dispute as disputeSchema } from "../../schemas/public/account/dispute.ts";
import { MOST_DISPUTES_A_DAY, MOST_OPEN_DISPUTES } from "../../schemas/public/account/me.ts";
import { recordDisputes } from "../../schemas/public/api/record-disputes.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import type { AccountTarget } from "../../server/people/accounts/target.ts";
import { answerDispute } from "../../server/people/disputes/answer.ts";
import { correctAnswer } from "../../server/people/disputes/correct.ts";
import { eventsOf } from "../../server/people/moderation/audit.ts";
import { type AccountServer, type Person, problemIn, serveAccounts } from "../account/world.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { ask } from "../server/ask.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { type Ended, jsonLines } from "../support/command-line.ts";
import { linkedStore, type TemporaryStore } from "../support/temporary-store.ts";
import { GOOD, REFUSALS } from "./hostile.ts";
import { DEPOSITOR, DISPUTED, type DisputedStore, disputedStore, GAVE_WAY, OTHER, STRANGER } from "./world.ts";

const PATH = "/account/disputes";
const problemErrors = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });
const detail = z.looseObject({
  scoreStatus: z.string(),
  signals: z.array(z.looseObject({ id: z.string(), state: z.string() })),
});
const FOR_REPOSITORY = { role: "repository", statement: "Write to the desk of the repository." } as const;

let raw: DisputedStore;
let commands: CommandHost;

beforeAll(async () => {
  raw = await disputedStore();
  commands = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
}, 300_000);

afterAll(async () => {
  await commands?.[Symbol.asyncDispose]();
  raw?.remove();
});

describeEachDatabase("disputes", (newTarget) => {
  let at: TemporaryStore;
  let target: AccountTarget;
  let server: AccountServer;
  /** Has an approved claim of the creator of DISPUTED. */
  let depositor: Person;

  beforeAll(async () => {
    at = await linkedStore(raw.store);
    const other = await newTarget();
    target = "postgres" in other ? other : { sqlite: join(at.store.root, "accounts.sqlite") };
    server = await serveAccounts(at.store, target);
    depositor = await creator(DEPOSITOR.orcid);
  }, 120_000);

  afterAll(async () => {
    await server?.close();
    await at?.[Symbol.asyncDispose]();
  });

  async function creator(orcid: string): Promise<Person> {
    const person = await server.person(orcid);
    const authorSlug = (await server.researchers()).find((each) => each.orcid === orcid)?.slug;
    expect(await person.posted("/account/profile-claims", { authorSlug })).toMatchObject({ state: "approved" });
    return person;
  }

  const said = async (person: Person, more: object = {}) =>
    disputeSchema.strict().parse(await person.posted(PATH, { ...GOOD, ...more }));
  const openIn = async (person: Person) =>
    z
      .object({ data: z.array(disputeSchema), pagination: z.looseObject({ total: z.int() }) })
      .parse(await person.got(PATH));
  const publicOf = async (id: string) => {
    const reply = await ask(server.port, `/records/${id}/disputes`);
    expect([reply.status, reply.headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
    return recordDisputes.strict().parse(JSON.parse(reply.text));
  };
  const disputesCommand = (...parameters: string[]): Promise<Ended> =>
    commands.run(["disputes", ...parameters], {
      environment: { DATABASE_URL: "postgres" in target ? target.postgres : "", SHARE_STORE: at.store.root },
    });
  /** The summary of a command that did what it was asked. */
  async function ran(...parameters: string[]): Promise<unknown> {
    const { exitCode, stdout, stderr } = await disputesCommand(...parameters, "--json");
    expect([exitCode, stderr]).toEqual([0, ""]);
    return jsonLines(stdout).at(-1);
  }

  test("said, shown to who said it and to nobody else, answered once, mended by a release, told beside the record", async () => {
    const made = await said(depositor);
    const release = { scoreReleaseVersion: raw.before.scoreReleaseVersion, releaseDigest: raw.before.releaseDigest };
    expect(made).toMatchObject({
      ...GOOD,
      contract: "2.0.0-beta.2",
      publishedState: "absent",
      release,
      role: "creator",
      statement: null,
      state: "open",
      answer: null,
      answeredAt: null,
      correctedAt: null,
      mendedIn: null,
      record: { id: DISPUTED },
    });
    expect(await depositor.got(`${PATH}/${made.id}`)).toEqual(made);
    expect(await openIn(depositor)).toMatchObject({ data: [made], pagination: { total: 1 } });
    expect(await depositor.got("/account/me")).toMatchObject({ disputes: { data: [{ id: made.id }] } });
    expect(await publicOf(DISPUTED)).toMatchObject({ recordId: DISPUTED, data: [], pagination: { total: 0 } });
    const stranger = await server.person();
    for (const method of ["GET", "DELETE"]) {
      expect(problemIn(await stranger.ask(method, `${PATH}/${made.id}`))).toMatchObject({ status: 404 });
    }

    const shown = await disputesCommand("show", made.id);
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
    for (const fact of [
      `S1 (Keywords) of ${DISPUTED}, under 2.0.0-beta.2`,
      "Invented counts 99100001, Zenodo",
      "keyword_count = 0",
      DEPOSITOR.orcid,
      "approved claims: ",
      GOOD.evidenceUrl,
      "The landing page lists three keywords.",
      "opened by applicant",
      `disputes answer ${made.id} upheld`,
    ]) {
      expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain(fact);
    }
    expect(Math.max(...shown.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(130);
    expect((await disputesCommand("list")).stdout).toContain(
      `${made.id}  open   S1 2.0.0-beta.2  ${DISPUTED}  present`,
    );

    const reason = "The reader missed the keywords.";
    expect(await ran("answer", made.id, "upheld", "--reason", ` ${reason} `, "--by", "ada")).toMatchObject({
      id: made.id,
      state: "upheld",
      answer: reason,
      by: "ada",
    });
    const again = await disputesCommand("answer", made.id, "rejected", "--reason", "No.", "--by", "eve");
    expect(again).toMatchObject({ exitCode: 1, stdout: "" });
    expect(again.stderr).toMatch(/was answered \(upheld\) by ada at \d{4}-.*; an answer stands/);
    expect(await depositor.got(`${PATH}/${made.id}`)).toMatchObject({
      state: "upheld",
      answer: reason,
      mendedIn: null,
    });

    const told = await ask(server.port, `/records/${DISPUTED}/disputes`);
    const { data } = recordDisputes.strict().parse(JSON.parse(told.text));
    expect(data).toEqual([
      {
        contract: "2.0.0-beta.2",
        signal: "S1",
        publishedState: "absent",
        release,
        says: "present",
        state: "upheld",
        answer: reason,
        answeredAt: expect.stringMatching(/^\d{4}-.*Z$/),
        correctedAt: null,
        mendedIn: null,
      },
    ]);
    for (const theirs of [GOOD.evidenceUrl, "landing page", depositor.id, DEPOSITOR.orcid, made.id, "ada"]) {
      expect(told.text).not.toContain(theirs);
    }

    // The score is what the release says, whatever a moderator does.
    const record = detail.parse(JSON.parse((await ask(server.port, `/records/${DISPUTED}`)).text));
    expect(record.signals.find(({ id }) => id === "S1")?.state).toBe("absent");
    const early = await disputesCommand("mended", made.id);
    expect(early).toMatchObject({ exitCode: 1, stdout: "" });
    expect(early.stderr).toContain(`has S1 of ${DISPUTED} as it was disputed: absent`);
    const unread = await disputesCommand("mended", made.id, "--release", raw.never.releaseDigest);
    expect(unread).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unread.stderr).toContain(`${raw.never.releaseDigest} was never active`);
    const mendedIn = { scoreReleaseVersion: raw.after.scoreReleaseVersion, releaseDigest: raw.after.releaseDigest };
    expect(await ran("mended", made.id, "--release", raw.after.releaseDigest, "--by", "ada")).toMatchObject({
      mendedIn,
      contract: "2.0.0-beta.2",
    });
    expect(await disputesCommand("mended", made.id, "--release", raw.after.releaseDigest)).toMatchObject({
      exitCode: 1,
    });
    expect((await publicOf(DISPUTED)).data).toMatchObject([{ state: "upheld", mendedIn }]);

    const trail = z.object({ events: z.array(z.looseObject({ actor: z.string(), action: z.string() })) });
    const { events } = trail.parse(await ran("show", made.id));
    expect(events.map(({ actor, action }) => `${action} by ${actor}`)).toEqual([
      "opened by applicant",
      "upheld by ada",
      "mended by ada",
    ]);

    // Answered, it can be said anew; forgotten, the answer stays, of nobody.
    const anew = await said(depositor, { says: "unknown" });
    await depositor.deleted(`${PATH}/${anew.id}`);
    expect(await depositor.deleted(`${PATH}/${made.id}`)).toEqual({ deleted: true });
    expect(problemIn(await depositor.ask("DELETE", `${PATH}/${made.id}`))).toMatchObject({
      status: 404,
      type: "not-found",
    });
    expect((await openIn(depositor)).data).toEqual([]);
    expect((await publicOf(DISPUTED)).data).toMatchObject([{ state: "upheld", answer: reason }]);
    const left = await server.accounts.db
      .selectFrom("dispute")
      .selectAll()
      .where("id", "in", [made.id, anew.id])
      .execute();
    expect(
      left.map(({ id, account_id, evidence_url, evidence, state }) => [id, account_id, evidence_url, evidence, state]),
    ).toEqual([[made.id, null, null, null, "upheld"]]);
    expect((await eventsOf(server.accounts.db, anew.id)).map(({ action, actor }) => `${action} by ${actor}`)).toEqual([
      "opened by applicant",
      "withdrawn by applicant",
    ]);
  }, 60_000);

  test.each([
    ["rejected", "rejected", 1],
    ["source_must_mend", "source_must_mend", 1],
    ["source-must-mend", "source_must_mend", 1],
    ["withdrawn", "withdrawn", 0],
  ] as const)("the answer %s", async (typed, state, told) => {
    const person = await server.person();
    const { id } = await said(person, { ...FOR_REPOSITORY, recordId: OTHER, signal: "S2", says: "unknown" });
    const before = (await publicOf(OTHER)).pagination.total;
    await ran("answer", id, typed, "--reason", "Looked at.");
    expect((await disputesCommand("list", "--state", typed)).stdout).toContain(`${id}  ${state}`);
    const row = server.accounts.db.selectFrom("dispute").selectAll().where("id", "=", id);
    const kept = await row.executeTakeFirstOrThrow();
    if (state === "withdrawn") {
      const nobodys = { account_id: null, evidence_url: null, evidence: null, statement: null };
      expect(kept).toMatchObject({ state, answer: "Looked at.", ...nobodys });
      expect(problemIn(await person.ask("GET", `${PATH}/${id}`))).toMatchObject({ status: 404 });
    } else {
      expect(kept).toMatchObject({ state, evidence: GOOD.evidence, evidence_url: GOOD.evidenceUrl });
      expect(await person.got(`${PATH}/${id}`)).toMatchObject({ state, answer: "Looked at.", role: "repository" });
    }
    const after = await publicOf(OTHER);
    expect(after.pagination.total - before).toBe(told);
    if (told === 1) expect(after.data[0]).toMatchObject({ state, signal: "S2" });
    const mended = await disputesCommand("mended", id, "--release", raw.after.releaseDigest);
    expect(mended.exitCode).toBe(1);
  });

  test("another release takes the place of the one that was named, with the reason in the log, and none without", async () => {
    const person = await server.person();
    const { id } = await said(person, { ...FOR_REPOSITORY, says: "unknown", signal: "S1" });
    await ran("answer", id, "upheld", "--reason", "The payload has keywords.");
    const after = raw.after.releaseDigest;
    const mended = (...more: string[]) => disputesCommand("mended", id, "--release", after, "--by", "eve", ...more);
    const because = ["--because", "It had it by chance."];
    const nothing = await mended(...because);
    expect([nothing.exitCode, nothing.stdout]).toEqual([1, ""]);
    expect(nothing.stderr).toContain("leave --because out");

    const older = `sha256:${"0".repeat(63)}1`;
    const named = { mended_version: "2026.10.01", mended_digest: older };
    await server.accounts.db.updateTable("dispute").set(named).where("id", "=", id).execute();
    const refused = await mended();
    expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(`${id} was mended in ${older}; say why it is another with --because`);
    expect(await person.got(`${PATH}/${id}`)).toMatchObject({ mendedIn: { releaseDigest: older } });

    expect(await mended(...because)).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: expect.stringContaining(`is mended in release ${raw.after.scoreReleaseVersion} and not in 2026.10.01`),
    });
    expect(await person.got(`${PATH}/${id}`)).toMatchObject({ mendedIn: { releaseDigest: after } });
    const { stdout } = await disputesCommand("show", id);
    expect(stdout).toContain(`${after} instead of ${older}: It had it by chance.`);
    const again = await mended(...because);
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining("already; nothing was changed")]);
  });

  test("a wrong answer is corrected: told as it is now, with the earlier one in the log, and mended only where it can be", async () => {
    const person = await server.person();
    const { id } = await said(person, { ...FOR_REPOSITORY, says: "unknown", signal: "S1" });
    const correct = (state: string, reason: string, because = "Read too quickly.") =>
      disputesCommand("correct", id, state, "--reason", reason, "--because", because, "--by", "eve");
    const early = await correct("rejected", "It stands.");
    expect([early.exitCode, early.stdout]).toEqual([1, ""]);
    expect(early.stderr).toContain(`${id} is open: it has no answer that could be corrected`);

    await ran("answer", id, "upheld", "--reason", "The reader is wrong.", "--by", "ada");
    const { answeredAt } = disputeSchema.parse(await person.got(`${PATH}/${id}`));
    await ran("mended", id, "--release", raw.after.releaseDigest, "--by", "ada");
    const mendedIn = { scoreReleaseVersion: raw.after.scoreReleaseVersion, releaseDigest: raw.after.releaseDigest };
    const same = await correct("upheld", "The reader is wrong.");
    expect([same.exitCode, same.stderr]).toEqual([1, expect.stringContaining("answered in these words already")]);

    // In other words, and then as what the source must mend: it is mended as it was.
    expect(await correct("upheld", "The reader was wrong.")).toMatchObject({
      exitCode: 0,
      stdout: `corrected the answer to ${id}: upheld as before, in other words, by eve\n`,
    });
    expect(await person.got(`${PATH}/${id}`)).toMatchObject({
      state: "upheld",
      answer: "The reader was wrong.",
      mendedIn,
    });
    expect((await correct("source-must-mend", "The page lacks them.")).stdout).toContain(
      "source_must_mend instead of upheld",
    );
    expect(await person.got(`${PATH}/${id}`)).toMatchObject({ state: "source_must_mend", mendedIn });

    const rejected = await correct("rejected", "The keywords are licences.");
    expect([rejected.exitCode, rejected.stderr]).toEqual([0, ""]);
    expect(rejected.stdout).toContain(
      `that it was mended in release ${raw.after.scoreReleaseVersion} is told no longer`,
    );
    const own = disputeSchema.strict().parse(await person.got(`${PATH}/${id}`));
    const now = { state: "rejected", answer: "The keywords are licences.", answeredAt, mendedIn: null };
    expect(own).toMatchObject({ ...now, correctedAt: expect.stringMatching(/^\d{4}-.*Z$/), evidence: GOOD.evidence });
    const told = await ask(server.port, `/records/${DISPUTED}/disputes`);
    const { data } = recordDisputes.strict().parse(JSON.parse(told.text));
    expect(data).toContainEqual(expect.objectContaining({ ...now, correctedAt: own.correctedAt }));
    for (const earlier of ["The reader is wrong.", "The page lacks them.", "Read too quickly.", "eve"])
      expect(told.text).not.toContain(earlier);
    expect((await disputesCommand("mended", id, "--release", raw.after.releaseDigest)).stderr).toContain(
      "nothing to mend",
    );
    const again = await disputesCommand("answer", id, "upheld", "--reason", "No.");
    expect(again.stderr).toMatch(/was answered \(rejected\) by eve at \d{4}-.*; an answer stands, unless .* correct/);

    const events = await eventsOf(server.accounts.db, id);
    expect(events.map(({ actor, action }) => `${action} by ${actor}`)).toEqual([
      "opened by applicant",
      "upheld by ada",
      "mended by ada",
      ...Array.from({ length: 3 }, () => "corrected by eve"),
    ]);
    const [, , , , fifth, sixth] = events;
    expect(sixth?.detail).toEqual({
      state: "rejected",
      answer: "The keywords are licences.",
      earlierState: "source_must_mend",
      earlierEvent: String(fifth?.number),
      earlierMendedIn: raw.after.releaseDigest,
      reason: "Read too quickly.",
    });
    const shown = (await disputesCommand("show", id)).stdout.replaceAll(/\s+/g, " ");
    expect(shown).toContain("which was another answer before");
    expect(shown).toContain(
      `corrected by eve rejected “The keywords are licences.” instead of source_must_mend (entry ${fifth?.number}), mended in ${raw.after.releaseDigest}: Read too quickly.`,
    );

    // Each sentence is there to be found, under the number that is named, and once.
    expect(shown).toMatch(
      new RegExp(`${fifth?.number} \\S+ \\S+ ${id} corrected by eve source_must_mend “The page lacks`),
    );
    for (const sentence of ["The reader is wrong.", "The reader was wrong.", "The page lacks them."])
      expect(JSON.stringify(events).split(sentence)).toHaveLength(2);

    // What was wrongly rejected can be mended after all; who disputed may go, and it is corrected all the same.
    expect((await correct("upheld", "They are there.")).stdout).toContain(`share-release disputes mended ${id}`);
    await ran("mended", id, "--release", raw.after.releaseDigest);
    const exported = z.object({ disputes: z.array(z.looseObject({ id: z.string() })) });
    expect(exported.parse(await person.got("/account/export")).disputes).toMatchObject([
      { id, correctedAt: expect.any(String), mendedIn },
    ]);
    await person.deleted("/account/me");
    expect((await correct("rejected", "They are not.")).exitCode).toBe(0);
    const row = server.accounts.db.selectFrom("dispute").selectAll().where("id", "=", id);
    const gone = { account_id: null, evidence: null, mended_version: null, mended_digest: null };
    expect(await row.executeTakeFirstOrThrow()).toMatchObject({ ...gone, state: "rejected", answer: "They are not." });
  }, 60_000);

  test("what was taken back has no answer to correct; of ten corrections at once each knows the one before", async () => {
    const person = await server.person();
    const mine = { ...FOR_REPOSITORY, recordId: OTHER, says: "unknown" };
    const withdrawn = await said(person, { ...mine, signal: "H1" });
    await ran("answer", withdrawn.id, "withdrawn", "--reason", "Taken back by letter.");
    const refused = await disputesCommand("correct", withdrawn.id, "rejected", "--reason", "x", "--because", "y");
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("was taken back (withdrawn)")]);

    const { id } = await said(person, { ...mine, signal: "H2" });
    await ran("answer", id, "rejected", "--reason", "0");
    const by = { by: "ada", reason: "In turn.", now: server.now() };
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        correctAnswer(server.accounts, { id, state: "rejected", answer: String(i + 1), ...by }),
      ),
    );
    const [, ...answers] = await eventsOf(server.accounts.db, id);
    expect(answers.slice(1).map(({ detail: { earlierEvent } }) => earlierEvent)).toEqual(
      answers.slice(0, -1).map(({ number }) => String(number)),
    );
    const { answer } = answers.at(-1)?.detail ?? {};
    expect(await person.got(`${PATH}/${id}`)).toMatchObject({ answer });
  });

  describe("what is refused", () => {
    test.each(REFUSALS)("$name", async ({ body, errors }) => {
      const reply = await depositor.ask("POST", PATH, body);
      expect(problemIn(reply)).toMatchObject({ status: 400, type: "invalid-body" });
      const found = problemErrors.parse(JSON.parse(reply.text)).errors;
      expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual(errors);
    });

    const CASES = [
      { name: "who has claimed nobody", orcid: null, body: {}, status: 403, type: "claim-needed" },
      { name: "a creator of another dataset", orcid: STRANGER.orcid, body: {}, status: 403, type: "claim-needed" },
      {
        name: "a record that nobody knows",
        orcid: null,
        body: { recordId: `r${"0".repeat(24)}` },
        status: 404,
        type: "dataset-not-found",
      },
      {
        name: "what is no id",
        orcid: null,
        body: { recordId: "../release.json" },
        status: 404,
        type: "dataset-not-found",
      },
      {
        name: "a version without data",
        orcid: null,
        body: { rubricVersion: "1.0" },
        status: 409,
        type: "rubric-not-published",
      },
      {
        name: "a contract without pages",
        orcid: null,
        body: { rubricVersion: "2.0.0-beta.1" },
        status: 409,
        type: "rubric-not-published",
      },
    ] as const;

    test.each(CASES)("$name", async ({ orcid, body, status, type }) => {
      const person = orcid === null ? await server.person() : await creator(orcid);
      expect(problemIn(await person.ask("POST", PATH, { ...GOOD, ...body }))).toMatchObject({ status, type });
      expect((await openIn(person)).pagination.total).toBe(0);
    });

    test("from another site, without a session, and of a record without an address", async () => {
      const foreign = await depositor.ask("POST", PATH, GOOD, { origin: "https://evil.example" });
      expect(problemIn(foreign)).toMatchObject({ status: 403, type: "wrong-origin" });
      expect((await ask(server.port, PATH)).status).toBe(401);
      for (const id of [`r${"0".repeat(24)}`, "x", "..%2Fadmin"]) {
        const reply = await ask(server.port, `/records/${id}/disputes`);
        expect(problemIn(reply)).toMatchObject({ status: 404, type: "dataset-not-found" });
      }
      expect((await ask(server.port, `/records/${DISPUTED}/disputes?limit=0`)).status).toBe(400);
    });
  });

  test("the same once, of ten who say it at once, and twenty of a person in all", async () => {
    const person = await server.person();
    const once = { ...GOOD, ...FOR_REPOSITORY };
    const replies = await Promise.all(Array.from({ length: 10 }, () => person.ask("POST", PATH, once)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    for (const reply of replies) if (reply.status === 409) expect(problemIn(reply).type).toBe("duplicate");
    const record = detail.parse(JSON.parse((await ask(server.port, `/records/${OTHER}`)).text));
    const known = record.signals.filter(({ state }) => state === "passed" || state === "absent").map(({ id }) => id);
    const rest = SIGNAL_IDS.flatMap((signal) => {
      const says = known.includes(signal) ? "unknown" : "present";
      return [DISPUTED, OTHER].map((recordId) => ({ ...once, recordId, signal, says }));
    });
    const statuses: number[] = [];
    for (const body of rest.slice(2)) statuses.push((await person.ask("POST", PATH, body)).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(MOST_OPEN_DISPUTES - 1);
    expect(statuses.at(-1)).toBe(409);
    const full = problemIn(await person.ask("POST", PATH, rest.at(-1)));
    expect(full).toMatchObject({
      type: "account-full",
      detail: expect.stringMatching(/20 disputes may wait at a time/),
    });
    const [{ id } = { id: "" }] = (await openIn(person)).data;
    await person.deleted(`${PATH}/${id}`);
    await said(person, { ...FOR_REPOSITORY, recordId: OTHER, signal: "S1", says: "unknown" });
  }, 60_000);

  test("answered by one of ten moderators; taken back at the same time it is the one or the other", async () => {
    const person = await server.person();
    const { id } = await said(person, { ...FOR_REPOSITORY, recordId: OTHER, signal: "S3", says: "unknown" });
    const tries = await Promise.allSettled([
      ...Array.from({ length: 10 }, (_, i) =>
        answerDispute(server.accounts, { id, state: "rejected", answer: "No.", by: `m${i}`, now: server.now() }),
      ),
      person.deleted(`${PATH}/${id}`),
    ]);
    expect(tries.at(-1)?.status).toBe("fulfilled");
    const events = await eventsOf(server.accounts.db, id);
    const done = tries.slice(0, 10).filter(({ status }) => status === "fulfilled");
    expect(events.map(({ action }) => action)).toEqual(["opened", done.length === 1 ? "rejected" : "withdrawn"]);
  });

  test("erasing the account leaves answers of nobody, and nothing that waits", async () => {
    const person = await server.person();
    const mine = { ...FOR_REPOSITORY, recordId: OTHER, says: "unknown", evidence: "written by who leaves" };
    const [open, answered] = [
      await said(person, { ...mine, signal: "A1" }),
      await said(person, { ...mine, signal: "A2" }),
    ];
    await ran("answer", answered.id, "rejected", "--reason", "It stands.");
    await person.deleted("/account/me");
    const { db } = server.accounts;
    const rows = await db.selectFrom("dispute").selectAll().where("id", "in", [open.id, answered.id]).execute();
    expect(rows.map(({ signal, state, account_id }) => [signal, state, account_id]).sort()).toEqual([
      ["A2", "rejected", null],
    ]);
    expect((await eventsOf(db, open.id)).map(({ action }) => action)).toEqual(["opened", "withdrawn"]);
    expect(JSON.stringify(rows)).not.toContain("written by who leaves");
    expect((await publicOf(OTHER)).data[0]).toMatchObject({ signal: "A2", answer: "It stands." });
    expect((await disputesCommand("show", answered.id)).stdout).toContain("account is gone");
  });

  test("said and taken back over and over: a hundred in a day, and none of them stays", async () => {
    const person = await server.person();
    const [mine, reopened] = [{ ...GOOD, ...FOR_REPOSITORY }, MOST_DISPUTES_A_DAY];
    const { db } = server.accounts;
    const count = async () => {
      const rows = db.selectFrom("dispute").select(({ fn }) => fn.countAll<number>().as("rows"));
      return Number((await rows.executeTakeFirstOrThrow()).rows);
    };
    const before = await count();
    for (let i = 0; i < reopened; i += 1) {
      const { id } = await said(person, mine);
      await person.deleted(`${PATH}/${id}`);
    }
    const refused = await person.ask("POST", PATH, mine);
    expect(problemIn(refused)).toMatchObject({
      status: 429,
      type: "rate-limited",
      detail: expect.stringMatching(/100 disputes in 24 hours/),
    });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3600);
    expect(await count()).toBe(before);
    // Of one's own alone.
    const other = await server.person();
    await other.deleted(`${PATH}/${(await said(other, mine)).id}`);
  }, 120_000);

  test("mended by a later contract, under the id that gave way; never before it, nor by what was retracted", async () => {
    const person = await server.person();
    const { id } = await said(person, { ...FOR_REPOSITORY, says: "unknown" });
    await ran("answer", id, "upheld", "--reason", "Looked at.");
    const { db } = server.accounts;
    // As if it had been said of a release that is pruned by now, whose version stood for another contract.
    const older = `sha256:${"0".repeat(63)}1`;
    const receipt = { ...raw.before, releaseDigest: older };
    const rubrics = receipt.rubrics.map((rubric) => ({ ...rubric, contract: "2.0.0-beta.1" }));
    await mkdir(at.store.pruned, { recursive: true });
    await writeFile(join(at.store.pruned, `${older.replace(":", "-")}.json`), JSON.stringify({ ...receipt, rubrics }));
    const become = (values: object) => db.updateTable("dispute").set(values).where("id", "=", id).execute();
    await become({ contract: "2.0.0-beta.1", record_id: GAVE_WAY, release_digest: older });
    const shown = (await disputesCommand("show", id)).stdout.replaceAll(/\s+/g, " ");
    expect(shown).toContain(`S1 (Keywords) of ${GAVE_WAY}, under 2.0.0-beta.1`);
    expect(shown).toContain(`gave way to ${DISPUTED}`);
    expect(shown).toContain("absent, under 2.0.0-beta.2, by keyword_count = 0");
    const mended = (digest: string) => disputesCommand("mended", id, "--release", digest);
    expect((await mended(raw.before.releaseDigest)).stderr).toContain(
      "as it was disputed: absent (under 2.0.0-beta.2)",
    );

    // Disputed in the second: the first is earlier, however it differs.
    await become({ signal_state: "passed", release_digest: raw.after.releaseDigest, contract: "2.0.0-beta.2" });
    const earlier = await mended(raw.before.releaseDigest);
    expect([earlier.exitCode, earlier.stderr]).toEqual([1, expect.stringContaining("is not later than")]);

    await become({ signal_state: "absent", release_digest: older, contract: "2.0.0-beta.1" });
    const statement = at.store.retraction(raw.after.releaseDigest);
    await mkdir(dirname(statement), { recursive: true });
    const retractedAt = "2026-11-02T12:00:00.000Z";
    const told = { releaseDigest: raw.after.releaseDigest, reason: "Wrong.", retractedAt, signature: "a..b" };
    await writeFile(statement, JSON.stringify(told));
    const retracted = await mended(raw.after.releaseDigest);
    await rm(statement);
    expect([retracted.exitCode, retracted.stderr]).toEqual([1, expect.stringContaining("was retracted")]);

    const done = await mended(raw.after.releaseDigest);
    expect([done.exitCode, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).toContain("under 2.0.0-beta.2");
    expect((await publicOf(DISPUTED)).data).toContainEqual(
      expect.objectContaining({ mendedIn: expect.objectContaining({ releaseDigest: raw.after.releaseDigest }) }),
    );
  }, 60_000);

  test("what people write steers no terminal", async () => {
    const person = await server.person();
    const { id } = await said(person, { ...FOR_REPOSITORY, recordId: OTHER, signal: "A3", says: "unknown" });
    const nasty = { evidence: "\u001b[2J\u202eevil", statement: "\u0007", evidence_url: "https://x\u001b]8;;y" };
    await server.accounts.db.updateTable("dispute").set(nasty).where("id", "=", id).execute();
    const { stdout } = await disputesCommand("show", id);
    expect(stdout).toContain("evil");
    for (const hidden of ["\u001b", "\u202e", "\u0007"]) expect(stdout).not.toContain(hidden);
  });
});

test("what is asked of the command wrongly is refused in words that help", async () => {
  const nothing = `w${"0".repeat(24)}`;
  const CASES = [
    { parameters: ["show", nothing], exitCode: 1, says: /there is no dispute w0/ },
    { parameters: ["show", "c1"], exitCode: 2, says: /that is no id of a dispute/ },
    { parameters: ["answer", nothing, "upheld"], exitCode: 2, says: /--reason <text>/ },
    {
      parameters: ["answer", nothing, "maybe", "--reason", "x"],
      exitCode: 2,
      says: /upheld, rejected, source_must_mend, withdrawn$/m,
    },
    { parameters: ["answer", nothing, "upheld", "--reason", " "], exitCode: 2, says: /--reason must not be empty/ },
    { parameters: ["answer", nothing, "upheld", "--reason", "r".repeat(501)], exitCode: 2, says: /at most 500/ },
    {
      parameters: ["answer", nothing, "upheld", "--reason", "a\u001b[2J"],
      exitCode: 2,
      says: /must not contain control/,
    },
    { parameters: ["answer", nothing, "upheld", "--reason", "x"], exitCode: 1, says: /there is no dispute/ },
    { parameters: ["correct", nothing, "upheld", "--reason", "x"], exitCode: 2, says: /--because <text>/ },
    {
      parameters: ["correct", nothing, "withdrawn", "--reason", "x", "--because", "y"],
      exitCode: 2,
      says: /one of upheld, rejected, source_must_mend$/m,
    },
    {
      parameters: ["correct", nothing, "upheld", "--reason", "x", "--because", " "],
      exitCode: 2,
      says: /--because must not be empty/,
    },
    {
      parameters: ["correct", nothing, "upheld", "--reason", "x", "--because", "y"],
      exitCode: 1,
      says: /there is no dispute/,
    },
    { parameters: ["mended", nothing, "--release", "sha256:ffff"], exitCode: 1, says: /no release/ },
    { parameters: ["list", "--state", "pending"], exitCode: 2, says: /open, upheld/ },
  ] as const;
  await using at = await linkedStore(raw.store);
  const server = await serveAccounts(at.store, { sqlite: join(at.store.root, "accounts.sqlite") });
  try {
    for (const { parameters, exitCode, says } of CASES) {
      const environment = { DATABASE_URL: "", SHARE_STORE: at.store.root };
      const ended = await commands.run(["disputes", ...parameters], { environment });
      expect([parameters, ended.exitCode, ended.stdout]).toEqual([parameters, exitCode, ""]);
      expect(ended.stderr).toMatch(says);
    }
  } finally {
    await server.close();
  }
});
