/**
 * Sign-ins under way: somebody has gone to the identity provider and is expected back in the same browser, once, within
 * ten minutes. The browser holds one secret in a cookie; what the protocol needs is derived from it and kept nowhere, and
 * the store has its hash alone: who reads the store can finish nobody's sign-in.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import type { AccountTables } from "../database/tables.ts";
import { digestOfToken, PENDING_SECONDS } from "./sessions.ts";

type Db = Kysely<AccountTables>;

/**
 * The texts that tell one sign-in from another: at the browser's return, in the identity token, and at the exchange of
 * the code.
 */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636, 4.1: 43 characters. */
  readonly codeVerifier: string;
}

export function checksOf(secret: string): Checks {
  const derived = (purpose: string) => createHmac("sha256", secret).update(purpose).digest("base64url");
  return { state: derived("state"), nonce: derived("nonce"), codeVerifier: derived("code verifier") };
}

/** Whether what came back is the state of this browser's sign-in. */
export function isStateOf(secret: string, state: string | undefined): boolean {
  const [expected, given] = [Buffer.from(checksOf(secret).state), Buffer.from(state ?? "")];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** `addTo`: the account that the iD is to be added to; null to sign in with whatever account it has. */
export interface Pending {
  readonly returnTo: string;
  readonly addTo: string | null;
}

export async function keepPending(db: Db, secret: string, { returnTo, addTo }: Pending, now: Date): Promise<void> {
  const expires = new Date(now.getTime() + PENDING_SECONDS * 1000);
  await db
    .insertInto("pending_sign_in")
    .values({
      digest: digestOf(secret, addTo),
      return_to: returnTo,
      created_at: now.toISOString(),
      expires_at: expires.toISOString(),
    })
    .execute();
}

/**
 * Takes what was kept, so that nobody takes it again. What was begun to add an iD to an account is only found with that
 * account signed in, which `signedIn` names; null where there is nothing to take.
 */
export async function takePending(db: Db, secret: string, signedIn: string | null, now: Date): Promise<Pending | null> {
  for (const addTo of signedIn === null ? [null] : [signedIn, null]) {
    const row = await db
      .deleteFrom("pending_sign_in")
      .where("digest", "=", digestOf(secret, addTo))
      .returning(["return_to", "expires_at"])
      .executeTakeFirst();
    if (row !== undefined) return row.expires_at > now.toISOString() ? { returnTo: row.return_to, addTo } : null;
  }
  return null;
}

function digestOf(secret: string, addTo: string | null): string {
  return digestOfToken(`${secret} ${addTo ?? ""}`);
}
