/**
 * How a server learns of hidden researchers from the account store, during decisions and while the store is unavailable, on
 * every database.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogEvent } from "../../pipeline/stage/effects.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { type Accounts, AccountsUnavailable, openAccounts } from "../../server/accounts/database.ts";
import { Standings } from "../../server/accounts/standings.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { claim, hide } from "./hidden-world.ts";

const person = (n: number) => {
  const id = `a${n.toString(16).padStart(24, "0")}`;
  return { id, slug: `somebody-${id.slice(1, 11)}` };
};

describeEachDatabase("the server's list of hidden researchers", (newTarget) => {
  let target: AccountTarget;
  let server: Accounts;
  /** A second connection to the same account store, as a command for moderators has. */
  let moderator: Accounts;
  let standings: Standings | null = null;
  let events: LogEvent[] = [];
  let looks = 0;

  const effects = {
    sleep: async (_milliseconds: number, signal?: AbortSignal) => {
      looks += 1;
      await sleep(1, undefined, signal === undefined ? {} : { signal });
    },
    log: (event: LogEvent) => void events.push(event),
  };

  async function follow(): Promise<Standings> {
    standings = await Standings.follow(server, { pollMilliseconds: 1 }, effects);
    return standings;
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await sleep(1);
  }

  beforeEach(async () => {
    target = await newTarget();
    server = await openAccounts(target);
    moderator = await openAccounts(target);
    [events, looks] = [[], 0];
  });

  afterEach(async () => {
    await standings?.close();
    standings = null;
    await moderator.close();
    await server.close();
  });

  test("the list of hidden researchers contains earlier decisions before the first request", async () => {
    await hide(moderator.db, [person(1), person(2)]);
    const { current } = await follow();
    expect([...current.hidden].sort()).toEqual([person(1).id, person(2).id]);
    expect([...current.verified]).toEqual([]);
  });

  test("the list contains a decision of another process after the next poll, and earlier snapshots do not change", async () => {
    const followed = await follow();
    const before = followed.current;
    await hide(moderator.db, [person(3)]);
    await until(() => followed.current.hidden.has(person(3).id));
    expect(before.hidden.size).toBe(0);
    await claim(moderator.db, [person(4)], [person(5)]);
    await until(() => followed.current.verified.size > 0);
    expect([...followed.current.verified]).toEqual([person(4).id]);
    expect(followed.current.hidden.has(person(3).id)).toBe(true);
  });

  test("the list stays the same snapshot until there is a new decision", async () => {
    await hide(moderator.db, [person(1)]);
    const followed = await follow();
    const { current } = followed;
    await until(() => looks > 100);
    expect(followed.current).toBe(current);
    expect(events).toEqual([]);
  });

  test("the list of hidden people changes if one is shown again and another is hidden at the same time", async () => {
    await hide(moderator.db, [person(1)]);
    const followed = await follow();
    await hide(moderator.db, [person(2)]);
    await until(() => followed.current.hidden.has(person(2).id));
    expect([...followed.current.hidden]).toEqual([person(2).id]);
  });

  test("the list stays as it was while the account store is unavailable, and the log has the failure and the recovery once", async () => {
    await hide(moderator.db, [person(1)]);
    const followed = await follow();
    await sql`alter table hidden_researcher rename to elsewhere`.execute(moderator.db);
    await until(() => followed.isStale);
    const looked = looks;
    await until(() => looks > looked + 20);
    expect([...followed.current.hidden]).toEqual([person(1).id]);
    await sql`alter table elsewhere rename to hidden_researcher`.execute(moderator.db);
    await hide(moderator.db, [person(1), person(2)]);
    await until(() => !followed.isStale);
    await until(() => followed.current.hidden.size === 2);
    const said = events.map(({ level, event }) => `${level} ${event}`);
    expect(said.filter((text) => text.includes("not-read"))).toEqual(["error hidden-researchers-not-read"]);
    expect(said.filter((text) => text.includes("again"))).toEqual(["info hidden-researchers-read-again"]);
  });

  test("researchers cannot be shown until the list has been read for the first time", async () => {
    await hide(moderator.db, [person(1)]);
    await sql`alter table hidden_researcher rename to elsewhere`.execute(moderator.db);
    const followed = await follow();
    expect(followed.isStale).toBe(true);
    expect(() => followed.current.hidden).toThrow(AccountsUnavailable);
    expect(() => followed.current.verified).toThrow(AccountsUnavailable);
    await sql`alter table elsewhere rename to hidden_researcher`.execute(moderator.db);
    await until(() => !followed.isStale);
    expect([...followed.current.hidden]).toEqual([person(1).id]);
  });
});
