/**
 * What a page file says, made from the release's tables by the functions that rendered it: for releases that came without
 * their pages, and for the proof that both say the same.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BadgeWords, repositoryWords } from "../../../api-static/pages/badge.ts";
import { samplingOf } from "../../../api-static/pages/metrics.ts";
import {
  cursorPage,
  type ListPage,
  listPage,
  type Page,
  pageBytes,
  pageText,
} from "../../../api-static/pages/read-page.ts";
import type { Explanation } from "../../../api-static/pages/record.ts";
import { rubricExcerpts } from "../../../api-static/pages/rubric.ts";
import type { PageRouteName } from "../../../api-static/routes/index.ts";
import { CSV_TYPE, type Route } from "../../../api-static/routes/route.ts";
import {
  datasetBadgeWords,
  explanationsOf,
  type IdRange,
  RECORD_PAGES,
  type ScoredRecord,
  scoredRecords,
} from "../../../pipeline/pages/record-pages.ts";
import { historyPage, metricsPage, rubricListPage, rubricPages } from "../../../pipeline/pages/release-pages.ts";
import {
  type ListedResearcher,
  listedResearchers,
  RESEARCHER_PAGES,
  researcherBadgeWords,
} from "../../../pipeline/pages/researcher-pages.ts";
import { metricsHistory } from "../../../schemas/public/api/metrics.ts";
import type { Receipt, ReleaseExcerpt } from "../../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import type { Standing } from "../../accounts/hidden/standings.ts";
import type { AskedPage } from "../../http/add-routes.ts";
import { type Answer, contentAnswer, ProblemError } from "../../http/answer.ts";
import type { StreamForm } from "../../http/content-negotiation.ts";
import { readCursor, writeCursor } from "../listing/cursor.ts";
import { cursorLinksOf, Fields, linksOf } from "../listing/links.ts";
import {
  type Batch,
  csvBody,
  csvColumns,
  LONGEST_STREAM,
  refuseParts,
  streamAnswer,
} from "../listing/stream-answer.ts";
import { findRows, findRowsAfter } from "../queries/find-rows.ts";
import { type ListName, type ListQuery, listName, listQuery } from "../queries/lists.ts";
import { showRows } from "../queries/show-rows.ts";
import type { OpenRelease } from "../release/open-release.ts";
import { askedLook, badgeAnswer } from "./badge-answer.ts";

/** Rows of a batch: some megabytes of text. */
const BATCH = 4096;

/** Calls `end` once, when the last row was read or the reader has left; never if this throws. */
export async function answerStream(
  { route, request, query }: Pick<AskedPage, "route" | "request" | "query">,
  form: StreamForm,
  open: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
  end: () => void,
  batch = BATCH,
): Promise<Answer> {
  refuseParts(request.query);
  const list = listName.parse(route.name);
  const asked: ListQuery = { ...listQuery.parse(query), limit: batch };
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal, AbortSignal.timeout(LONGEST_STREAM)]);
  const release = open.for({ signal });
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const about = new Map([
    ["share_release", release.digest],
    ["share_rubric", asked.rubric],
  ]);
  const streamed = { answer: route.answer, fields, about };
  return streamAnswer(form, streamed, batchesOf(release, list, asked, without), route.cache, () => {
    left.abort();
    end();
  });
}

/** At least one, which is empty where the list is. */
async function* batchesOf(
  release: OpenRelease,
  list: ListName,
  asked: ListQuery,
  without: string | null,
): AsyncGenerator<Batch, void, undefined> {
  let after: number | null = null;
  do {
    const { total, positions, next } = await findRowsAfter(release.prepared, list, asked, without, after);
    yield { total, rows: await showRows(release.prepared, list, asked.rubric, positions) };
    after = next;
  } while (after !== null);
}

type Of<Made> = (release: OpenRelease, key: string, version: PublicVersion) => Promise<Made | null>;
type Maker = Of<Page>;

/** By the name of the route. `answerList` answers lists. */
const MAKERS = {
  record: recordPage("record"),
  impact: recordPage("impact"),
  author: researcherPage("author"),
  metrics: async ({ prepared, receipt }, _key, version) => {
    const sampling = samplingOf(receipt.sources);
    return (await prepared.use((db) => metricsPage(db, version, excerptOf(receipt, version), sampling)))?.text ?? null;
  },
  history: async ({ folder }, _key, version) => {
    const stored: unknown = JSON.parse(await readFile(join(folder, "data/history.json"), "utf8"));
    const page = historyPage(metricsHistory.parse(stored), version);
    if (page !== null) return page;
    throw new ProblemError("history-not-published", `No release so far has metrics under SHARE ${version}.`);
  },
  rubrics: ({ prepared }) => prepared.use(rubricListPage),
  rubric: async (_release, name) => (await rubricPages()).get(name) ?? null,
} satisfies Record<Exclude<PageRouteName, ListName | BadgeRouteName>, Maker>;

type BadgeRouteName = Extract<PageRouteName, `${string}-badge` | `${string}-badge-json`>;

const datasetBadge: Of<BadgeWords> = ofRecord(datasetBadgeWords);
const researcherBadge: Of<BadgeWords> = ofResearcher(researcherBadgeWords);
const repositoryBadge: Of<BadgeWords> = async ({ lookups }, label, version) => {
  const found = await lookups.repositoryFigures(label, version);
  return found === null ? null : repositoryWords(found.mean, found.cap);
};

/** What badges say, by the name of the route: they are drawn as they are asked for. */
const BADGES = {
  "dataset-badge": datasetBadge,
  "dataset-badge-json": datasetBadge,
  "repository-badge": repositoryBadge,
  "repository-badge-json": repositoryBadge,
  "researcher-badge": researcherBadge,
  "researcher-badge-json": researcherBadge,
} satisfies Record<BadgeRouteName, Of<BadgeWords>>;

const badges: ReadonlyMap<string, Of<BadgeWords>> = new Map(Object.entries(BADGES));
const makers: ReadonlyMap<string, Maker> = new Map(Object.entries(MAKERS));

/**
 * Makes the answer that the route's page for a key has; null if the release lists nothing under the key. `answerList`
 * answers lists.
 */
export async function answerByQuery(
  asked: Pick<AskedPage, "route" | "key" | "version" | "query">,
  release: OpenRelease,
): Promise<Answer | null> {
  const { route, query } = asked;
  const key = asked.key ?? "";
  const version = asked.version ?? PUBLIC_VERSIONS[0];
  const badge = badges.get(route.name);
  if (badge !== undefined) {
    const words = await badge(release, key, version);
    return words === null ? null : badgeAnswer(route, words, askedLook(query));
  }
  const make = makers.get(route.name);
  if (make === undefined) throw new Error(`no query answers the route ${route.name}`);
  const text = await make(release, key, version);
  return text === null ? null : contentAnswer(pageBytes(text), route.contentType, route.cache);
}

/** The range that holds one id: ids are all equally long. */
function rangeOf(id: string): IdRange {
  return { from: id, to: `${id}0` };
}

/** The one row of a stream. Read to its end: the engine holds the memory of a stream that is left before. */
async function only<T>(rows: AsyncIterable<T>): Promise<T | null> {
  let found: T | null = null;
  for await (const row of rows) found = row;
  return found;
}

function recordPage(name: keyof typeof RECORD_PAGES): Maker {
  return ofRecord(RECORD_PAGES[name]);
}

function ofRecord<Made>(make: (scored: ScoredRecord, explanation: Explanation) => Made): Of<Made> {
  return async ({ prepared }, id, version) => {
    const [explanation] = await explanationsOf([version]);
    if (explanation === undefined) throw new Error(`no contract is public as ${version}`);
    const scored = await prepared.use((db) => only(scoredRecords(db, rangeOf(id), [version])));
    return scored === null ? null : make(scored, explanation);
  };
}

function researcherPage(name: keyof typeof RESEARCHER_PAGES): Maker {
  return ofResearcher(RESEARCHER_PAGES[name]);
}

function ofResearcher<Made>(make: (listed: ListedResearcher, version: PublicVersion) => Made): Of<Made> {
  return async ({ prepared, lookups }, slug, version) => {
    const id = await lookups.researcherId(slug, version);
    if (id === null) return null;
    const listed = await prepared.use((db) => only(listedResearchers(db, { id }, version)));
    return listed === null ? null : make(listed, version);
  };
}

function excerptOf(receipt: Receipt, version: PublicVersion): ReleaseExcerpt {
  const [, excerpt] = rubricExcerpts(receipt).find(([published]) => published === version) ?? [];
  if (excerpt === undefined) throw new Error(`${receipt.releaseDigest} publishes nothing under ${version}`);
  return excerpt;
}

/** Rows that were found, in the envelope of JSON, and the links that lead on from them. */
interface Part {
  readonly page: ListPage<object>;
  readonly links: string;
}

/**
 * `query` is what the route's schema gave. CSV, which has no envelope, says the total in a header. Who is hidden is
 * neither shown nor counted.
 */
export async function answerList(
  route: Route,
  query: unknown,
  csv: boolean,
  release: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
): Promise<Answer> {
  const list = listName.parse(route.name);
  const asked = listQuery.parse(query);
  const without = list === "authors" ? await release.hidden.positionsOf(hidden) : null;
  const partOf = asked.cursor === undefined ? pageOf : goneOnFrom;
  const { page, links } = await partOf(route, list, asked, release, without);
  const fields = asked.fields === undefined ? null : new Fields(asked.fields);
  const data = fields === null ? page.data : page.data.map((row) => fields.of(row));
  const answer = csv
    ? contentAnswer(await csvBody(csvColumns(route.answer, fields), data), CSV_TYPE, route.cache)
    : contentAnswer(Buffer.from(pageText({ ...page, data })), route.contentType, route.cache);
  const headers = { ...answer.headers, link: links };
  return { ...answer, headers: csv ? { ...headers, "x-total-count": String(page.pagination.total) } : headers };
}

async function pageOf(
  route: Route,
  list: ListName,
  asked: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<Part> {
  const { total, positions } = await findRows(release.prepared, list, asked, without);
  const rows = await showRows(release.prepared, list, asked.rubric, positions);
  return { page: listPage(rows, { ...asked, total }, release.receipt), links: linksOf(route, asked, total) };
}

async function goneOnFrom(
  route: Route,
  list: ListName,
  asked: ListQuery,
  release: OpenRelease,
  without: string | null,
): Promise<Part> {
  const place = readCursor(list, asked, release.digest);
  const found = await findRowsAfter(release.prepared, list, asked, without, place?.position ?? null);
  const { total, positions } = found;
  const before = place?.before ?? 0;
  const next =
    found.next === null
      ? null
      : writeCursor(list, asked, release.digest, { position: found.next, before: before + positions.length });
  const rows = await showRows(release.prepared, list, asked.rubric, positions);
  return {
    page: cursorPage(rows, { total, limit: asked.limit, before, next }, release.receipt),
    links: cursorLinksOf(route, asked, next),
  };
}
