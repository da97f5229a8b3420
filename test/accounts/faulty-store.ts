/** What is asked of a server whose account store is full or away, and what it must answer. */

import { expect } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { ask } from "../server/ask.ts";
import { idOf, SPECIAL, UNLIMITED } from "../server/test-store.ts";
import type { Write } from "./every-write.ts";

export const DONE = "done";
/** As every write must be answered while the store is away. */
export const REFUSED = "503 /problems/accounts-unavailable, again in 5 seconds";

/** What each is answered with, in its own words where that is not what it should be. */
export async function sent(writes: readonly Write[]): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const { name, status, send } of writes) {
    const reply = await send();
    const { type } = JSON.parse(reply.text);
    const refused = `${reply.status} ${type}, again in ${reply.headers["retry-after"]} seconds`;
    seen[name] = reply.status === status ? DONE : refused;
  }
  return seen;
}

export function all(writes: readonly Write[], outcome: string): Record<string, string> {
  return Object.fromEntries(writes.map(({ name }) => [name, outcome]));
}

export function served(store: Store, target: AccountTarget): Promise<AccountServer> {
  const quotas = { ...UNLIMITED, registration: UNLIMITED.anonymous, link: UNLIMITED.anonymous };
  return serveAccounts(store, target, { quotas: { ...quotas, evaluation: UNLIMITED.anonymous } });
}

/** What needs no account. */
export async function expectReading(port: number, slug: string): Promise<void> {
  const paths = ["/", "/status", "/records", `/records/${idOf(SPECIAL.winner)}`, "/records?search=data&limit=3"];
  for (const path of [...paths, "/authors", `/authors/${slug}`, `/widgets/researchers/${slug}/badge.svg`]) {
    expect([path, (await ask(port, path)).status]).toEqual([path, 200]);
  }
  // Whoever has a key is nobody in particular while keys cannot be looked up, and no worse off than that.
  const headers = { "x-api-key": `share_live_${"a".repeat(32)}` };
  expect([200, 401]).toContain((await ask(port, "/records", { headers })).status);
}

/** What a reader asks for that has to be read from the store. */
export async function ownThings(person: Person): Promise<number[]> {
  const paths = ["/account/me", "/account/saved-records", "/account/sessions", "/account/export"];
  const statuses = [];
  for (const path of paths) statuses.push((await person.ask("GET", path)).status);
  return statuses;
}

/** So many at once, until they are all answered. */
const LANES = 6;

/**
 * Submits one dataset after the other while something happens to the store, which begins after the first ten, and says
 * which were answered with what.
 */
export async function submittedDuring(
  person: Person,
  happens: () => void | Promise<void>,
): Promise<Map<string, number>> {
  const waiting = Array.from({ length: 60 }, (_, i) => `zenodo/${67_000_000 + i}`);
  const statuses = new Map<string, number>();
  let happening: Promise<void> | null = null;
  const lane = async () => {
    for (let identifier = waiting.shift(); identifier !== undefined; identifier = waiting.shift()) {
      const { status } = await person.ask("POST", "/account/dataset-submissions", { identifier });
      statuses.set(identifier, status);
      if (statuses.size >= 10) happening ??= Promise.resolve(happens());
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await happening;
  return statuses;
}

/** Each was done or refused; what was done is there, and what was refused can be done now, or was done unheard. */
export async function expectKept(person: Person, statuses: ReadonlyMap<string, number>): Promise<void> {
  expect(new Set(statuses.values())).toEqual(new Set([201, 503]));
  const again = new Map<number, number[]>([
    [201, [409]],
    [503, [201, 409]],
  ]);
  for (const [identifier, status] of statuses) {
    const { status: now } = await person.ask("POST", "/account/dataset-submissions", { identifier });
    expect([identifier, status, again.get(status)?.includes(now)]).toEqual([identifier, status, true]);
  }
}

export async function slugOf(server: AccountServer): Promise<string> {
  return (await server.researchers())[0]?.slug ?? "";
}
