/**
 * The site with a release that security tests attack, the routes that accept a body, and a valid body for each of these routes.
 */

import { z } from "zod";
import { ROUTES } from "../../api-static/routes/index.ts";
import type { Route } from "../../api-static/routes/route.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ResearcherRow, researcherList } from "../../schemas/public/api/researcher.ts";
import { decide } from "../../server/accounts/moderation.ts";
import { REGISTERED, type Upstream } from "../evaluations/upstream.ts";
import { ask } from "../server/ask.ts";
import { makeRecordId, SPECIAL, UNLIMITED } from "../server/test-store.ts";
import type { Browser } from "../sign-in/browser.ts";
import { AttackedSite, type SignedIn } from "./site.ts";

export const RECORD = makeRecordId(SPECIAL.winner);

/** Every route that accepts a JSON body. Routes for documents and forms have their own suites (test/site). */
export const POSTED: readonly Route[] = ROUTES.filter(({ body, bodyKind }) => body !== null && bodyKind === "json");

/**
 * Routes that need a session. `CHANGING` are the routes that change something, which a page of another site may try to misuse.
 */
export const SIGNED: readonly Route[] = ROUTES.filter(({ session }) => session);
export const CHANGING: readonly Route[] = ROUTES.filter(({ ownSite, method }) => ownSite && method !== "get");

const row = z.looseObject({ id: z.string() });
const described = z.looseObject({ properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })) });

/** Returns the names of the text fields in a route's body. */
export function textFields(route: Route): string[] {
  if (route.body === null) return [];
  const { properties } = described.parse(z.toJSONSchema(route.body, { io: "input", unrepresentable: "any" }));
  return Object.entries(properties).flatMap(([name, { type }]) => (type === "string" ? [name] : []));
}

export type Body = Readonly<Record<string, unknown>>;

export class AccountSite {
  readonly site: AttackedSite;
  readonly #researchers: readonly ResearcherRow[];
  #next = 0;
  #people = 0;
  #submitted = 0;

  private constructor(site: AttackedSite, researchers: readonly ResearcherRow[]) {
    this.site = site;
    this.#researchers = researchers;
  }

  static async open(
    { store }: { readonly store: Store },
    target: AccountTarget,
    { upstreams }: Upstream,
  ): Promise<AccountSite> {
    const many = UNLIMITED.anonymous;
    const quotas = { anonymous: many, link: many, evaluation: many, registration: many };
    const site = await AttackedSite.open(target, {
      store,
      server: { quotas, evaluations: { upstreams } },
    });
    const { text } = await ask(site.world.port, "/authors?limit=100&sortBy=datasetCount&sortOrder=desc");
    return new AccountSite(site, researcherList.parse(JSON.parse(text)).data);
  }

  /** Creates a new user. */
  person(): Promise<SignedIn> {
    this.#people += 1;
    return this.site.byMail(`person-${this.#people}@example.org`);
  }

  /** Returns a researcher that no other test has used. */
  researcher({ orcid = false } = {}): ResearcherRow {
    const left = this.#researchers.slice(this.#next);
    const at = left.findIndex((each) => (each.orcid !== null) === orcid);
    const found = left[at];
    if (found === undefined) throw new Error("the release has too few researchers for these tests");
    this.#next += at + 1;
    return found;
  }

  /** Returns a body that the route accepts. If the route needs an approved claim, the user gets one. */
  async honest(route: Route, browser: Browser): Promise<Body> {
    const make = HONEST[route.name];
    if (make === undefined) throw new Error(`no valid body is known for the route ${route.name}; add one to HONEST`);
    return make(this, browser);
  }

  approve(id: string) {
    const { accounts, world } = this.site;
    return decide(accounts, { id, verdict: "approved", reason: null, by: "moderator", now: world.now });
  }

  /** Creates an object with a POST, and returns its id. */
  async made(browser: Browser, path: string, body: Body): Promise<string> {
    const reply = await browser.post(path, body);
    if (reply.status !== 201) throw new Error(`${path}: ${reply.text}`);
    return row.parse(JSON.parse(reply.text)).id;
  }

  async approvedClaim(browser: Browser, { slug }: ResearcherRow): Promise<string> {
    const id = await this.made(browser, "/account/profile-claims", { authorSlug: slug });
    await this.approve(id);
    return id;
  }

  /** Returns the identifier of a Zenodo record that nobody has submitted yet. */
  unsubmitted(): string {
    this.#submitted += 1;
    return `zenodo/${55_000_000 + this.#submitted}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
  }
}

type Make = (of: AccountSite, browser: Browser) => Body | Promise<Body>;

const HONEST: Readonly<Record<string, Make>> = {
  register: () => ({ name: "Somebody", email: "somebody@example.org", description: "Reading" }),
  evaluation: () => ({ identifier: SPECIAL.winner, rubricVersion: "2.0" }),
  "new-evaluation-job": () => ({ identifier: SPECIAL.winner, rubricVersion: "2.0" }),
  "magic-request": () => ({ email: "asking@example.org", returnTo: "/account" }),
  "magic-consume": async (of) => ({ token: await of.site.world.linkFor("consuming@example.org") }),
  "new-profile-claim": (of) => ({ authorSlug: of.researcher().slug }),
  "new-visibility-request": async (of, browser) => {
    const researcher = of.researcher();
    await of.approvedClaim(browser, researcher);
    return { authorSlug: researcher.slug, requestType: "opt_out", reason: "Mine." };
  },
  "save-record": () => ({ recordId: RECORD, note: "Good." }),
  "save-author": (of) => ({ authorSlug: of.researcher().slug, note: "Good." }),
  "save-repository": () => ({ repository: "Zenodo" }),
  "save-search": () => ({ query: "funder=Elsewhere+Science+Fund" }),
  "new-dataset-submission": (of) => ({ identifier: of.unsubmitted(), rubricVersion: "2.0" }),
  "new-measurement": () => ({ identifier: REGISTERED[0], rubricVersion: "2.0" }),
  lookup: () => ({ identifiers: [SPECIAL.winner] }),
};
