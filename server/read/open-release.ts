/**
 * An open release: its receipt, pages, cached responses and prepared tables. It reads its own folder, never the link
 * `current`, because the link may move meanwhile.
 */

import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { digestKey } from "../../api-static/routes/route.ts";
import type { PageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import {
  type ExactRepositoryFigures,
  REPOSITORY_FIGURES,
  readRepositoryFigures,
} from "../../pipeline/pages/release-pages.ts";
import { readIdRange, type SlugRange } from "../../pipeline/parse-identifier.ts";
import { requireRecorded } from "../../pipeline/store/journal.ts";
import { ReleaseNotFound, readReceipt, requireReadable } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ManifestLine, manifestLine, type Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import type { ResearcherIds } from "../accounts/standings.ts";
import { NO_RESEARCHERS } from "../accounts/standings.ts";
import { type ContentResponse, etagOfDigest, ProblemError } from "../http/response.ts";
import { unknownKey } from "../http/routes.ts";
import type { WorkKind } from "../scheduler.ts";
import { TABLES } from "./list-tables.ts";
import type { QueryOptions } from "./query-engine.ts";
import { QueryEngine, type RequestOfCaller } from "./query-engine.ts";
import { ResponseCache } from "./response-cache.ts";
import { SharedResults } from "./shared-results.ts";

/**
 * The size of each cache of a release in bytes, enough for the most requested pages. While the server changes to
 * another release, both releases have their caches.
 */
const CACHE_BYTES = 16 * 1024 * 1024;

/** Estimated bytes of a cached response besides its body. */
const HEADER_BYTES = 1000;

function computeWeight({ body }: ContentResponse): number {
  return body.length + HEADER_BYTES;
}

/** The parts of an open release that all requests share. */
interface SharedRelease {
  readonly receipt: Receipt;
  readonly folder: string;
  readonly pages: PageStore;
  readonly cache: { of: object | null; answers: ResponseCache };
  readonly queried: SharedResults<ContentResponse>;
}

export interface ReleasePage {
  readonly body: Uint8Array;
  readonly etag: string;
}

export class OpenRelease {
  readonly #opened: SharedRelease;
  readonly engine: QueryEngine;
  readonly lookups: Lookups;
  readonly hidden: HiddenPositions;

  private constructor(opened: SharedRelease, engine: QueryEngine, hidden = new HiddenPositions(engine)) {
    this.#opened = opened;
    this.hidden = hidden;
    this.engine = engine;
    this.lookups = new Lookups(engine);
  }

  /**
   * Opens a release and prepares it for queries; `signal` cancels.
   * @throws ReleaseNotFound if there is no such finished release; ReleaseOutdated; errors of the engine for damaged
   *   tables
   */
  static async open(store: Store, digest: string, options: QueryOptions, signal: AbortSignal): Promise<OpenRelease> {
    const folder = store.release(digest);
    const receipt = await readReceipt(folder);
    if (receipt?.releaseDigest !== digest) throw new ReleaseNotFound(digest, store);
    requireReadable(receipt);
    await requireRecorded(store, digest);
    const pages = await PageStore.open(folder);
    const engine = await QueryEngine.open(store, receipt, options, signal);
    const queried = new SharedResults<ContentResponse>({ maxSize: CACHE_BYTES, sizeCalculation: computeWeight });
    const cache = { of: null, answers: new ResponseCache(CACHE_BYTES) };
    return new OpenRelease({ receipt, folder, pages, cache, queried }, engine);
  }

  /** Returns this release for one request. Its queries end when the signal of the request fires. */
  for(request: RequestOfCaller, kind: WorkKind = "query"): OpenRelease {
    return new OpenRelease(this.#opened, this.engine.for(request, kind), this.hidden);
  }

  get receipt(): Receipt {
    return this.#opened.receipt;
  }

  get folder(): string {
    return this.#opened.folder;
  }

  /**
   * Returns the cached responses by request target. `standing` says who is hidden, so the cache is emptied when it
   * changes.
   */
  answersUnder(standing: object): ResponseCache {
    const { cache } = this.#opened;
    if (cache.of !== standing) {
      cache.of = standing;
      cache.answers = new ResponseCache(CACHE_BYTES);
    }
    return cache.answers;
  }

  /**
   * Cached responses by canonical query: the parsed parameters with their defaults, in the order of the schema. So a
   * request with another order of parameters, or with an ignored parameter, gets the same cached response.
   */
  get queried(): SharedResults<ContentResponse> {
    return this.#opened.queried;
  }

  get digest(): string {
    return this.receipt.releaseDigest;
  }

  /**
   * Returns a page with its entity tag; null if there is none. A disk error is thrown and never becomes "not found".
   * Reading is synchronous, because two small reads, mostly cached, cost less than Node's thread pool.
   */
  page(address: PageAddress): ReleasePage | null {
    const page = this.#opened.pages.getIfPresent(address);
    return page && { body: page.bytes, etag: etagOfDigest(page.sha256.toString("hex", 0, 4), page.bytes.length) };
  }

  close(): Promise<void> {
    this.#opened.pages.close();
    return this.engine.close();
  }
}

export type RecordFate =
  | { readonly fate: "listed" }
  | { readonly fate: "unknown" }
  | { readonly fate: "alias"; readonly winner: string }
  | { readonly fate: "tombstone" | "not_dataset"; readonly reason: string | null };

class Lookups {
  readonly #prepared: QueryEngine;

  constructor(engine: QueryEngine) {
    this.#prepared = engine;
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

  /**
   * Returns the ID of the record with a DOI: the smallest ID if several sources describe it, and null if there is none.
   */
  async recordOfDoi(doi: string): Promise<string | null> {
    const [row] = await this.#prepared.rows(
      `select shown.id from ${TABLES.dois} as named join ${TABLES.texts("records")} as shown on shown.position = named.position
       where named.doi = $doi order by shown.id limit 1`,
      { doi },
    );
    return row === undefined ? null : String(row[0]);
  }

  /** Returns all IDs of a record: its own first, then its aliases. `id` may be any of them. */
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
   * Returns the current slug of the researcher whose ORCID iD or ID is at the end of `slug`. Null if there is no such
   * researcher, if there are several, or if the only one is hidden.
   */
  async slugLike(slug: string, version: PublicVersion, hidden = NO_RESEARCHERS): Promise<string | null> {
    const found = await this.#researchersLike(slug, version, hidden);
    const known = found[0]?.slug;
    // A researcher with an ORCID has a slug without the digits of their ID, so the suffix must match.
    return found.length === 1 && known !== undefined && known.endsWith(readIdRange(slug)?.suffix ?? "") ? known : null;
  }

  async researcherId(slug: string, version: PublicVersion): Promise<string | null> {
    const found = await this.#researchersLike(slug, version, NO_RESEARCHERS);
    return found.find((researcher) => researcher.slug === slug)?.id ?? null;
  }

  /** Returns up to two researchers whose ID matches the end of a slug. If there are two, the end is ambiguous. */
  async #researchersLike(
    slug: string,
    version: PublicVersion,
    hidden: ResearcherIds,
  ): Promise<{ readonly id: string; readonly slug: string }[]> {
    const idRange = readIdRange(slug);
    if (idRange === null) return [];
    // Finding a hidden researcher would take longer than not finding one, so an empty range is searched instead.
    const range = hidden.mayHave(slug) ? emptyRangeLike(idRange) : idRange;
    const rows = await this.#prepared.rows(
      `select texts.id, texts.slug from ${TABLES.texts("authors")} as texts
       join ${TABLES.listed("authors", version)} as listed on listed.position = texts.position
       where texts.id between $from and $to order by texts.id limit 2`,
      { from: range.from, to: range.to },
    );
    return rows.map(([id, known]) => ({ id: String(id), slug: String(known) }));
  }

  /** Returns the figures of a repository's badge; null if the label is unknown. */
  async repositoryFigures(label: string, version: PublicVersion): Promise<ExactRepositoryFigures | null> {
    const [row] = await this.#prepared.rows(
      `${REPOSITORY_FIGURES} and repository.repository = $label and repository.repository <> ''`,
      { version, label },
    );
    return row === undefined ? null : readRepositoryFigures(row);
  }
}

/**
 * Returns a range of the same form that contains no ID, so that the query for a hidden researcher takes as long as any
 * other query.
 */
function emptyRangeLike({ suffix, from }: SlugRange): SlugRange {
  return { suffix, from: `${from}!`, to: `${from}!` };
}

/**
 * Finds the positions of hidden researchers in the list of researchers. The positions of each set of IDs are looked up
 * once.
 */
export class HiddenPositions {
  readonly #prepared: QueryEngine;
  readonly #known = new WeakMap<ResearcherIds, Promise<string | null>>();

  /** `engine` must not belong to a single request, because all requests share the result. */
  constructor(engine: QueryEngine) {
    this.#prepared = engine;
  }

  /** Returns positions separated by commas, as one parameter; null if the release lists none of the researchers. */
  findPositions(hidden: ResearcherIds): Promise<string | null> {
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

/** Returns the line of the manifest for the file at `path`; null if the release has no such file. */
export async function findManifestLine(manifest: string, path: string): Promise<ManifestLine | null> {
  const start = `{"path":${JSON.stringify(path)},`;
  const line = (await readFile(manifest, "utf8")).split("\n").find((text) => text.startsWith(start));
  return line === undefined ? null : manifestLine.parse(JSON.parse(line));
}

/**
 * Returns the path of a release's file. Links are not followed, because a release consists of plain files.
 * @throws ProblemError `not-found`
 */
export async function releaseFile(folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  if ((await realpath(file)) === join(await realpath(folder), path)) return file;
  throw new ProblemError("not-found", "The release does not contain this file. Its manifest.ndjson lists all files.");
}

/**
 * Returns the version of the reader of a record, the code that reads the metadata of its source; null if the release does not
 * state it. The identifier begins with the key of the source, for example `zenodo/3678326`.
 */
export function readerVersion(
  { sources }: Pick<Receipt, "sources">,
  record: { readonly identifier: string } | null,
): number | null {
  const [key] = record?.identifier.split("/", 1) ?? [];
  return sources.find(({ source }) => source === key)?.reader?.version ?? null;
}

export interface StoredRelease {
  readonly folder: string;
  readonly receipt: Receipt;
}

/**
 * Finds a finished release by its digest.
 * @throws ProblemError `release-not-found`
 */
export async function storedRelease(store: Store, digest: string): Promise<StoredRelease> {
  const folder = /^sha256-[0-9a-f]{64}$/.test(digest) ? store.release(digest.replace("-", ":")) : null;
  const receipt = folder === null ? null : await readReceipt(folder);
  if (folder === null || receipt === null) throw unknownKey(digestKey);
  return { folder, receipt };
}
