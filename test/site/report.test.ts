/** Problem reports: the form on each page, hostile input and limits, the mail to the operator, and how long a report is kept. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { auditEvents } from "../../server/accounts/audit.ts";
import { decide, listSubjects } from "../../server/accounts/moderation.ts";
import { removeOldReports } from "../../server/accounts/problem-reports.ts";
import { type AccountServer, serveAccounts } from "../account/world.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { hide } from "../hidden/hidden-world.ts";
import { ask, type Reply } from "../server/ask.ts";
import { makeRecordId, NOW, type ReleasedStore, releasedStore, SPECIAL, UNLIMITED } from "../server/test-store.ts";
import { type Mailbox, openMailbox } from "../sign-in/mailbox.ts";

const OPERATOR = "operator@example.org";
const FORM = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
const TEXT = "The licence <b>is</b> wrong & old.";

let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
}, 300_000);

afterAll(() => raw?.[Symbol.asyncDispose]());

const heading = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];

describeEachDatabase("problem reports", (newTarget) => {
  let target: AccountTarget;
  let server: AccountServer;
  let mailbox: Mailbox;

  const opened = (path: string) => ask(server.port, path, { headers: { accept: "text/html" } });
  const sent = (
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { origin: `http://localhost:${server.port}` },
  ) =>
    ask(server.port, "/report", {
      method: "POST",
      headers: { ...FORM, ...headers },
      body: new URLSearchParams({ page: "/datasets", text: TEXT, ...fields }).toString(),
    });
  const reports = () => listSubjects(server.accounts.db, { kind: "report", state: "pending", limit: 100 });

  beforeAll(async () => {
    mailbox = await openMailbox();
    target = await newTarget();
    const report = { requests: 100, seconds: 3600 };
    server = await serveAccounts(raw.store, target, {
      contact: OPERATOR,
      signIn: { smtpUrl: mailbox.url },
      quotas: { ...UNLIMITED, report, reports: report },
    });
  });

  afterAll(async () => {
    await server?.close();
    await mailbox?.close();
  });

  test("each kind of page links to the form for reports, which then contains the path of the page", async () => {
    const [researcher] = await server.researchers();
    for (const path of [
      ...["/", "/datasets", "/signals/S1", "/check", "/sign-in", "/nothing-here"],
      ...[`/datasets/${makeRecordId(SPECIAL.winner)}`, `/researchers/${researcher?.slug}`, "/repositories/Zenodo"],
    ]) {
      const form = `/report?${new URLSearchParams({ page: path })}`;
      expect((await opened(path)).text, path).toContain(`href="${form}"`);
      expect((await opened(form)).text, path).toContain(` name="page" type="text" value="${path}"`);
    }
  });

  test("a problem report is emailed to the operator and shown to moderators, and deleted when a moderator closes it", async () => {
    const reply = await sent({ page: "/datasets/<i>", email: "Reader@Example.org" });
    expect([reply.status, heading(reply)]).toEqual([200, "Report sent"]);
    await vi.waitFor(() => expect(mailbox.received).toHaveLength(1), 20_000);
    const [mail] = mailbox.received;
    expect(mail?.to).toEqual([OPERATOR]);
    expect(mail?.email.replyTo?.[0]?.address).toBe("reader@example.org");
    for (const part of ["/datasets/<i>", TEXT]) expect(mail?.email.text).toContain(part);
    expect(mail?.email.html).toContain("The licence &lt;b&gt;is&lt;/b&gt; wrong &amp; old.");
    const { subjects } = await reports();
    const [subject] = subjects;
    expect(subject).toMatchObject({ page: "/datasets/<i>", reason: TEXT, replyTo: "reader@example.org" });
    const id = subject?.id ?? "";
    expect(mail?.email.text).toContain(`share-release account decide ${id} close`);
    await decide(server.accounts, { id, verdict: "approved", reason: null, by: "ada", now: NOW });
    expect((await reports()).total).toBe(0);
    expect(await server.accounts.db.selectFrom("problem_report").selectAll().execute()).toEqual([]);
    const events = await Array.fromAsync(auditEvents(server.accounts.db));
    expect(events.at(-1)).toMatchObject({
      action: "closed",
      subjectKind: "report",
      subjectId: id,
      detail: { reason: null },
    });
    expect(JSON.stringify(events)).not.toContain("datasets");
  });

  test("a problem report with invalid input is not stored, and the form is shown again with the input", async () => {
    for (const [fields, message] of [
      [{ text: " " }, "The description of the problem must not be empty."],
      [{ text: "x".repeat(2001) }, "The description of the problem must have at most 2000 characters."],
      [{ text: "a\u0000b" }, "The description of the problem must not contain control characters."],
      [{ text: "a\u202eb" }, "The description of the problem must not contain control characters."],
      [{ page: "" }, "The page must not be empty."],
      [{ page: "/a\r\nBcc: x@example.org" }, "The page must not contain control characters."],
      [{ email: "a@example.org\r\nBcc: x@example.org" }, "The email address must"],
      [{ email: "a@b" }, "The email address must be an email address"],
      [{ email: `${"a".repeat(300)}@example.org` }, "The email address must have at most 254 characters."],
    ] as const) {
      const reply = await sent({ ...fields });
      expect([reply.status, heading(reply)], message).toEqual([400, "Report a problem"]);
      expect(reply.text).toContain(message);
      if (!("text" in fields))
        expect(reply.text).toContain("The licence &lt;b&gt;is&lt;/b&gt; wrong &amp; old.</textarea>");
    }
    expect((await reports()).total).toBe(0);
  });

  test("a problem report from another site is rejected, and one with the hidden field filled in is silently dropped as spam", async () => {
    expect((await sent({}, { origin: "https://other.example" })).status).toBe(403);
    expect(heading(await sent({ website: "https://spam.example" }))).toBe("Report sent");
    expect((await reports()).total).toBe(0);
  });

  test("a problem report about the page of a hidden researcher never contains the researcher's name", async () => {
    const [researcher] = await server.researchers();
    if (researcher === undefined) throw new Error("the release has no researcher");
    await hide(server.accounts.db, [researcher]);
    const path = `/researchers/${researcher.slug}`;
    await vi.waitFor(async () => expect((await opened(path)).status).toBe(404), 20_000);
    const form = await opened(`/report?${new URLSearchParams({ page: path })}`);
    expect(form.text).not.toContain(researcher.name);
    await sent({ page: path });
    expect(JSON.stringify(await reports())).not.toContain(researcher.name);
    await hide(server.accounts.db, []);
  });

  test("a problem report is deleted after a year even if it is still open", async () => {
    const { total } = await reports();
    expect(total).toBeGreaterThan(0);
    const later = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1000);
    await removeOldReports(server.accounts.db, later(364));
    expect((await reports()).total).toBe(total);
    await removeOldReports(server.accounts.db, later(366));
    expect((await reports()).total).toBe(0);
  });

  test.each(["report", "reports"] as const)(
    "the quota `%s` limits the number of problem reports, and a rejected form keeps its text",
    async (name) => {
      const few = { requests: 2, seconds: 3600 };
      const plenty = { requests: 100, seconds: 3600 };
      const limited = await serveAccounts(raw.store, await newTarget(), {
        quotas: { ...UNLIMITED, report: plenty, reports: plenty, [name]: few },
      });
      try {
        const send = () =>
          ask(limited.port, "/report", {
            method: "POST",
            headers: { ...FORM, origin: `http://localhost:${limited.port}` },
            body: new URLSearchParams({ page: "/", text: TEXT }).toString(),
          });
        expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
        const third = await send();
        expect([third.status, Number(third.headers["retry-after"]) > 3000]).toEqual([429, true]);
        expect(third.text).toContain("wrong &amp; old.</textarea>");
      } finally {
        await limited.close();
      }
    },
  );
});
