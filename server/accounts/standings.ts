/**
 * The hidden and the verified researchers. They are read from the account store at an interval, because moderators decide
 * in another process, and servers of one store share only its database.
 */

import type { Kysely } from "kysely";
import { z } from "zod";
import { pageText, readPage } from "../../api-static/pages/read-page.ts";
import { WITHHELD_NAME } from "../../api-static/pages/rows.ts";
import { idOfOrcid, readIdRange } from "../../pipeline/parse-identifier.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import { type ResearcherDetail, researcherDetail } from "../../schemas/public/api/researcher.ts";
import { poll } from "../http/poll.ts";
import { contentResponse, type HttpResponse } from "../http/response.ts";
import { type Accounts, AccountsUnavailable } from "./database.ts";
import type { AccountTables } from "./tables.ts";

/** Length of the beginning of an ID: `a` and ten hex digits. The slug of a researcher without an ORCID iD ends with it. */
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

  /** Returns false if the slug cannot belong to any of the researchers. This saves most look-ups. */
  mayHave(slug: string): boolean {
    const range = this.size === 0 ? null : readIdRange(slug);
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

/** The entry that replaces a hidden creator, as in the next release (decisions.md, "Accounts"). */
export const WITHHELD = { id: null, name: WITHHELD_NAME, affiliation: null, slug: null, orcid: null };

type Members = Readonly<Record<string, unknown>>;

const creatorIds = z.object({ id: z.string().nullable(), orcid: z.string().nullable() });

/**
 * Replaces withheld creators in a record or an evaluation. They are found by researcher ID or ORCID iD, because a name
 * alone does not identify a person. Returns the same value if it names none of them.
 */
export function withoutHidden(value: unknown, { withheld }: Pick<Standing, "withheld">): unknown {
  if (withheld.size === 0 || !isObject(value)) return value;
  const { evaluation } = value;
  if (!isObject(evaluation) || !isObject(evaluation.record)) return withoutHiddenCreators(value, withheld);
  const record = withoutHiddenCreators(evaluation.record, withheld);
  return record === evaluation.record ? value : { ...value, evaluation: { ...evaluation, record } };
}

/** Returns the page of a record in which withheld creators are replaced; the same bytes if the record names none of them. */
export function visiblePage(page: Uint8Array, standing: Pick<Standing, "withheld">): Uint8Array {
  if (standing.withheld.size === 0) return page;
  const record: unknown = JSON.parse(Buffer.from(page).toString("utf8"));
  const visible = withoutHidden(record, standing);
  return visible === record ? page : Buffer.from(pageText(visible));
}

function withoutHiddenCreators(record: Members, withheld: SetOfIds): Members {
  const { authors } = record;
  if (!Array.isArray(authors) || !authors.some((author: unknown) => isHidden(author, withheld))) return record;
  return { ...record, authors: authors.map((author: unknown) => (isHidden(author, withheld) ? WITHHELD : author)) };
}

function isHidden(author: unknown, hidden: SetOfIds): boolean {
  const parsed = creatorIds.safeParse(author);
  if (!parsed.success) return false;
  const { id, orcid } = parsed.data;
  return (id !== null && hidden.has(id)) || (orcid !== null && hidden.has(idOfOrcid(orcid)));
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

interface FollowOptions {
  readonly pollMilliseconds: number;
}

/** Number of polls, about half a minute, after which all researchers are read again even if no change is visible. */
const POLLS_PER_FULL_READ = 30;

export class Standings {
  readonly #accounts: Pick<Accounts, "db">;
  readonly #options: FollowOptions;
  readonly #effects: Pick<Effects, "sleep" | "log">;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #current: Standing = UNREAD;
  /** The fingerprint of the decisions that were read last; null before the first read. */
  #mark: string | null = null;
  #looks = 0;
  #isStale = false;

  private constructor(accounts: Pick<Accounts, "db">, options: FollowOptions, effects: Pick<Effects, "sleep" | "log">) {
    this.#accounts = accounts;
    this.#options = options;
    this.#effects = effects;
  }

  /**
   * Reads the hidden and verified researchers, and follows changes. Until the first read succeeds, each use of them
   * throws, because it is not known who is hidden.
   */
  static async follow(
    accounts: Pick<Accounts, "db">,
    options: FollowOptions,
    effects: Pick<Effects, "sleep" | "log">,
  ): Promise<Standings> {
    const standings = new Standings(accounts, options, effects);
    await standings.#refresh();
    standings.#following = standings.#loop();
    return standings;
  }

  get current(): Standing {
    return this.#current;
  }

  /** True while the account store cannot be read; then the last state stays in use. */
  get isStale(): boolean {
    return this.#isStale;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  #loop(): Promise<void> {
    return poll(() => this.#refresh(), this.#options.pollMilliseconds, this.#effects.sleep, this.#stop.signal);
  }

  /** Reads the researchers if they may have changed. If that fails, the last ones stay in use, and one failure is logged. */
  async #refresh(): Promise<void> {
    try {
      this.#looks = (this.#looks + 1) % POLLS_PER_FULL_READ;
      if (this.#looks === 0 || (await fingerprintStandings(this.#accounts.db)) !== this.#mark)
        this.#replace(await readWithMark(this.#accounts.db));
      if (this.#isStale) this.#effects.log({ level: "info", event: "hidden-researchers-read-again" });
      this.#isStale = false;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (!this.#isStale) {
        const message = getErrorMessage(error);
        this.#effects.log({ level: "error", event: "hidden-researchers-not-read", message });
      }
      this.#isStale = true;
    }
  }

  /** Replaces the current object only if a researcher was hidden, shown or verified, so that caches stay valid otherwise. */
  #replace({ mark, standing }: { readonly mark: string; readonly standing: Standing }): void {
    const isFirst = this.#mark === null;
    this.#mark = mark;
    if (isFirst) {
      this.#current = standing;
      return;
    }
    const { hidden, verified } = this.#current;
    if (hidden.equals(standing.hidden) && verified.equals(standing.verified)) return;
    this.#current = standing;
    this.#effects.log({ level: "info", event: "hidden-researchers-read", hidden: standing.hidden.size });
  }
}

/** Reads the fingerprint before the rows, so that the next poll detects a change between the two reads. */
async function readWithMark(db: Accounts["db"]) {
  const mark = await fingerprintStandings(db);
  return { mark, standing: await readStanding(db) };
}

/**
 * Returns the counts and the latest times as a short text, which changes with nearly every decision. It costs only two
 * queries, but stays the same if as many old rows were added as removed, so everything is also read at intervals.
 */
async function fingerprintStandings(db: Kysely<AccountTables>): Promise<string> {
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
  return makeStanding(listIds(hidden), listIds(verified));
}

function listIds(rows: readonly { readonly researcher_id: string }[]): ResearcherIds {
  return new ResearcherIds(rows.map(({ researcher_id }) => researcher_id));
}

type SetOfIds = Pick<ResearcherIds, "size" | "has">;

function makeStanding(hidden: ResearcherIds, verified: ResearcherIds): Standing {
  return { hidden, withheld: hidden, verified };
}

/** An immutable snapshot of hidden and verified researchers. A request uses one throughout, and caches refer to it. */
export interface Standing {
  /** Researchers who have opted out (decisions.md, "Accounts"). */
  readonly hidden: ResearcherIds;
  /** Creators whom pages of datasets do not name: the hidden researchers, or everybody until these have been read. */
  readonly withheld: SetOfIds;
  /** Researchers with an approved claim. */
  readonly verified: ResearcherIds;
}

/** The snapshot before the first read. All creators are withheld, because nobody knows yet who is hidden. */
const UNREAD: Standing = {
  withheld: { size: 1, has: () => true },
  get hidden(): ResearcherIds {
    throw new AccountsUnavailable("the hidden researchers were not read yet");
  },
  get verified(): ResearcherIds {
    throw new AccountsUnavailable("the hidden researchers were not read yet");
  },
};

export const NO_RESEARCHERS = new ResearcherIds();

/** Sets `verified` in the page of a verified researcher. Returns any other response unchanged. */
export function withVerified(response: HttpResponse, slug: string, { verified }: Standing): HttpResponse {
  if (response.status !== 200 || !(response.body instanceof Uint8Array) || !verified.mayHave(slug)) return response;
  const page = readPage(researcherDetail, JSON.parse(Buffer.from(response.body).toString("utf8")));
  if (!verified.has(page.id)) return response;
  const verifiedPage: ResearcherDetail = { ...page, verified: true };
  const { "content-type": type = "", "cache-control": cache = "" } = response.headers;
  return contentResponse(Buffer.from(pageText(verifiedPage)), type, cache);
}
