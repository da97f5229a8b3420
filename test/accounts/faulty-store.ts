/** Requests to a server whose account store is full or unavailable, and the expected responses. */

import { expect } from "vitest";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { ask } from "../server/ask.ts";
import { makeRecordId, SPECIAL, UNLIMITED } from "../server/test-store.ts";
import type { Write } from "./every-write.ts";

export const DONE = "done";
/** The response that `sent` reports for every write while the account store is unavailable. */
export const REJECTED = "503 /problems/accounts-unavailable, again in 5 seconds";

/**
 * Sends every write, and returns the outcome of each by its name: `DONE`, or the status, problem type and Retry-After of the
 * response.
 */
export async function sent(writes: readonly Write[]): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const { name, status, send } of writes) {
    const reply = await send();
    const { type } = JSON.parse(reply.text);
    const rejected = `${reply.status} ${type}, again in ${reply.headers["retry-after"]} seconds`;
    seen[name] = reply.status === status ? DONE : rejected;
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

/** Expects that pages and lists, which need no account, still return 200. */
export async function expectReading(port: number, slug: string): Promise<void> {
  const paths = [
    "/",
    "/status",
    "/records",
    `/records/${makeRecordId(SPECIAL.winner)}`,
    "/records?search=data&limit=3",
  ];
  for (const path of [...paths, "/authors", `/authors/${slug}`, `/widgets/researchers/${slug}/badge.svg`]) {
    expect([path, (await ask(port, path)).status]).toEqual([path, 200]);
  }
  // While keys cannot be looked up, a client with a key is treated as anonymous, but still gets a response.
  const headers = { "x-api-key": `share_live_${"a".repeat(32)}` };
  expect([200, 401]).toContain((await ask(port, "/records", { headers })).status);
}

/** Returns the statuses of four requests for a user's own data, which need the account store. */
export async function ownThings(person: Person): Promise<number[]> {
  const paths = ["/account/me", "/account/saved-records", "/account/sessions", "/account/export"];
  const statuses = [];
  for (const path of paths) statuses.push((await person.ask("GET", path)).status);
  return statuses;
}

/** Number of simultaneous requests. */
const LANES = 6;

/**
 * Submits 60 datasets, and runs `happens` (for example, stopping the database) after the first ten. Returns the status of each
 * response by identifier.
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

/**
 * Submits the datasets of `submittedDuring` again, and expects that no accepted one was lost: it must be a duplicate (409) now.
 * A rejected one is accepted now, or a duplicate if it was stored although its response was 503.
 */
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

export async function findSlug(server: AccountServer): Promise<string> {
  return (await server.researchers())[0]?.slug ?? "";
}
