/** A release opened for reading: its receipt, its pages by path, answers made of them, its prepared tables. Everything by its own folder, never through `current`. */

import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { digestKey } from "../../api-static/routes/route.ts";
import type { PageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { REPOSITORY_FIGURES, type RepositoryFigures, repositoryFiguresOf } from "../../pipeline/pages/release-pages.ts";
import { type IdRange, idRangeOf } from "../../pipeline/parse-identifier.ts";
import { ReleaseNotFound, readReceipt, requireReadable } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ManifestLine, manifestLine, type Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { ResearcherIds } from "../accounts/standings.ts";
import { NOBODY } from "../accounts/standings.ts";
import { etagOfDigest, ProblemError } from "../http/response.ts";
import { unknownKey } from "../http/routes.ts";
import { TABLES } from "./list-tables.ts";
import type { QueryOptions } from "./query-engine.ts";
import { type Asking, Prepared } from "./query-engine.ts";
import { AnswerCache } from "./response-cache.ts";

/** Enough for the answers that most requests are for; while releases change there are two of these. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** What one release has once, however many requests are answered from it. */
interface Opened {
  readonly receipt: Receipt;
  readonly folder: string;
  readonly pages: PageStore;
  readonly answers: AnswerCache;
}

export interface Page {
  readonly body: Uint8Array;
  readonly etag: string;
}

export class OpenRelease {
  readonly #opened: Opened;
  readonly prepared: Prepared;
  readonly lookups: Lookups;
  /** Where in its lists those are whom it must not show. */
  readonly hidden: HiddenPositions;

  private constructor(opened: Opened, prepared: Prepared, hidden = new HiddenPositions(prepared)) {
    this.#opened = opened;
    this.hidden = hidden;
    this.prepared = prepared;
    this.lookups = new Lookups(prepared);
  }

  /**
   * Ready to answer when it returns; `signal` gives up.
   * @throws ReleaseNotFound where there is no finished release of that digest, or another in its folder; ReleaseOutdated;
   *   whatever the engine says of tables that are damaged
   */
  static async open(store: Store, digest: string, options: QueryOptions, signal: AbortSignal): Promise<OpenRelease> {
    const folder = store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt?.releaseDigest !== digest) throw new ReleaseNotFound(digest, store);
    requireReadable(receipt);
    const pages = await PageStore.open(folder);
    const prepared = await Prepared.open(store, receipt, options, signal);
    return new OpenRelease({ receipt, folder, pages, answers: new AnswerCache(CACHE_BYTES) }, prepared);
  }

  /** The same for one request: what it asks of the tables ends when its signal fires. */
  for(asking: Asking): OpenRelease {
    return new OpenRelease(this.#opened, this.prepared.for(asking), this.hidden);
  }

  get receipt(): Receipt {
    return this.#opened.receipt;
  }

  get folder(): string {
    return this.#opened.folder;
  }

  /** Answers that the release alone decides, by the target they were asked for. */
  get answers(): AnswerCache {
    return this.#opened.answers;
  }

  get digest(): string {
    return this.receipt.releaseDigest;
  }

  /**
   * A page and its entity tag; null where there is none. A disk that fails is an error, never "not found". It is read at
   * once, and everything else waits: two small reads, mostly from the memory of the operating system, and a frame to
   * inflate take less than a trip through Node's thread pool.
   */
  page(address: PageAddress): Page | null {
    const page = this.#opened.pages.getIfThere(address);
    return page && { body: page.bytes, etag: etagOfDigest(page.sha256.toString("hex", 0, 4), page.bytes.length) };
  }

  close(): Promise<void> {
    this.#opened.pages.close();
    return this.prepared.close();
  }
}

/** What a release knows of a record id. */
type RecordFate =
  | { readonly fate: "listed" | "unknown" }
  | { readonly fate: "alias"; readonly winner: string }
  | { readonly fate: "tombstone" | "not_dataset"; readonly reason: string | null };

class Lookups {
  readonly #prepared: Prepared;

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  async recordFate(id: string): Promise<RecordFate> {
    const [row] = await this.#prepared.rows(
      `select 'alias' as fate, id as detail from alias where alias_id = $id
       union all select kind, reason from unlisted where id = $id
       union all select 'listed', null from ${TABLES.texts("records")} where id = $id
       order by fate limit 1`,
      { id },
    );
    const [fate, text] = row ?? [];
    const detail = typeof text === "string" ? text : null;
    switch (fate) {
      case "alias":
        return { fate, winner: detail ?? "" };
      case "tombstone":
      case "not_dataset":
        return { fate, reason: detail };
      case "listed":
        return { fate };
      default:
        return { fate: "unknown" };
    }
  }

  /** The ids of the record that an id, its own or an alias, leads to: the record's own first, then its aliases. */
  async sameRecord(id: string): Promise<string[]> {
    const rows = await this.#prepared.rows(
      `with winner as (select coalesce((select id from alias where alias_id = $id), $id) as id)
       select id, 0 as place from winner
       union all select alias.alias_id, 1 from alias join winner on winner.id = alias.id
       order by place, id`,
      { id },
    );
    return rows.map(([known]) => String(known));
  }

  /**
   * The right slug of the researcher whose ORCID or id ends this one; null where there is none, or more than one. Who is
   * in `hidden` is not there.
   */
  async slugLike(slug: string, version: PublicVersion, hidden = NOBODY): Promise<string | null> {
    const found = await this.#researchersLike(slug, version, hidden);
    const known = found[0]?.slug;
    // Someone with an ORCID is not known by the digits of their id: a suffix counts only if the right slug ends in it.
    return found.length === 1 && known !== undefined && known.endsWith(idRangeOf(slug)?.suffix ?? "") ? known : null;
  }

  /** The id of the researcher with exactly this slug, whether or not they are hidden. */
  async researcherId(slug: string, version: PublicVersion): Promise<string | null> {
    const found = await this.#researchersLike(slug, version, NOBODY);
    return found.find((researcher) => researcher.slug === slug)?.id ?? null;
  }

  /** Up to two researchers whose id the end of a slug can mean: a slug that means more means no one. */
  async #researchersLike(
    slug: string,
    version: PublicVersion,
    hidden: ResearcherIds,
  ): Promise<{ readonly id: string; readonly slug: string }[]> {
    const asked = idRangeOf(slug);
    if (asked === null) return [];
    // Who is hidden is not looked for: a row that is found, and then kept quiet, takes longer than one that is not there.
    const range = hidden.mayHave(slug) ? besides(asked) : asked;
    const rows = await this.#prepared.rows(
      `select texts.id, texts.slug from ${TABLES.texts("authors")} as texts
       join ${TABLES.figures("authors", version)} as figures on figures.position = texts.position
       where texts.id between $from and $to order by texts.id limit 2`,
      { from: range.from, to: range.to },
    );
    return rows.map(([id, known]) => ({ id: String(id), slug: String(known) }));
  }

  /** What the badge of a repository is made of; null where there is no such label. */
  async repositoryFigures(label: string, version: PublicVersion): Promise<RepositoryFigures | null> {
    const [row] = await this.#prepared.rows(
      `${REPOSITORY_FIGURES} and repository.repository = $label and repository.repository <> ''`,
      { version, label },
    );
    return row === undefined ? null : repositoryFiguresOf(row);
  }
}

/** As wide a range in the same place of the tables, of ids that nobody has. */
function besides({ suffix, from }: IdRange): IdRange {
  return { suffix, from: `${from}!`, to: `${from}!` };
}

/** Where in a release's list of researchers those are who are left out: looked up once for each set of them. */
export class HiddenPositions {
  readonly #prepared: Prepared;
  readonly #known = new WeakMap<ResearcherIds, Promise<string | null>>();

  /** `prepared`: of no request in particular, since what is found is for all. */
  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  /** Positions with commas between them, as one value of a statement; null where the release has none of them. */
  positionsOf(hidden: ResearcherIds): Promise<string | null> {
    if (hidden.size === 0) return Promise.resolve(null);
    const known = this.#known.get(hidden);
    if (known !== undefined) return known;
    const found = this.#find(hidden);
    this.#known.set(hidden, found);
    found.catch(() => this.#known.delete(hidden));
    return found;
  }

  async #find(hidden: ResearcherIds): Promise<string | null> {
    const rows = await this.#prepared.rows(
      `select position from ${TABLES.texts("authors")}
       where id in (select unnest(string_split($ids, ','))) order by position`,
      { ids: [...hidden].join(",") },
    );
    return rows.length === 0 ? null : rows.map(([position]) => Number(position)).join(",");
  }
}

/** The line of `path` in the manifest file; null where the release has no such file. */
export async function findManifestLine(manifest: string, path: string): Promise<ManifestLine | null> {
  const start = `{"path":${JSON.stringify(path)},`;
  const line = (await readFile(manifest, "utf8")).split("\n").find((text) => text.startsWith(start));
  return line === undefined ? null : manifestLine.parse(JSON.parse(line));
}

/**
 * Its path. A release is made of plain files: a link in it is somebody else's doing and is not followed.
 * @throws ProblemError `not-found`
 */
export async function ownFile(folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  if ((await realpath(file)) === join(await realpath(folder), path)) return file;
  throw new ProblemError("not-found", "The release's manifest names no such file.");
}

/** The version of the reader by which a release read the payloads of a source; null where it does not say. */
export function readerOf({ sources }: Pick<Receipt, "sources">, name: string | undefined): number | null {
  return sources.find(({ source }) => source === name)?.reader?.version ?? null;
}

export interface StoredRelease {
  readonly folder: string;
  readonly receipt: Receipt;
}

/** @throws ProblemError `release-not-found` for what is no digest, or of no finished release */
export async function storedRelease(store: Store, digest: string): Promise<StoredRelease> {
  const folder = /^sha256-[0-9a-f]{64}$/.test(digest) ? store.release(digest.replace("-", ":")) : null;
  const receipt = folder === null ? null : await readReceipt(folder);
  if (folder === null || receipt === null) throw unknownKey(digestKey);
  return { folder, receipt };
}
