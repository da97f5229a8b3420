/**
 * The people who are hidden or verified, as of a moment ago: read from the account store again and again, since whoever
 * decides does so in another process. All servers of a store share its database, and tell each other nothing.
 */

import type { Kysely } from "kysely";
import { z } from "zod";
import { pageText, readPage } from "../../api-static/pages/read-page.ts";
import { WITHHELD_NAME } from "../../api-static/pages/rows.ts";
import { idOfOrcid, idRangeOf } from "../../pipeline/parse-identifier.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { AccountStoreError } from "../../pipeline/store/account-target.ts";
import { type ResearcherDetail, researcherDetail } from "../../schemas/public/api/researcher.ts";
import { poll } from "../http/poll.ts";
import { type Answer, contentAnswer } from "../http/response.ts";
import type { Accounts } from "./database.ts";
import type { AccountTables } from "./tables.ts";

/** `a` and ten hex digits: what the slug of who has no ORCID iD ends in, but for the letter. */
const PREFIX = 11;

export class ResearcherIds {
  readonly #ids: ReadonlySet<string>;
  readonly #prefixes: ReadonlySet<string>;

  constructor(ids: Iterable<string> = []) {
    this.#ids = new Set(ids);
    this.#prefixes = new Set([...this.#ids].map((id) => id.slice(0, PREFIX)));
  }

  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False where no slug like this one can be of any of them: most requests are told so without a look-up. */
  mayHave(slug: string): boolean {
    const range = this.size === 0 ? null : idRangeOf(slug);
    if (range === null) return false;
    return range.from.length > PREFIX ? this.#ids.has(range.from) : this.#prefixes.has(range.from);
  }

  equals(other: ResearcherIds): boolean {
    return this.size === other.size && [...this.#ids].every((id) => other.has(id));
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#ids[Symbol.iterator]();
  }
}

/** What the next release calls a creator who has opted out (decisions.md, "Accounts"). */
const WITHHELD = { id: null, name: WITHHELD_NAME, affiliation: null, slug: null, orcid: null };

type Members = Readonly<Record<string, unknown>>;

const known = z.object({ id: z.string().nullable(), orcid: z.string().nullable() });

/**
 * The same value, but for creators who are hidden: known by the id that their release gave them, or by their ORCID iD. Who
 * was named by name alone cannot be told from others of that name any more. What has no creators comes back as it is.
 */
export function withheldIn(value: unknown, { hidden }: Pick<Standing, "hidden">): unknown {
  if (hidden.size === 0 || !isObject(value)) return value;
  const { evaluation } = value;
  if (!isObject(evaluation) || !isObject(evaluation.record)) return withoutThem(value, hidden);
  return { ...value, evaluation: { ...evaluation, record: withoutThem(evaluation.record, hidden) } };
}

function withoutThem(record: Members, hidden: ResearcherIds): Members {
  if (!Array.isArray(record.authors)) return record;
  return {
    ...record,
    authors: record.authors.map((author: unknown) => (isHidden(author, hidden) ? WITHHELD : author)),
  };
}

function isHidden(author: unknown, hidden: ResearcherIds): boolean {
  const parsed = known.safeParse(author);
  if (!parsed.success) return false;
  const { id, orcid } = parsed.data;
  return (id !== null && hidden.has(id)) || (orcid !== null && hidden.has(idOfOrcid(orcid)));
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

interface FollowOptions {
  /** How often it is looked whether something has changed. */
  readonly pollMilliseconds: number;
}

/** Looks after which all is read, whether or not it seems to have changed: half a minute, mostly. */
const LOOKS_IN_FULL = 30;

export class Standings {
  readonly #db: Accounts["db"];
  readonly #options: FollowOptions;
  readonly #effects: Pick<Effects, "sleep" | "log">;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #current: Standing;
  #mark: string;
  #looks = 0;
  /** Whether the account store could not be read the last time. */
  #stale = false;

  private constructor(
    db: Accounts["db"],
    { mark, standing }: { readonly mark: string; readonly standing: Standing },
    options: FollowOptions,
    effects: Pick<Effects, "sleep" | "log">,
  ) {
    this.#db = db;
    this.#mark = mark;
    this.#current = standing;
    this.#options = options;
    this.#effects = effects;
  }

  /**
   * Reads it now, and follows it from there.
   * @throws AccountStoreError where it cannot be read: a server that does not know who is hidden must not begin
   */
  static async follow(
    { db }: Accounts,
    options: FollowOptions,
    effects: Pick<Effects, "sleep" | "log">,
  ): Promise<Standings> {
    const first = await readMarked(db).catch((cause: unknown) => {
      throw new AccountStoreError("cannot read from the account store who asked to be hidden", { cause });
    });
    const standings = new Standings(db, first, options, effects);
    standings.#following = standings.#loop();
    return standings;
  }

  get current(): Standing {
    return this.#current;
  }

  /** True while the account store cannot be read: what was read last goes on being true here. */
  get stale(): boolean {
    return this.#stale;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  #loop(): Promise<void> {
    return poll(() => this.#refresh(), this.#options.pollMilliseconds, this.#effects.sleep, this.#stop.signal);
  }

  /** Who was hidden stays hidden while the store is away; that it is away is said once. */
  async #refresh(): Promise<void> {
    try {
      this.#looks = (this.#looks + 1) % LOOKS_IN_FULL;
      if (this.#looks === 0 || (await markOf(this.#db)) !== this.#mark) this.#take(await readMarked(this.#db));
      if (this.#stale) this.#effects.log({ level: "info", event: "hidden-researchers-read-again" });
      this.#stale = false;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (!this.#stale) {
        const message = error instanceof Error ? error.message : String(error);
        this.#effects.log({ level: "error", event: "hidden-researchers-not-read", message });
      }
      this.#stale = true;
    }
  }

  /** What is the same stays the same object: what was made of it need not be made again. */
  #take({ mark, standing }: { readonly mark: string; readonly standing: Standing }): void {
    this.#mark = mark;
    const { hidden, verified } = this.#current;
    if (hidden.equals(standing.hidden) && verified.equals(standing.verified)) return;
    this.#current = standing;
    this.#effects.log({ level: "info", event: "hidden-researchers-read", hidden: standing.hidden.size });
  }
}

/** The mark first: what changes in between is seen at the next look. */
async function readMarked(db: Accounts["db"]) {
  const mark = await markOf(db);
  return { mark, standing: await readStanding(db) };
}

/**
 * How many there are and when the last came: a short text that changes with them, for the price of two counts. Only where
 * as many come as go, all of them dated before the last, does it stay the same; whoever follows it looks in full now and then.
 */
async function markOf(db: Kysely<AccountTables>): Promise<string> {
  const hidden = await db
    .selectFrom("hidden_researcher")
    .select(({ fn }) => [fn.countAll().as("people"), fn.max("since").as("latest")])
    .executeTakeFirstOrThrow();
  const verified = await db
    .selectFrom("profile_claim")
    .select(({ fn }) => [fn.countAll().as("people"), fn.max("decided_at").as("latest")])
    .where("state", "=", "approved")
    .executeTakeFirstOrThrow();
  return [hidden, verified].map(({ people, latest }) => `${people} ${latest}`).join(", ");
}

async function readStanding(db: Kysely<AccountTables>): Promise<Standing> {
  const hidden = await db.selectFrom("hidden_researcher").select("researcher_id").execute();
  const verified = await db
    .selectFrom("profile_claim")
    .select("researcher_id")
    .where("state", "=", "approved")
    .execute();
  return { hidden: idsOf(hidden), verified: idsOf(verified) };
}

function idsOf(rows: readonly { readonly researcher_id: string }[]): ResearcherIds {
  return new ResearcherIds(rows.map(({ researcher_id }) => researcher_id));
}

/** Never changed: a request reads one from its beginning to its end, and what is made of one is kept under it. */
export interface Standing {
  /** Who has opted out (decisions.md, "Accounts"). */
  readonly hidden: ResearcherIds;
  /** Whose claim to their page has been approved. */
  readonly verified: ResearcherIds;
}

export const NOBODY = new ResearcherIds();

/** The answer as it is, unless the page under the slug is of somebody who is verified: then the same but for that word. */
export function withVerified(answer: Answer, slug: string, { verified }: Standing): Answer {
  if (answer.status !== 200 || !(answer.body instanceof Uint8Array) || !verified.mayHave(slug)) return answer;
  const page = readPage(researcherDetail, JSON.parse(Buffer.from(answer.body).toString("utf8")));
  if (!verified.has(page.id)) return answer;
  const said: ResearcherDetail = { ...page, verified: true };
  const { "content-type": type = "", "cache-control": cache = "" } = answer.headers;
  return contentAnswer(Buffer.from(pageText(said)), type, cache);
}
