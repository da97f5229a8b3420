/** What must never be written down: tokens, secrets, codes and addresses are looked for in the whole database and the whole log. */

import { existsSync, readFileSync } from "node:fs";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { type Accounts, openAccounts } from "../../server/accounts/index.ts";
import { checksOf } from "../../server/sign-in/pending.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { SignInWorld } from "./world.ts";

/** Every row of every table, as text. */
async function dump({ db }: Accounts): Promise<string> {
  const tables = await db.introspection.getTables();
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["account", "session", "magic_link"]));
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(rows.map((result) => result.rows));
}

describeEachDatabase("what is secret", (newTarget) => {
  test("is in the database only as a hash, and in no line of the log", async () => {
    const target = await newTarget();
    await using world = await SignInWorld.make({ accounts: target });
    const secrets = new Map<string, string>();
    const keep = (name: string, value: string | null | undefined) => secrets.set(name, value ?? "");

    keep("link that waits", await world.linkFor("waiting@example.org", "/account?private=1"));
    const used = await world.linkFor("person@example.org");
    keep("link that was used", used);
    const browser = world.browser();
    await browser.post("/auth/magic/consume", { token: used });
    keep("session by mail", browser.cookies.get("share_session"));

    const callback = await world.callbackFor({ orcid: "0000-0002-1825-0097", name: "Josiah Carberry" }, browser);
    const query = new URLSearchParams(callback.split("?")[1]);
    const secret = browser.cookies.get("share_sign_in") ?? "";
    keep("sign-in cookie", secret);
    for (const [name, value] of Object.entries(checksOf(secret))) keep(name, value);
    keep("code", query.get("code"));
    await world.browser().get(callback);
    await browser.get(callback);
    keep("session by ORCID", browser.cookies.get("share_session"));
    await browser.get("/auth/orcid/start");
    keep("sign-in under way", browser.cookies.get("share_sign_in"));

    keep("planted", "planted-".padEnd(43, "x"));
    await world.browser().get("/account/sessions", { cookie: `share_session=${secrets.get("planted")}` });
    await world.browser().post("/auth/magic/consume", { token: secrets.get("planted") });
    keep("client secret", world.provider.clientSecret);

    expect([...secrets].filter(([, value]) => value.length < 20).map(([name]) => name)).toEqual([]);
    const accounts = await openAccounts(target);
    const written = await dump(accounts);
    await accounts.close();
    // The dump is whole: what may be there is.
    expect(written).toContain("person@example.org");
    expect(written).toContain("waiting@example.org");
    const found = (text: string) => [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => name);
    expect(found(written)).toEqual([]);
    expect(found(world.logged())).toEqual([]);
    expect(world.logged()).toContain("/auth/orcid/callback");
    expect(world.logged()).not.toMatch(/example\.org|Carberry|1825-0097|private=1|127\.0\.0\.1:\d+\/auth/);
    if (!("sqlite" in target)) return;
    // The file and its log of writes, whatever tables may have been forgotten.
    for (const path of [target.sqlite, `${target.sqlite}-wal`].filter((each) => existsSync(each))) {
      expect(found(readFileSync(path, "latin1"))).toEqual([]);
    }
  });
});
