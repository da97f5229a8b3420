/** Decisions of moderators: each is made once, together with its entry in a log that nobody can change, on every database. */

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { type AuditEvent, addEvent, auditEvents } from "../../server/accounts/audit.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import {
  type DecisionResult,
  decide,
  hiddenResearchers,
  listSubjects,
  showSubject,
} from "../../server/accounts/moderation.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { newResearcher, Requests } from "./requests.ts";

describeEachDatabase("the decisions of moderators", (newTarget) => {
  let target: AccountTarget;
  let accounts: Accounts;
  let requests: Requests;
  let person: string;

  beforeAll(async () => {
    target = await newTarget();
    accounts = await openAccounts(target);
    requests = new Requests(accounts);
    person = await requests.account("ada@example.org");
  });

  afterAll(() => accounts?.close());

  const verdict = (id: string, given: "approved" | "rejected", reason: string | null = null) =>
    decide(accounts, { id, verdict: given, reason, by: "moderator", now: requests.now() });
  const approve = (id: string) => verdict(id, "approved");

  async function events(subjectId: string): Promise<AuditEvent[]> {
    const found: AuditEvent[] = [];
    for await (const event of auditEvents(accounts.db)) if (event.subjectId === subjectId) found.push(event);
    return found;
  }

  const DECISIONS = [
    { name: "a claim", make: (r: string) => requests.claim(person, r), kind: "claim", approved: "approved" },
    {
      name: "a visibility request",
      make: (r: string) => requests.visibility(person, r, "opt_in"),
      kind: "visibility",
      approved: "approved",
    },
    {
      name: "a submission",
      make: (r: string) => requests.submission(person, r),
      kind: "submission",
      approved: "accepted",
    },
  ] as const;

  test.each(DECISIONS)("$name can be rejected with a reason, and is then decided for good", async ({ make, kind }) => {
    const id = await make(newResearcher());
    const decided = await verdict(id, "rejected", "Not so.");
    expect(decided).toEqual({ id, kind, state: "rejected", reason: "Not so.", by: "moderator", at: decided.at });
    const subject = await showSubject(accounts.db, id);
    expect(subject).toMatchObject({ id, kind, state: "rejected", decisionReason: "Not so.", decidedAt: decided.at });
    expect(subject.events).toEqual(await events(id));
    expect(subject.events).toMatchObject([
      { at: decided.at, actor: "moderator", action: "rejected", subjectKind: kind, detail: { reason: "Not so." } },
    ]);
    for (const again of ["approved", "rejected"] as const) {
      await expect(verdict(id, again)).rejects.toThrow(
        `the request ${id} was already rejected by moderator at ${decided.at}; a decision cannot be changed`,
      );
    }
    expect(await events(id)).toHaveLength(1);
  });

  test.each(DECISIONS)("$name is approved only once by ten moderators at the same time", async ({ make, approved }) => {
    const researcher = newResearcher();
    if (approved === "approved") await approve(await requests.claim(person, newResearcher()));
    const id = await make(researcher);
    if (id.startsWith("v")) await approve(await requests.claim(person, researcher));
    const others = await Promise.all([1, 2].map(() => openAccounts(target)));
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        decide(others[i % 2] ?? accounts, { id, verdict: "approved", reason: null, by: `m${i}`, now: requests.now() }),
      ),
    );
    for (const other of others) await other.close();
    const done = tries.filter((each): each is PromiseFulfilledResult<DecisionResult> => each.status === "fulfilled");
    expect(done.map(({ value }) => value.state)).toEqual([approved]);
    expect((await events(id)).map(({ actor }) => actor)).toEqual(done.map(({ value }) => value.by));
  });

  test("a second claim to the same researcher cannot be approved, and the error names the first", async () => {
    const [other, researcher] = [await requests.account(), newResearcher()];
    const [first, second] = [await requests.claim(person, researcher), await requests.claim(other, researcher)];
    const { at } = await approve(first);
    await expect(approve(second)).rejects.toThrow(`${first} was approved at ${at}`);
    expect(await showSubject(accounts.db, second)).toMatchObject({
      state: "pending",
      events: [],
      otherClaims: [{ id: first, state: "approved", own: false }],
    });
    await verdict(second, "rejected", "It is somebody else.");
  });

  test("only one of two claims to a researcher is approved if both are approved at the same time", async () => {
    const others = await Promise.all([1, 2].map(() => openAccounts(target)));
    for (let round = 0; round < 10; round += 1) {
      const researcher = newResearcher();
      const ids = [
        await requests.claim(person, researcher),
        await requests.claim(await requests.account(), researcher),
      ];
      const tries = await Promise.allSettled(
        ids.map((id, i) =>
          decide(others[i] ?? accounts, { id, verdict: "approved", reason: null, by: "m", now: requests.now() }),
        ),
      );
      const rejections = tries.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      expect(rejections).toEqual([expect.objectContaining({ code: "ERR_MODERATION" })]);
    }
    for (const other of others) await other.close();
  });

  test("an opt-out hides a person, an opt-in shows the person again, and the list of hidden people follows both", async () => {
    const researcher = newResearcher();
    const isHidden = async () => (await hiddenResearchers(accounts.db)).filter(({ id }) => id === researcher);
    await approve(await requests.claim(person, researcher));
    await verdict(await requests.visibility(person, researcher, "opt_out"), "rejected", "Not now.");
    expect(await isHidden()).toEqual([]);
    const { at } = await approve(await requests.visibility(person, researcher, "opt_out"));
    expect(await isHidden()).toMatchObject([{ since: at }]);
    // For a person who is hidden again, the date of the first decision stays.
    const again = await requests.visibility(person, researcher, "opt_out");
    await approve(again);
    expect(await isHidden()).toMatchObject([{ since: at }]);
    expect(await showSubject(accounts.db, again)).toMatchObject({ hiddenSince: at });
    await approve(await requests.visibility(person, researcher, "opt_in"));
    expect(await isHidden()).toEqual([]);
  });

  test("a visibility request is not approved if its claim was withdrawn", async () => {
    const researcher = newResearcher();
    const claim = await requests.claim(person, researcher);
    await approve(claim);
    const id = await requests.visibility(person, researcher, "opt_out");
    await accounts.db.deleteFrom("profile_claim").where("id", "=", claim).execute();
    await expect(approve(id)).rejects.toThrow("no longer has an approved claim of this researcher");
    expect(await events(id)).toEqual([]);
    expect((await hiddenResearchers(accounts.db)).map(({ id: hidden }) => hidden)).not.toContain(researcher);
    await verdict(id, "rejected", "The claim was withdrawn.");
  });

  test("a decision on a request that does not exist is rejected", async () => {
    for (const id of [`c${"0".repeat(24)}`, `v${"0".repeat(24)}`, `d${"0".repeat(24)}`, "x", `s${"0".repeat(24)}`]) {
      await expect(approve(id)).rejects.toThrow(`no request has the id ${id}`);
      await expect(showSubject(accounts.db, id)).rejects.toThrow(`no request has the id ${id}`);
    }
  });

  test("open requests are listed oldest first and page by page, and can be filtered by kind and state", async () => {
    const fresh = await openAccounts(await newTarget());
    const own = new Requests(fresh);
    const somebody = await own.account("grace@example.org");
    const ids = [
      await own.claim(somebody, newResearcher()),
      await own.submission(somebody, "1"),
      await own.visibility(somebody, newResearcher(), "opt_out", { reason: "Please." }),
      await own.submission(somebody, "2"),
    ];
    const listed = async (query: Partial<Parameters<typeof listSubjects>[1]>) => {
      const { subjects, total } = await listSubjects(fresh.db, { kind: null, state: "pending", limit: 10, ...query });
      return [...subjects.map(({ id }) => ids.indexOf(id)), total];
    };
    expect(await listed({})).toEqual([0, 1, 2, 3, 4]);
    expect(await listed({ limit: 2 })).toEqual([0, 1, 4]);
    expect(await listed({ kind: "submission" })).toEqual([1, 3, 2]);
    await decide(fresh, { id: ids[1] ?? "", verdict: "approved", reason: null, by: "m", now: own.now() });
    expect(await listed({})).toEqual([0, 2, 3, 3]);
    expect(await listed({ state: "approved" })).toEqual([1, 1]);
    expect(await listed({ state: null })).toEqual([0, 1, 2, 3, 4]);
    expect(await listed({ state: "rejected" })).toEqual([0]);
    await fresh.db.deleteFrom("account").execute();
    expect(await listed({ state: null })).toEqual([1, 3, 2]);
    expect(await showSubject(fresh.db, ids[3] ?? "")).toMatchObject({ applicant: null, dataset: { sourceId: "2" } });
    await fresh.close();
  });

  describe("the log of decisions", () => {
    test("no SQL statement can change or shorten the log of decisions", async () => {
      const { db, kind } = accounts;
      await approve(await requests.submission(person, newResearcher()));
      const before = await db.selectFrom("audit_event").selectAll().orderBy("number").execute();
      const number = before[0]?.number ?? 0;
      const ATTACKS = [
        sql`update audit_event set actor = 'nobody'`,
        sql`update audit_event set actor = 'nobody' where number = ${number}`,
        sql`delete from audit_event`,
        sql`delete from audit_event where number = ${number}`,
        ...(kind === "sqlite"
          ? [
              sql`insert or replace into audit_event select * from audit_event where number = ${number}`,
              sql`replace into audit_event (number, at, actor, action, subject_kind, subject_id, detail) values (${number}, '', '', '', '', '', '{}')`,
            ]
          : [
              sql`truncate audit_event`,
              sql`insert into audit_event (number, at, actor, action, subject_kind, subject_id, detail) overriding system value values (${number}, '', '', '', '', '', '{}')`,
            ]),
      ];
      for (const attack of ATTACKS) await expect(attack.execute(db)).rejects.toThrow(/append-only|audit_event_pkey/);
      expect(await db.selectFrom("audit_event").selectAll().orderBy("number").execute()).toEqual(before);
    });

    test("a decision and its entry in the log are stored together or not at all", async () => {
      const id = await requests.submission(person, newResearcher());
      const failing = accounts.db.transaction().execute(async (trx) => {
        await trx.updateTable("dataset_submission").set({ state: "accepted" }).where("id", "=", id).execute();
        const event = {
          at: "now",
          actor: "m",
          action: "accepted",
          subjectKind: "submission" as const,
          subjectId: id,
          detail: {},
        };
        await addEvent(trx, event);
        throw new Error("the power is gone");
      });
      await expect(failing).rejects.toThrow("the power is gone");
      expect(await showSubject(accounts.db, id)).toMatchObject({ state: "queued", events: [] });
    });

    test("the log of decisions is read completely and in the order of its numbers, however long it is", async () => {
      const fresh = await openAccounts(await newTarget());
      await fresh.db.transaction().execute(async (trx) => {
        for (let i = 0; i < 1203; i += 1) {
          const subject = { subjectKind: "claim", subjectId: `c${i}` } as const;
          await addEvent(trx, { ...subject, at: "then", actor: "m", action: "approved", detail: { reason: null } });
        }
      });
      const found: string[] = [];
      for await (const { subjectId } of auditEvents(fresh.db)) found.push(subjectId);
      expect(found).toEqual(Array.from({ length: 1203 }, (_, i) => `c${i}`));
      await fresh.close();
    });

    test("the log of decisions contains ids and reasons, but no names and email addresses", async () => {
      const rows = JSON.stringify(await accounts.db.selectFrom("audit_event").selectAll().execute());
      expect(rows).toContain("Not so.");
      expect(rows).not.toMatch(/lovelace|@|example/i);
    });
  });
});
