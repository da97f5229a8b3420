/** Builds the releases for the contract tests, and starts a server for each release. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { decide } from "../../server/accounts/moderation.ts";
import { accountOfEmail, accountOfOrcid, Sessions } from "../../server/accounts/sessions.ts";
import { startUpstream } from "../evaluations/upstream.ts";
import { NOW, serve } from "../server/test-store.ts";
import { type IdentityProvider, openIdentityProvider } from "../sign-in/identity-provider.ts";
import { findToken, openMailbox } from "../sign-in/mailbox.ts";
import { startPostgres } from "../support/postgres.ts";
import { type StoreContent, sharedStore, temporaryStore } from "../support/temporary-store.ts";
import { type Ask, Client } from "./client.ts";
import type { Verdict, Visitor } from "./conformance/statement.ts";
import { contractContent } from "./corpus.ts";

/** Number of generated records of each source in the full release. */
const GENERATED = 40;

export type ReleaseName =
  | "none"
  | "full"
  | "full, with PostgreSQL"
  | "2.0 only"
  | "1.0 only"
  | "without attribution and history";

/** Sources of the releases that lack a part. They are few, so that the builds are short. */
const SOME = ["clinicaltrials", "datacite", "zenodo"];

/**
 * The content of each store. Its release is really built without the parts that it lacks; null is a store without a release.
 */
const RELEASES: readonly (readonly [ReleaseName, StoreContent | null])[] = [
  ["none", null],
  [
    "full",
    // It has a predecessor, so that there is a history.
    contractContent({ generated: GENERATED, builds: [{ asOf: "2026-10-31", now: "2026-11-01T08:00:00.000Z" }, {}] }),
  ],
  ["2.0 only", contractContent({ bundled: SOME, builds: [{ rubrics: ["2.0"] }] })],
  ["1.0 only", contractContent({ bundled: SOME, builds: [{ rubrics: ["1.0"] }] })],
  [
    "without attribution and history",
    contractContent({ bundled: SOME, builds: [{ attribution: false, history: false }] }),
  ],
];

export interface Served {
  readonly ask: Ask;
  readonly port: number;
  /** The receipt of the release; null if nothing is published. */
  readonly receipt: Receipt | null;
  /** A real identity provider that accepts every user. */
  readonly provider: Pick<IdentityProvider, "signIn" | "decline">;
  /** Returns the token of the next link sent to an email address. */
  link(email: string): Promise<string>;
  /** Returns a function that sends requests as a new user who signed in by email, or as the owner of an iD. */
  signedIn(as: Visitor): Promise<Ask>;
  /** Decides a request of a user, as a moderator does with `share-release account decide`. */
  decide(id: string, verdict: Verdict): Promise<void>;
}

export class World {
  readonly #cleanup: AsyncDisposableStack;
  readonly #served = new Map<ReleaseName, Served>();
  #full: { readonly store: Store; readonly receipt: Receipt | null } | null = null;

  private constructor(cleanup: AsyncDisposableStack) {
    this.#cleanup = cleanup;
  }

  /** Starts the servers. If `postgres` is true, the full release is served a second time with accounts in PostgreSQL. */
  static async make({ postgres = false }: { readonly postgres?: boolean } = {}): Promise<World> {
    const world = new World(new AsyncDisposableStack());
    try {
      for (const [name, content] of RELEASES) await world.#serve(name, content);
      if (postgres) await world.#serveWithPostgres();
      return world;
    } catch (error) {
      await world.end();
      throw error;
    }
  }

  of(name: ReleaseName): Served {
    const served = this.#served.get(name);
    if (served === undefined) throw new Error(`no release "${name}" is served`);
    return served;
  }

  async end(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  async #serve(name: ReleaseName, content: StoreContent | null): Promise<void> {
    const { store, receipts } = this.#cleanup.use(
      content === null ? { receipts: [], ...(await temporaryStore()) } : await sharedStore(content),
    );
    const receipt = receipts.at(-1) ?? null;
    await this.#listen(name, store, receipt, { sqlite: join(store.root, "accounts.sqlite") });
    if (name === "full") this.#full = { store, receipt };
  }

  async #serveWithPostgres(): Promise<void> {
    if (this.#full === null) throw new Error("the full release is not built yet");
    const server = await startPostgres();
    this.#cleanup.defer(() => server.stop());
    const { store, receipt } = this.#full;
    await this.#listen("full, with PostgreSQL", store, receipt, { postgres: await server.database() });
  }

  async #listen(name: ReleaseName, store: Store, receipt: Receipt | null, target: AccountTarget): Promise<void> {
    const upstream = await startUpstream();
    this.#cleanup.defer(() => upstream.close());
    const provider = await openIdentityProvider();
    this.#cleanup.defer(() => provider.close());
    const mailbox = await openMailbox();
    this.#cleanup.defer(() => mailbox.close());
    // The limits of the service, not those of the other suites; sources on loopback, one of which never responds.
    const evaluations = { upstreams: upstream.upstreams, timeoutMs: 3000, pollMilliseconds: 50 };
    const signIn = { smtpUrl: mailbox.url, orcid: provider };
    const server = await serve(store, { quotas: {}, evaluations, signIn, accounts: target });
    this.#cleanup.defer(() => server.close());
    provider.allow(`http://localhost:${server.port}/auth/orcid/callback`);
    const accounts = await openAccounts(target);
    this.#cleanup.defer(() => accounts.close());
    const client = new Client(server.port);
    this.#cleanup.defer(() => client.close());
    this.#served.set(name, {
      ask: client.ask,
      port: server.port,
      receipt,
      provider,
      link: async (email) => {
        for (;;) {
          const message = await mailbox.next();
          const token = message.to.includes(email) ? findToken(message) : null;
          if (token !== null) return token;
        }
      },
      signedIn: async (as) => askAs(client.ask, server.port, await openSession(accounts, as)),
      decide: async (id, verdict) => {
        await decide(accounts, { id, verdict, reason: "Looked at.", by: "moderator", now: NOW });
      },
    });
  }
}

/** Creates a session and returns its token. */
async function openSession(accounts: Accounts, as: Visitor): Promise<string> {
  const user =
    as === "mail"
      ? await accountOfEmail(accounts.db, `${randomBytes(6).toString("hex")}@example.org`, NOW)
      : await accountOfOrcid(accounts.db, { orcid: as.orcid, name: "Somebody" }, NOW);
  const sessions = new Sessions(accounts, () => NOW);
  const { token } = await sessions.open(user.id, { method: as === "mail" ? "mail" : "orcid", agent: null });
  return token;
}

/** Returns a function that adds the cookie to requests, and the origin of the site unless a request has an origin. */
function askAs(ask: Ask, port: number, token: string): Ask {
  const own = { cookie: `share_session=${token}`, origin: `http://localhost:${port}` };
  return (path, question = {}) => ask(path, { ...question, headers: { ...own, ...question.headers } });
}
