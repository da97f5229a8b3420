/** What came, moved and went in a release: a page of it, the rows a cursor leads to, CSV, or all of it as it is read. */

import { cursorPage, listPage } from "../../../api-static/pages/list.ts";
import { pageText } from "../../../api-static/pages/read-page.ts";
import { routeNamed } from "../../../api-static/routes/index.ts";
import { CSV_TYPE } from "../../../api-static/routes/route.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import type { ChangeListQuery } from "../../../schemas/public/api/queries.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { type StreamForm, wantedForm, wantedStream } from "../../frame/reading/wanted-form.ts";
import { csvBody, csvColumns } from "../listing/csv.ts";
import { readCursor, writeCursor } from "../listing/cursor.ts";
import { Fields } from "../listing/fields.ts";
import { cursorLinksOf, linksOf } from "../listing/links.ts";
import { type Batch, LONGEST_STREAM, refuseParts, streamAnswer } from "../listing/stream-answer.ts";
import type { StreamPlaces } from "../listing/stream-places.ts";
import { ChangesTable } from "../queries/find-changes.ts";
import type { ActiveRelease } from "../release/active-release.ts";
import type { Comparison, Comparisons } from "../release/comparisons.ts";
import type { OpenRelease } from "../release/open-release.ts";
import { digestAddress } from "../release/release-address.ts";
import { type StoredRelease, storedRelease } from "../release/stored-release.ts";

/** Rows of a batch of a stream. */
const BATCH = 4096;

export interface ChangesContext {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly streams: StreamPlaces;
  readonly comparisons: Comparisons;
}

/** A release and what it was compared with. */
interface Compared extends Comparison {
  readonly receipt: Receipt;
}

/** `digest`: as addresses write it. The engine of the active release reads the table, whichever release it is of. */
export async function answerChanges(
  digest: string,
  asked: ChangeListQuery,
  request: ReadRequest,
  { store, active, streams, comparisons }: ChangesContext,
): Promise<Answer> {
  const moved = digestAddress(request, active.digest);
  if (moved !== null) return moved;
  const compared = await comparedOf(await storedRelease(store, digest), asked, comparisons);
  return active.use(async (release) => {
    const form = wantedStream(request.headers.accept);
    if (form === null) return answerPart(digest, asked, request, compared, release);
    refuseParts(request.query);
    const leave = streams.take(request.caller);
    const letGo = active.keep(release);
    const end = () => {
      leave();
      letGo();
    };
    try {
      return await answerAll(form, asked, request, compared, release, end);
    } catch (error) {
      end();
      throw error;
    }
  });
}

/** @throws ProblemError where the release does not publish the version, or was made without a diff */
async function comparedOf(
  release: StoredRelease,
  { rubric }: ChangeListQuery,
  comparisons: Comparisons,
): Promise<Compared> {
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

async function answerPart(
  digest: string,
  asked: ChangeListQuery,
  request: ReadRequest,
  { receipt, previous, table }: Compared,
  release: OpenRelease,
): Promise<Answer> {
  const route = routeNamed("release-changes");
  const listed = { path: route.path.replace("{digest}", digest), query: route.query };
  const { cursor, limit, page } = asked;
  // The release is that of the address: under `latest`, a cursor of the one before has expired.
  const place = readCursor(route.name, asked, receipt.releaseDigest);
  const changes = table === null ? null : new ChangesTable(release.for(request).prepared, table);
  const total = (await changes?.count(asked)) ?? 0;
  const before = cursor === undefined ? (page - 1) * limit : (place?.before ?? 0);
  const part = { after: place?.position ?? null, offset: cursor === undefined ? before : 0, limit };
  const { rows, next } = (await changes?.find(asked, part)) ?? { rows: [], next: null };
  const going =
    next === null
      ? null
      : writeCursor(route.name, asked, receipt.releaseDigest, { position: next, before: before + rows.length });
  const made =
    cursor === undefined
      ? listPage(rows, { total, page, limit }, receipt)
      : cursorPage(rows, { total, limit, before, next: going }, receipt);
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const data = fields === null ? made.data : made.data.map((row) => fields.of(row));
  const link = cursor === undefined ? linksOf(listed, asked, total) : cursorLinksOf(listed, asked, going);
  if (wantedForm(request.headers.accept) === "csv") {
    const answer = contentAnswer(await csvBody(csvColumns(route.answer, fields), data), CSV_TYPE, route.cache);
    return { ...answer, headers: { ...answer.headers, link, "x-total-count": String(total) } };
  }
  const text = pageText({ ...made, data, _meta: { ...made._meta, previousRelease: previous } });
  const answer = contentAnswer(Buffer.from(text), route.contentType, route.cache);
  return { ...answer, headers: { ...answer.headers, link } };
}

async function answerAll(
  form: StreamForm,
  asked: ChangeListQuery,
  request: ReadRequest,
  { receipt, table }: Compared,
  open: OpenRelease,
  end: () => void,
): Promise<Answer> {
  const route = routeNamed("release-changes");
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal, AbortSignal.timeout(LONGEST_STREAM)]);
  const changes = table === null ? null : new ChangesTable(open.for({ signal }).prepared, table);
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const about = new Map([
    ["share_release", receipt.releaseDigest],
    ["share_rubric", asked.rubric],
  ]);
  return streamAnswer(form, { answer: route.answer, fields, about }, batchesOf(changes, asked), route.cache, () => {
    left.abort();
    end();
  });
}

/** At least one, which is empty where nothing moved. */
async function* batchesOf(
  changes: ChangesTable | null,
  asked: ChangeListQuery,
): AsyncGenerator<Batch, void, undefined> {
  if (changes === null) {
    yield { total: 0, rows: [] };
    return;
  }
  const total = await changes.count(asked);
  let after: number | null = null;
  do {
    const { rows, next }: Awaited<ReturnType<ChangesTable["find"]>> = await changes.find(asked, {
      after,
      offset: 0,
      limit: BATCH,
    });
    yield { total, rows };
    after = next;
  } while (after !== null);
}
