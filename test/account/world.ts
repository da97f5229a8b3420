/** Servers and signed-in users for the tests of accounts, with an account store on any database. */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ResearcherRow, researcherList } from "../../schemas/public/api/researcher.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { accountOfEmail, accountOfOrcid, Sessions } from "../../server/accounts/sessions.ts";
import { createServer, type ServerOptions } from "../../server/index.ts";
import { ask, type Reply } from "../server/ask.ts";
import { EFFECTS, forgetAccounts, NOW, UNLIMITED } from "../server/test-store.ts";

/** Returns a clock that moves one millisecond forward at each call, so that a row written later has a later time. */
export function risingClock(): () => Date {
  let looks = 0;
  return () => {
    looks += 1;
    return new Date(NOW.getTime() + looks);
  };
}

export interface Person {
  readonly id: string;
  readonly orcid: string | null;
  readonly email: string | null;
  /** Sends a request with the session cookie and the origin of the site, as a page of the site does. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Sends a GET request like `ask`, and returns the parsed body. Throws if the status is not `status` (by default 200). */
  got(path: string, status?: number): Promise<unknown>;
  posted(path: string, body: unknown, status?: number): Promise<unknown>;
  deleted(path: string, status?: number): Promise<unknown>;
}

export interface AccountServer {
  readonly port: number;
  readonly accounts: Accounts;
  readonly now: () => Date;
  /** Creates a signed-in user with this ORCID iD, or with a random email address if none is given. */
  person(orcid?: string): Promise<Person>;
  researchers(): Promise<readonly ResearcherRow[]>;
  close(): Promise<void>;
}

export async function serveAccounts(
  store: Store,
  target: AccountTarget,
  options: Partial<ServerOptions> = {},
): Promise<AccountServer> {
  if ("sqlite" in target) forgetAccounts(store);
  const now = risingClock();
  const quotas = { ...UNLIMITED, evaluation: UNLIMITED.anonymous };
  const settings = { logger: false, pollMilliseconds: 10, quotas, accounts: target, ...options } as const;
  const server = await createServer(store, settings, { ...EFFECTS, now });
  const port = Number(new URL(await server.app.listen({ port: 0, host: "127.0.0.1" })).port);
  // A second connection to the account store, as another process would have it.
  const accounts = await openAccounts(target);
  const sessions = new Sessions(accounts, now);
  return {
    port,
    accounts,
    now,
    async person(orcid) {
      const email = orcid === undefined ? `${randomBytes(6).toString("hex")}@example.org` : null;
      const user =
        email === null
          ? await accountOfOrcid(accounts.db, { orcid: orcid ?? "", name: "Somebody" }, now())
          : await accountOfEmail(accounts.db, email, now());
      const { token } = await sessions.open(user.id, { method: email === null ? "orcid" : "mail", agent: "test" });
      return makePerson(port, user, token);
    },
    async researchers() {
      const reply = await ask(port, "/authors?limit=100&sortBy=sIndex&sortOrder=desc");
      return researcherList.parse(JSON.parse(reply.text)).data;
    },
    async close() {
      await accounts.close();
      await server.close();
    },
  };
}

function makePerson(port: number, user: Pick<Person, "id" | "orcid" | "email">, token: string): Person {
  const asked: Person["ask"] = (method, path, body, headers = {}) =>
    ask(port, path, {
      method,
      headers: {
        cookie: `share_session=${token}`,
        origin: `http://localhost:${port}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const expected = async (reply: Reply, status: number): Promise<unknown> => {
    if (reply.status !== status) throw new Error(`expected status ${status}, and got ${reply.status}: ${reply.text}`);
    return JSON.parse(reply.text);
  };
  return {
    ...user,
    ask: asked,
    got: async (path, status = 200) => expected(await asked("GET", path), status),
    posted: async (path, body, status = 201) => expected(await asked("POST", path, body), status),
    deleted: async (path, status = 200) => expected(await asked("DELETE", path), status),
  };
}

const problemShape = z.object({ type: z.string(), status: z.number(), detail: z.string() });

/** Returns the status, type and detail of a problem response. The type is short, for example `account-full`. */
export function problemIn(reply: Reply): { readonly status: number; readonly type: string; readonly detail: string } {
  const { type, status, detail } = problemShape.parse(JSON.parse(reply.text));
  return { status, type: type.replace("/problems/", ""), detail };
}
