/**
 * Emails to users about score changes of saved items, sent by two servers of one store through a real SMTP server, over two
 * real releases.
 */

import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { activate } from "../../pipeline/store/releases.ts";
import { accountExport } from "../../schemas/public/account/export.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { type ChangeRow, changeList } from "../../schemas/public/api/changes.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { createServer, type ShareServer } from "../../server/index.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { hide } from "../hidden/hidden-world.ts";
import { ask } from "../server/ask.ts";
import { EFFECTS } from "../server/test-store.ts";
import { type Mailbox, openMailbox } from "../sign-in/mailbox.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { TWO_RELEASES } from "../support/two-releases.ts";
import { describeEachDatabase } from "./each-database.ts";

let filled: FilledStore;
let first: string;
let second: string;

beforeAll(async () => {
  filled = await filledStore(TWO_RELEASES);
  [first = "", second = ""] = filled.digests;
}, 300_000);

afterAll(() => filled?.[Symbol.asyncDispose]());

const switchTo = (digest: string) => activate(filled.store, digest, { reason: "a test" });

/** Makes the database reject updates of one account's row in `change_mail`, until the returned function is called. */
async function rejectMarking(db: AccountServer["accounts"]["db"], { id }: Person): Promise<() => Promise<void>> {
  const isSqlite =
    (await sql<{ one: number }>`select 1 as one from sqlite_master limit 1`.execute(db).catch(() => null)) !== null;
  const condition = sql`old.account_id = ${sql.lit(id)}`;
  const statements = isSqlite
    ? [
        sql`create trigger rejected before update on change_mail when ${condition} begin select raise(abort, 'rejected'); end`,
      ]
    : [
        sql`create function reject() returns trigger language plpgsql as $$ begin raise exception 'rejected'; end $$`,
        sql`create trigger rejected before update on change_mail for each row when (${condition}) execute function reject()`,
      ];
  for (const statement of statements) await statement.execute(db);
  return async () => {
    await (isSqlite ? sql`drop trigger rejected` : sql`drop trigger rejected on change_mail`).execute(db);
  };
}

describeEachDatabase("emails about changes", (newTarget) => {
  let mailbox: Mailbox;
  let server: AccountServer;
  let other: ShareServer;
  let changes: readonly ChangeRow[];
  /** A researcher who is a creator of a changed dataset. */
  let author: { readonly id: string; readonly slug: string; readonly name: string };

  beforeAll(async () => {
    await switchTo(first);
    mailbox = await openMailbox();
    const target = await newTarget();
    const options = { signIn: { smtpUrl: mailbox.url }, mailMilliseconds: 20, pollMilliseconds: 10 };
    server = await serveAccounts(filled.store, target, options);
    other = await createServer(filled.store, { logger: false, accounts: target, ...options }, EFFECTS);
    const reply = await ask(server.port, `/releases/${second.replace(":", "-")}/changes?limit=100`);
    changes = changeList.parse(JSON.parse(reply.text)).data.filter(({ source }) => source === "zenodo");
    const details = await Promise.all(changes.map(({ id }) => ask(server.port, `/records/${id}`)));
    const slug = details
      .flatMap(({ text }) => recordDetail.parse(JSON.parse(text)).authors.flatMap((each) => each.slug ?? []))
      .at(0);
    author = researcherDetail.parse(JSON.parse((await ask(server.port, `/authors/${slug}`)).text));
  });

  afterAll(async () => {
    await other?.close();
    await server?.close();
    await mailbox?.close();
  });

  const listMailedReleases = async ({ id }: Person) =>
    (
      await server.accounts.db
        .selectFrom("change_mail")
        .select("release")
        .where("account_id", "=", id)
        .executeTakeFirst()
    )?.release;
  /** Activates a release, and waits until it is noted as the last release that these accounts got an email about. */
  async function tell(digest: string, people: readonly Person[]): Promise<void> {
    await switchTo(digest);
    for (const person of people)
      await vi.waitFor(async () => expect(await listMailedReleases(person)).toBe(digest), 20_000);
  }
  /**
   * Waits until both servers serve a release. Otherwise a server that still serves the later release would send emails about
   * that.
   */
  const served = (digest: string) =>
    vi.waitFor(async () => {
      expect((await ask(server.port, "/status")).text).toContain(digest);
      expect((await other.app.inject("/status")).body).toContain(digest);
    }, 20_000);
  const mailsTo = ({ email }: Person) => mailbox.received.filter(({ to }) => to.includes(email ?? ""));
  /** Creates a user who has saved these items and asked for emails about their changes. */
  async function follower(items: {
    record?: string;
    repository?: string;
    slug?: string;
    search?: string;
  }): Promise<Person> {
    const person = await server.person();
    if (items.record !== undefined) await person.posted("/account/saved-records", { recordId: items.record });
    if (items.repository !== undefined)
      await person.posted("/account/saved-repositories", { repository: items.repository });
    if (items.search !== undefined) await person.posted("/account/saved-searches", { query: items.search });
    if (items.slug !== undefined) await person.posted("/account/saved-authors", { authorSlug: items.slug });
    await person.ask("POST", "/account/change-mails");
    return person;
  }
  const changed = () => changes[0] as ChangeRow;

  test("an account gets one email for each release, with the changed scores of its saved items and the causes", async () => {
    const [all, onlyRecord, nothing] = [
      await follower({ record: changed().id, repository: "Zenodo", slug: author.slug }),
      await follower({ record: changed().id }),
      await follower({}),
    ];
    const silent = await server.person();
    await silent.posted("/account/saved-records", { recordId: changed().id });
    await tell(second, [all, onlyRecord, nothing]);
    await vi.waitFor(() => expect([mailsTo(all).length, mailsTo(onlyRecord).length]).toEqual([1, 1]), 20_000);
    expect([mailsTo(nothing), mailsTo(silent)]).toEqual([[], []]);

    const [mail] = mailsTo(onlyRecord);
    const { id, totalBefore, totalAfter, title } = changed();
    const text = mail?.email.text ?? "";
    expect(mail?.email.subject).toBe(`SHARE release ${filled.last.scoreReleaseVersion}: changes of what you saved`);
    expect(text.replace(/\s+/g, " ")).toContain(
      `The metadata of the dataset changed: - ${(title ?? "").replace(/\s+/g, " ")}: ${totalBefore} before, ${totalAfter} now`,
    );
    expect(text).toContain(`/datasets/${id}\n`);
    for (const part of [text, mail?.email.html ?? ""]) {
      expect(part).not.toContain("Zenodo");
      for (const hiddenId of changes.slice(1)) expect(part).not.toContain(hiddenId.id);
    }
    const whole = mailsTo(all)[0]?.email.text ?? "";
    expect(whole).toContain(`\n- Zenodo. ${changes.length} datasets changed: `);
    expect(whole).toContain(`\n- ${author.name}. `);
    // The email lists a dataset once even if several saved items contain it, and a cause once even if several datasets have it.
    expect(whole.match(/The metadata of the dataset changed/g)).toHaveLength(1);
    const listed = [...whole.matchAll(/\/datasets\/(r[0-9a-f]{24})\n/g)].map(([, each]) => each);
    expect(listed.toSorted()).toEqual(changes.map((each) => each.id).toSorted());
    const points = listed.map((each) => Math.abs(changes.find((change) => change.id === each)?.points ?? 0));
    expect(points).toEqual(points.toSorted((one, other) => other - one));
    expect(new Set(points).size).toBeGreaterThan(1);
  });

  test("the email about a saved search lists the changed datasets that the search finds", async () => {
    await switchTo(first);
    await served(first);
    const [all, none] = [
      await follower({ search: "repository=Zenodo&source=zenodo" }),
      await follower({ search: "ror=000000000" }),
    ];
    await tell(second, [all, none]);
    await vi.waitFor(() => expect(mailsTo(all)).toHaveLength(1), 20_000);
    const text = mailsTo(all)[0]?.email.text ?? "";
    expect(text).toContain(`\n- Repository: Zenodo · Read through: zenodo. ${changes.length} datasets changed: `);
    for (const each of changes) expect(text).toContain(`/datasets/${each.id}\n`);
    expect(mailsTo(none)).toEqual([]);
  });

  test("the link in an email about changes stops these emails, by one click in a mail program or by a button on its page", async () => {
    await switchTo(first);
    await served(first);
    const [clicks, presses] = [await follower({ record: changed().id }), await follower({ record: changed().id })];
    await tell(second, []);
    const readMailLink = async (person: Person) => {
      await vi.waitFor(() => expect(mailsTo(person)).toHaveLength(1), 20_000);
      const headers = mailsTo(person)[0]?.email.headers ?? [];
      const value = (key: string) => headers.find((header) => header.key === key)?.value;
      expect(value("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
      return new URL(/^<(.*)>$/.exec(value("list-unsubscribe") ?? "")?.[1] ?? "").pathname;
    };
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" };
    const click = await ask(server.port, await readMailLink(clicks), {
      method: "POST",
      headers,
      body: "List-Unsubscribe=One-Click",
    });
    expect(click.status).toBe(200);
    expect(await listMailedReleases(clicks)).toBeUndefined();

    const path = await readMailLink(presses);
    const page = await ask(server.port, path);
    expect(page.text).toContain(`<form class="inline" method="post" action="${path}">`);
    expect(await listMailedReleases(presses)).toBe(second);
    expect((await ask(server.port, path, { method: "POST", headers, body: "" })).status).toBe(200);
    expect(await listMailedReleases(presses)).toBeUndefined();
    const unknown = await ask(server.port, `/unsubscribe/n${"0".repeat(48)}`, { method: "POST", headers, body: "" });
    expect(unknown.text).toContain("<h1>Emails stopped</h1>");
    expect((await ask(server.port, "/unsubscribe/nothing")).status).toBe(404);
  });

  test("no email is sent about a rollback to an earlier release, or about a hidden researcher", async () => {
    await switchTo(second);
    await served(second);
    const before = await follower({ repository: "Zenodo" });
    expect(await listMailedReleases(before)).toBe(second);
    await switchTo(first);
    await served(first);
    const [fan, back] = [await follower({ slug: author.slug }), await follower({ repository: "Zenodo" })];
    await hide(server.accounts.db, [author]);
    try {
      await tell(second, [fan, back]);
      await vi.waitFor(() => expect(mailsTo(back)).toHaveLength(1), 20_000);
      expect([mailsTo(fan), mailsTo(before)]).toEqual([[], []]);
      expect(await listMailedReleases(before)).toBe(second);
    } finally {
      await hide(server.accounts.db, []);
    }
  });

  test("if the email to one account fails, the others are sent, and the failed one is sent later", async () => {
    await switchTo(first);
    await served(first);
    const people = [1, 2, 3].map(() => follower({ record: changed().id }));
    const sorted = (await Promise.all(people)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [failing, ...others] = sorted as [Person, Person, Person];
    const allow = await rejectMarking(server.accounts.db, failing);
    await tell(second, others);
    for (const person of others) await vi.waitFor(() => expect(mailsTo(person)).toHaveLength(1), 20_000);
    expect([await listMailedReleases(failing), mailsTo(failing)]).toEqual([first, []]);
    await allow();
    await tell(second, [failing]);
    await vi.waitFor(() => expect(mailsTo(failing)).toHaveLength(1), 20_000);
  });

  test("saved repositories and the setting for change emails are shown in the account and its export, and deleted with it", async () => {
    const person = await follower({ repository: "Zenodo" });
    await person.posted("/account/saved-repositories", { repository: "Zenodo" });
    const { savedRepositories, changeMails } = accountPage.parse(await person.got("/account/me"));
    expect(savedRepositories.data.map(({ repository }) => repository)).toEqual(["Zenodo"]);
    const exported = accountExport.parse(await person.got("/account/export"));
    expect(exported.savedRepositories).toEqual(savedRepositories.data);
    expect(exported.changeMails).toEqual([changeMails]);
    await person.posted("/account/saved-repositories", { repository: "Nowhere" }, 404);
    await person.deleted("/account/saved-repositories/Zenodo");
    await person.deleted("/account/saved-repositories/Zenodo", 404);
    await person.deleted("/account/change-mails");
    expect(accountPage.parse(await person.got("/account/me")).changeMails).toBeNull();
    await person.ask("POST", "/account/change-mails");
    await person.deleted("/account/me");
    expect(await listMailedReleases(person)).toBeUndefined();
  });
});
