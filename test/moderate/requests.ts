/** Inserts claims, visibility requests and submissions, which moderators decide, directly into an account store. */

import { randomBytes } from "node:crypto";
import type { Accounts } from "../../server/accounts/database.ts";
import { accountOfEmail } from "../../server/accounts/sessions.ts";

/** Inserts requests from a given time on. Each request is one millisecond later than the one before. */
export class Requests {
  readonly #accounts: Accounts;
  #made = 0;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  now(): Date {
    this.#made += 1;
    return new Date(Date.parse("2026-11-02T12:00:00.000Z") + this.#made);
  }

  async account(email = `${randomBytes(6).toString("hex")}@example.org`): Promise<string> {
    return (await accountOfEmail(this.#accounts.db, email, this.now())).id;
  }

  async claim(accountId: string, researcherId: string, slug = "ada-lovelace-0123456789"): Promise<string> {
    const id = newId("c");
    await this.#accounts.db
      .insertInto("profile_claim")
      .values({ ...this.#request(id, accountId), researcher_id: researcherId, slug, state: "pending" })
      .execute();
    return id;
  }

  async visibility(
    accountId: string,
    researcherId: string,
    requestType: "opt_out" | "opt_in",
    { slug = "ada-lovelace-0123456789", reason = null }: { slug?: string; reason?: string | null } = {},
  ): Promise<string> {
    const id = newId("v");
    const about = { researcher_id: researcherId, slug, request_type: requestType, reason, state: "pending" };
    await this.#accounts.db
      .insertInto("visibility_request")
      .values({ ...this.#request(id, accountId), ...about })
      .execute();
    return id;
  }

  async submission(accountId: string, sourceId: string): Promise<string> {
    const id = newId("d");
    const about = { identifier: `zenodo/${sourceId}`, source: "zenodo", source_id: sourceId, rubric_version: "2.0" };
    await this.#accounts.db
      .insertInto("dataset_submission")
      .values({ ...this.#request(id, accountId), ...about, state: "queued" })
      .execute();
    return id;
  }

  #request(id: string, accountId: string) {
    return { id, account_id: accountId, created_at: this.now().toISOString() };
  }
}

function newId(letter: string): string {
  return letter + randomBytes(12).toString("hex");
}

/** Returns the id of a researcher that no other test uses. */
export function newResearcher(): string {
  return newId("a");
}
