/**
 * Responds with the records that a release added, removed or changed: one page, the rows after a cursor, CSV, or a
 * stream.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { cursorPage, listPage, pageText } from "../../api-static/pages/read-page.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CSV_TYPE } from "../../api-static/routes/route.ts";
import { type Cell, quote } from "../../pipeline/engine/open.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ChangeRow, changeRow } from "../../schemas/public/api/changes.ts";
import { DIFF_FILE, DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import type { ChangeListQuery } from "../../schemas/public/api/queries.ts";
import { type Receipt, type ScoreRelease, scoreRelease } from "../../schemas/public/release.ts";
import { preferredForm, preferredStream, type StreamForm } from "../http/content-negotiation.ts";
import type { ApiRequest } from "../http/read-request.ts";
import { type ContentResponse, contentResponse, type HttpResponse, ProblemError } from "../http/response.ts";
import type { ActiveRelease } from "./active-release.ts";
import {
  type Batch,
  csvBody,
  csvColumns,
  formatCursorLinks,
  formatLinks,
  MAX_STREAM_MS,
  RequestedFields,
  readCursor,
  rejectParts,
  type StreamPlaces,
  streamResponse,
  writeCursor,
} from "./list-response.ts";
import { findManifestLine, type OpenRelease, releaseFile, type StoredRelease, storedRelease } from "./open-release.ts";
import { digestRedirect } from "./other-releases.ts";
import type { Parameters, QueryEngine } from "./query-engine.ts";

/** Number of rows in a batch of a stream. While they are encoded, which takes milliseconds, other requests wait. */
const BATCH = 1024;

export interface ChangesServices {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly streams: StreamPlaces;
  readonly comparisons: Comparisons;
}

interface ComparedRelease extends PreviousComparison {
  readonly receipt: Receipt;
}

/**
 * Responds with the changes of the release whose digest is in the URL. The engine of the active release reads them,
 * because it can read the table of changes of any release.
 */
export async function changesResponse(
  digest: string,
  changeQuery: ChangeListQuery,
  request: ApiRequest,
  { store, active, streams, comparisons }: ChangesServices,
): Promise<HttpResponse> {
  const moved = digestRedirect(request, active.digest);
  if (moved !== null) return moved;
  const compared = await compareRelease(await storedRelease(store, digest), changeQuery, comparisons);
  return active.use(async (release) => {
    const form = preferredStream(request.headers.accept);
    if (form === null) {
      const csv = preferredForm(request.headers.accept) === "csv";
      const key = JSON.stringify(["release-changes", digest, csv, changeQuery]);
      const { engine } = release.for(request);
      return release.queried.of(key, () => changesPart(digest, changeQuery, csv, compared, engine));
    }
    rejectParts(request.query);
    const leave = streams.take(request.caller);
    const letGo = active.hold(release);
    const end = () => {
      leave();
      letGo();
    };
    try {
      return await changesStream(form, changeQuery, request, compared, release, end);
    } catch (error) {
      end();
      throw error;
    }
  });
}

/**
 * Returns the receipt of a release with its comparison under a version.
 * @throws ProblemError if the release does not publish the version, or has no comparison
 */
async function compareRelease(
  release: StoredRelease,
  { rubric }: ChangeListQuery,
  comparisons: Comparisons,
): Promise<ComparedRelease> {
  const { receipt } = release;
  const published = receipt.rubrics.map(({ version }) => version);
  if (!published.includes(rubric)) {
    throw new ProblemError(
      "rubric-not-published",
      `That release publishes no data under SHARE ${rubric}; it publishes ${published.join(" and ")}.`,
    );
  }
  return { receipt, ...(await comparisons.of(release)) };
}

async function changesPart(
  digest: string,
  changeQuery: ChangeListQuery,
  csv: boolean,
  { receipt, previous, table }: ComparedRelease,
  engine: QueryEngine,
): Promise<ContentResponse> {
  const route = routeNamed("release-changes");
  const listed = { path: route.path.replace("{digest}", digest), query: route.query };
  const { cursor, limit, page } = changeQuery;
  // A cursor has the digest of its release, so under `latest` it expires when the next release becomes active.
  const place = readCursor(route.name, changeQuery, receipt.releaseDigest);
  const changes = table === null ? null : new ChangesTable(engine, table);
  const total = (await changes?.count(changeQuery)) ?? 0;
  const before = cursor === undefined ? (page - 1) * limit : (place?.before ?? 0);
  const part = { after: place?.position ?? null, offset: cursor === undefined ? before : 0, limit };
  const { rows, next } = (await changes?.find(changeQuery, part)) ?? { rows: [], next: null };
  const streamForm =
    next === null
      ? null
      : writeCursor(route.name, changeQuery, receipt.releaseDigest, { position: next, before: before + rows.length });
  const list =
    cursor === undefined
      ? listPage(rows, { total, page, limit }, receipt)
      : cursorPage(rows, { total, limit, before, next: streamForm }, receipt);
  const fields = changeQuery.fields === undefined ? null : new RequestedFields(changeQuery.fields);
  const data = fields === null ? list.data : list.data.map((row) => fields.of(row));
  const links =
    cursor === undefined
      ? formatLinks(listed, changeQuery, total)
      : formatCursorLinks(listed, changeQuery, streamForm, csv);
  const link: { link?: string } = links === null ? {} : { link: links };
  if (csv) {
    const response = contentResponse(await csvBody(csvColumns(route.answer, fields), data), CSV_TYPE, route.cache);
    return { ...response, headers: { ...response.headers, ...link, "x-total-count": String(total) } };
  }
  const text = pageText({ ...list, data, _meta: { ...list._meta, previousRelease: previous } });
  const response = contentResponse(Buffer.from(text), route.contentType, route.cache);
  return { ...response, headers: { ...response.headers, ...link } };
}

async function changesStream(
  form: StreamForm,
  changeQuery: ChangeListQuery,
  request: ApiRequest,
  { receipt, table }: ComparedRelease,
  open: OpenRelease,
  end: () => void,
): Promise<HttpResponse> {
  const route = routeNamed("release-changes");
  const disconnected = new AbortController();
  const signal = AbortSignal.any([request.signal, disconnected.signal, AbortSignal.timeout(MAX_STREAM_MS)]);
  const changes =
    table === null ? null : new ChangesTable(open.for({ caller: request.caller, signal }, "stream").engine, table);
  const fields = changeQuery.fields === undefined ? null : new RequestedFields(changeQuery.fields);
  const about = new Map([
    ["share_release", receipt.releaseDigest],
    ["share_rubric", changeQuery.rubric],
  ]);
  return streamResponse(
    form,
    { answer: route.answer, fields, about },
    readChangeBatches(changes, changeQuery),
    route.cache,
    () => {
      disconnected.abort();
      end();
    },
  );
}

/** Yields rows in batches: at least one batch, which is empty if nothing changed. */
async function* readChangeBatches(
  changes: ChangesTable | null,
  changeQuery: ChangeListQuery,
): AsyncGenerator<Batch, void, undefined> {
  if (changes === null) {
    yield { total: 0, rows: [] };
    return;
  }
  const total = await changes.count(changeQuery);
  let after: number | null = null;
  do {
    const { rows, next }: Awaited<ReturnType<ChangesTable["find"]>> = await changes.find(changeQuery, {
      after,
      offset: 0,
      limit: BATCH,
    });
    yield { total, rows };
    after = next;
  } while (after !== null);
}

const COLUMNS = {
  id: "id",
  kind: "kind",
  previousId: "previous_id",
  identifier: "identifier",
  source: "source",
  previousSource: "previous_source",
  repository: "repository",
  title: "title",
  statusBefore: "status_before",
  statusAfter: "status_after",
  totalBefore: "total_before",
  totalAfter: "total_after",
  points: "points",
  causes: "causes",
  reason: "reason",
} as const satisfies Record<keyof ChangeRow, string>;

/** The columns that {@link readChange} expects, in their order. */
export const CHANGE_COLUMNS = Object.values(COLUMNS).join(", ");

const FILTERS = ["kind", "reason", "repository", "source"] as const;

interface ChangesPart {
  readonly after: number | null;
  readonly offset: number;
  readonly limit: number;
}

interface FoundChanges {
  readonly rows: readonly ChangeRow[];
  /** Number, in the table, of the last row that was found; null if no further row follows. */
  readonly next: number | null;
}

/** Reads rows of the table of changes in `file`. */
class ChangesTable {
  readonly #prepared: QueryEngine;
  readonly #from: string;
  readonly #file: string;

  constructor(engine: QueryEngine, file: string) {
    this.#prepared = engine;
    this.#file = file;
    this.#from = `from read_parquet(${quote(file)}, file_row_number = true)`;
  }

  count(changeQuery: ChangeListQuery): Promise<number> {
    const { where, parameters } = buildChangeConditions(changeQuery);
    const { totals } = this.#prepared;
    return totals.of(JSON.stringify([this.#file, parameters]), async () => {
      const [row] = await this.#prepared.rows(`select cast(count(*) as integer) ${this.#from} ${where}`, parameters);
      return Number(row?.[0] ?? 0);
    });
  }

  async find(changeQuery: ChangeListQuery, { after, offset, limit }: ChangesPart): Promise<FoundChanges> {
    const { where, parameters } = buildChangeConditions(changeQuery);
    const behind = after === null ? "" : "and file_row_number > $after";
    // One extra row shows if more rows follow.
    const rows = await this.#prepared.rows(
      `select file_row_number, ${CHANGE_COLUMNS} ${this.#from} ${where} ${behind}
        order by file_row_number limit $limit offset $offset`,
      { ...parameters, ...(after === null ? {} : { after }), limit: limit + 1, offset },
    );
    const found = rows.slice(0, limit);
    const last = found.at(-1)?.[0];
    return {
      rows: found.map(([, ...cells]) => readChange(cells)),
      next: rows.length > limit && last !== undefined ? Number(last) : null,
    };
  }
}

function buildChangeConditions(changeQuery: ChangeListQuery): {
  readonly where: string;
  readonly parameters: Parameters;
} {
  const filters = FILTERS.flatMap((name) =>
    changeQuery[name] === undefined ? [] : [[name, changeQuery[name]] as const],
  );
  return {
    where: ["where rubric = $rubric", ...filters.map(([name]) => `${name} = $${name}`)].join(" and "),
    parameters: { rubric: changeQuery.rubric, ...Object.fromEntries(filters) },
  };
}

/**
 * Reads a row of the table of changes.
 * @throws ProblemError `not-found` if this version of the program cannot read the table, for example because a later
 *   version made it
 */
export function readChange(cells: readonly Cell[]): ChangeRow {
  const row = changeRow.safeParse(Object.fromEntries(Object.keys(COLUMNS).map((name, i) => [name, cells[i] ?? null])));
  if (row.success) return row.data;
  throw new ProblemError(
    "not-found",
    "A different version of the program made that release's changes, and this one cannot read them. Download data/diff-records.parquet instead.",
  );
}

const MAX_COMPARISONS = 64;

const TABLE_FILE = `data/${DIFF_TABLES.change.published}.parquet`;

/** The previous release and the table of changes; both null for the first release. */
export interface PreviousComparison {
  readonly previous: ScoreRelease | null;
  readonly table: string | null;
}

export class Comparisons {
  readonly #byDigest = new LRUCache<string, PreviousComparison>({ max: MAX_COMPARISONS });

  /**
   * Returns the comparison of a release with the one before.
   * @throws ProblemError `not-found` if the release has no comparison
   */
  async of(release: StoredRelease): Promise<PreviousComparison> {
    const { releaseDigest: digest } = release.receipt;
    const known = this.#byDigest.get(digest);
    if (known !== undefined) return known;
    const read = await readComparison(release);
    this.#byDigest.set(digest, read);
    return read;
  }
}

async function readComparison({ folder }: StoredRelease): Promise<PreviousComparison> {
  if ((await findManifestLine(join(folder, "manifest.ndjson"), TABLE_FILE)) === null) {
    throw new ProblemError(
      "not-found",
      "That release was made without a comparison with its predecessor. /releases lists the other releases.",
    );
  }
  const diff: unknown = JSON.parse(await readFile(await releaseFile(folder, DIFF_FILE), "utf8"));
  const { from } = z.object({ from: scoreRelease.nullable() }).parse(diff);
  return { previous: from, table: from === null ? null : await releaseFile(folder, TABLE_FILE) };
}
