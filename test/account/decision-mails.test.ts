/** Emails to users about decisions of moderators, sent by two servers of one store through a real SMTP server. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { decide } from "../../server/accounts/moderation.ts";
import { createServer, type ShareServer } from "../../server/index.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { EFFECTS, NOW, type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { type Mailbox, openMailbox } from "../sign-in/mailbox.ts";
import { type AccountServer, type Person, serveAccounts } from "./world.ts";

let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
}, 300_000);

afterAll(() => raw?.[Symbol.asyncDispose]());

const made = z.looseObject({ id: z.string() });
describeEachDatabase("emails about decisions", (newTarget) => {
  let mailbox: Mailbox;
  let server: AccountServer;
  let other: ShareServer;

  beforeAll(async () => {
    mailbox = await openMailbox();
    const target = await newTarget();
    const options = { signIn: { smtpUrl: mailbox.url }, mailMilliseconds: 20 };
    server = await serveAccounts(raw.store, target, options);
    other = await createServer(raw.store, { logger: false, accounts: target, ...options }, EFFECTS);
  });

  afterAll(async () => {
    await other?.close();
    await server?.close();
    await mailbox?.close();
  });

  const decided = (id: string, verdict: "approved" | "rejected", reason: string | null) =>
    decide(server.accounts, { id, verdict, reason, by: "ada", now: NOW });
  const mailsTo = ({ email }: Person) => mailbox.received.filter(({ to }) => to.includes(email ?? ""));

  test("a user gets one email for each decision, with its reason and without the slug of the researcher", async () => {
    const person = await server.person();
    const [, , researcher, other] = await server.researchers();
    const ids = [
      made.parse(await person.posted("/account/profile-claims", { authorSlug: researcher?.slug })).id,
      made.parse(await person.posted("/account/profile-claims", { authorSlug: other?.slug })).id,
      made.parse(await person.posted("/account/dataset-submissions", { identifier: "zenodo/66000001" })).id,
    ] as const;
    await decided(ids[0], "approved", null);
    await decided(ids[1], "rejected", "Two <i>people</i> have this name.");
    await decided(ids[2], "approved", null);
    await vi.waitFor(() => expect(mailsTo(person)).toHaveLength(3), 20_000);
    expect(mailsTo(person).map(({ email }) => email.subject)).toEqual([
      "Your claim of a researcher page was approved",
      "Your claim of a researcher page was not approved",
      "The dataset that you submitted was approved",
    ]);
    const [, rejected] = mailsTo(person);
    expect(rejected?.email.text).toContain("The moderator's reason: Two <i>people</i> have this name.");
    expect(rejected?.email.html).toContain("Two &lt;i&gt;people&lt;/i&gt; have this name.");
    expect(rejected?.email.text).toMatch(/\/me#claims/);
    for (const { raw: message } of mailsTo(person)) {
      expect(message).not.toContain(researcher?.slug);
      expect(message).not.toContain(other?.slug);
    }
  });

  test("no email is sent about a claim that ORCID proved, or to an account that was erased before the decision", async () => {
    const owner = (await server.researchers()).find(({ orcid }) => orcid !== null);
    const proved = await server.person(owner?.orcid ?? "");
    expect(await proved.posted("/account/profile-claims", { authorSlug: owner?.slug })).toMatchObject({
      state: "approved",
    });
    const [gone, last] = [await server.person(), await server.person()];
    const submitted = async (person: Person, identifier: string) =>
      made.parse(await person.posted("/account/dataset-submissions", { identifier })).id;
    const id = await submitted(gone, "zenodo/66000002");
    await gone.deleted("/account/me");
    await decided(id, "approved", null);
    const before = mailbox.received.length;
    await decided(await submitted(last, "zenodo/66000003"), "approved", null);
    // Servers read decisions in order, so the earlier decision has been read once this email arrives.
    await vi.waitFor(() => expect(mailsTo(last)).toHaveLength(1), 20_000);
    expect(mailbox.received).toHaveLength(before + 1);
  });
});
