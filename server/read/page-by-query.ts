/**
 * Makes pages from the tables of a release, because releases may come without pages. It uses the functions that also
 * pre-render pages, and tests compare the results.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  type BadgeWords,
  buildBadgeScore,
  buildEndpointBadge,
  datasetWords,
  drawBadge,
  repositoryWords,
  researcherWords,
} from "../../api-static/pages/badge.ts";
import { buildSampling } from "../../api-static/pages/metrics.ts";
import { type PageText, pageBytes, pageText, readPage } from "../../api-static/pages/read-page.ts";
import type { Explanation } from "../../api-static/pages/record.ts";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import { type PageRouteName, routeNamed } from "../../api-static/routes/index.ts";
import {
  getPageFile,
  hasPage,
  isBadge,
  type Route,
  recordKey,
  repositoryKey,
  slugKey,
} from "../../api-static/routes/route.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import {
  datasetBadgeWords,
  type IdRange,
  type ListedResearcher,
  listedResearchers,
  RECORD_PAGES,
  RESEARCHER_PAGES,
  readExplanations,
  researcherBadgeWords,
  type ScoredRecord,
  scoredRecords,
} from "../../pipeline/pages/keyed-pages.ts";
import { historyPage, metricsPage, rubricListPage, rubricPages } from "../../pipeline/pages/release-pages.ts";
import { type BadgeLook, badgeQuery } from "../../schemas/public/api/badge.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import { metricsHistory } from "../../schemas/public/api/metrics.ts";
import { recordDetail, recordId } from "../../schemas/public/api/record.ts";
import { researcherDetail, slug as slugSchema } from "../../schemas/public/api/researcher.ts";
import type { Receipt, ReleaseExcerpt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { english } from "../../web/languages/translate.ts";
import type { Standing } from "../accounts/standings.ts";
import { lookUpHint } from "../http/read-request.ts";
import { contentResponse, type HttpResponse, ProblemError, redirectResponse } from "../http/response.ts";
import { type PageRequest, unknownKey } from "../http/routes.ts";
import { listResponse } from "./list-response.ts";
import type { OpenRelease, RecordFate } from "./open-release.ts";
import { DatasetLeft, type PastReleases } from "./other-releases.ts";

const lookQuery = badgeQuery.pick({ style: true, label: true });
const RECORD = routeNamed("record");
const RESEARCHER = routeNamed("author");

/** Returns the bytes of a pre-rendered page; null if the release has none, or if the key is not valid. */
export function storedPage(route: Route, release: OpenRelease, key: string, version: PublicVersion): Uint8Array | null {
  if (route.key !== null && !(route.key.schema.safeParse(key).success && hasPage(key))) return null;
  return release.page(pageAddress(route, getPageFile(route, version), key))?.body ?? null;
}

function parsed(page: Uint8Array): unknown {
  return JSON.parse(Buffer.from(page).toString("utf8"));
}

const pinQuery = z.object({ release: z.string() });

/**
 * Returns the style and label that a query requests for a badge; null for the defaults, which the stored pages have.
 */
export function badgeLook(query: unknown): BadgeLook | null {
  const { style, label = null } = lookQuery.parse(query);
  return style === "flat" && label === null ? null : { style, label };
}

/**
 * Returns the digest of the release that a query names, as `sha256:<hex>`; null if it names none, so that the active
 * release is meant.
 */
export function releaseInQuery(query: unknown): string | null {
  return pinQuery.safeParse(query).data?.release.replace("-", ":") ?? null;
}

/** Draws a badge. `look` is null for the default style and label. */
export function badgeResponse(route: Route, words: BadgeWords, look: BadgeLook | null): HttpResponse {
  const { contentType, cache } = route;
  const text = isBadge(route) ? drawBadge(words, look ?? {}) : pageText(buildEndpointBadge(words, look ?? {}));
  return contentResponse(pageBytes(text), contentType, cache);
}

type PageQuery<Made> = (release: OpenRelease, key: string, version: PublicVersion) => Promise<Made | null>;
type Maker = PageQuery<PageText>;

/** The functions that make pages, by the name of the route. Lists are not among them, because `listResponse` makes them. */
const MAKERS = {
  record: recordPage("record"),
  impact: recordPage("impact"),
  author: researcherPage("author"),
  metrics: async ({ engine, receipt }, _key, version) => {
    const sampling = buildSampling(receipt.sources);
    return (await engine.use((db) => metricsPage(db, version, findExcerpt(receipt, version), sampling)))?.text ?? null;
  },
  history: async ({ folder }, _key, version) => {
    const stored: unknown = JSON.parse(await readFile(join(folder, "data/history.json"), "utf8"));
    const page = historyPage(metricsHistory.parse(stored), version);
    if (page !== null) return page;
    throw new ProblemError(
      "history-not-published",
      `No release so far has metrics under SHARE ${version}. Choose another version with the parameter rubric.`,
    );
  },
  rubrics: ({ engine }) => engine.use(rubricListPage),
  rubric: async (_release, name) => (await rubricPages()).get(name) ?? null,
} satisfies Record<Exclude<PageRouteName, ListName | BadgeRouteName>, Maker>;

type BadgeRouteName = Extract<PageRouteName, `${string}-badge` | `${string}-badge-json`>;

/**
 * Returns the words of a dataset's badge. Reads the score from the stored page if there is one, which costs a hundredth
 * of the query.
 */
const datasetBadge: PageQuery<BadgeWords> = async (release, id, version) => {
  const page = storedPage(RECORD, release, id, version);
  if (page === null) return recordQuery(datasetBadgeWords)(release, id, version);
  return datasetWords(buildBadgeScore(readPage(recordDetail, parsed(page))));
};
const researcherBadge: PageQuery<BadgeWords> = async (release, key, version) => {
  const page = storedPage(RESEARCHER, release, key, version);
  if (page === null) return researcherQuery(researcherBadgeWords)(release, key, version);
  const { sIndex, sIndexBasis } = readPage(researcherDetail, parsed(page));
  return researcherWords(sIndex, sIndexBasis);
};
const repositoryBadge: PageQuery<BadgeWords> = async ({ lookups }, label, version) => {
  const found = await lookups.repositoryFigures(label, version);
  return found === null ? null : repositoryWords(found.mean, found.cap);
};

/**
 * The functions that make the words of badges, by the name of the route. The words are drawn if a badge has no stored
 * page.
 */
const BADGES = {
  "dataset-badge": datasetBadge,
  "dataset-badge-json": datasetBadge,
  "repository-badge": repositoryBadge,
  "repository-badge-json": repositoryBadge,
  "researcher-badge": researcherBadge,
  "researcher-badge-json": researcherBadge,
} satisfies Record<BadgeRouteName, PageQuery<BadgeWords>>;

const badges: ReadonlyMap<string, PageQuery<BadgeWords>> = new Map(Object.entries(BADGES));
const makers: ReadonlyMap<string, Maker> = new Map(Object.entries(MAKERS));

/**
 * Returns the response that the stored page of a key would give; null if the release does not list the key. Lists are
 * made by `listResponse`.
 */
export async function responseByQuery(
  pageRequest: Pick<PageRequest, "route" | "key" | "version" | "query">,
  release: OpenRelease,
): Promise<HttpResponse | null> {
  const { route, query } = pageRequest;
  const key = pageRequest.key ?? "";
  const version = pageRequest.version ?? PUBLIC_VERSIONS[0];
  const badge = badges.get(route.name);
  if (badge !== undefined) {
    const words = await badge(release, key, version);
    return words === null ? null : badgeResponse(route, words, badgeLook(query));
  }
  const page = await pageFromTables(route.name, release, key, version);
  return page === null ? null : contentResponse(page, route.contentType, route.cache);
}

/** Makes the page of the route `name` for a key; null if the release does not list the key. */
export async function pageFromTables(
  name: string,
  release: OpenRelease,
  key: string,
  version: PublicVersion,
): Promise<Buffer | null> {
  const make = makers.get(name);
  if (make === undefined) throw new Error(`no query of the tables makes the page of the route ${name}; report this`);
  const page = await make(release, key, version);
  return page === null ? null : pageBytes(page);
}

/** Returns the range that contains only this ID, because all IDs have the same length. */
function makeRange(id: string): IdRange {
  return { from: id, to: `${id}0` };
}

/**
 * Returns the only row of a stream; null if it is empty. Reads the stream to its end, because an unfinished stream
 * keeps its memory.
 */
async function onlyRow<T>(rows: AsyncIterable<T>): Promise<T | null> {
  let found: T | null = null;
  for await (const row of rows) found = row;
  return found;
}

function recordPage(name: keyof typeof RECORD_PAGES): Maker {
  return recordQuery(RECORD_PAGES[name]);
}

function recordQuery<Made>(make: (scored: ScoredRecord, explanation: Explanation) => Made): PageQuery<Made> {
  return async ({ engine }, id, version) => {
    const [explanation] = await readExplanations([version]);
    if (explanation === undefined) throw new Error(`no contract is published as SHARE ${version}; report this`);
    const scored = await engine.use((db) => onlyRow(scoredRecords(db, makeRange(id), [version])));
    return scored === null ? null : make(scored, explanation);
  };
}

function researcherPage(name: keyof typeof RESEARCHER_PAGES): Maker {
  return researcherQuery(RESEARCHER_PAGES[name]);
}

function researcherQuery<Made>(make: (listed: ListedResearcher, version: PublicVersion) => Made): PageQuery<Made> {
  return async ({ engine, lookups }, slug, version) => {
    const id = await lookups.researcherId(slug, version);
    if (id === null) return null;
    const listed = await engine.use((db) => onlyRow(listedResearchers(db, { id }, version)));
    return listed === null ? null : make(listed, version);
  };
}

function findExcerpt(receipt: Receipt, version: PublicVersion): ReleaseExcerpt {
  const [, excerpt] = rubricExcerpts(receipt).find(([published]) => published === version) ?? [];
  if (excerpt === undefined)
    throw new Error(`the release ${receipt.releaseDigest} publishes no scores under SHARE ${version}`);
  return excerpt;
}

/**
 * Responds to a request for which no page is stored: with a redirect to the right URL, a page made from the tables, or
 * 404 and the reason.
 */
export async function respondWithoutPage(
  pageRequest: PageRequest,
  release: OpenRelease,
  standing: Standing,
  past: FormerRecords,
): Promise<HttpResponse> {
  const { route } = pageRequest;
  switch (route.subject) {
    case "record":
      return recordWithoutPage(pageRequest, release, past);
    case "researcher":
      return researcherWithoutPage(pageRequest, release, standing);
    case "repository":
      return repositoryWithoutPage(pageRequest, release);
    case "release":
      return route.list
        ? listResponse(route, pageRequest.query, false, release, standing)
        : listedResponse(pageRequest, release);
    case null:
      throw new Error(`the pages of the route ${route.path} are not made by a query of the tables; report this`);
    default:
      return route.subject satisfies never;
  }
}

/** Finds the last score of datasets that only earlier releases have. */
export type FormerRecords = Pick<PastReleases, "findLastScore">;

/**
 * Makes the page of a listed record from the tables, and redirects an alias to the record that supersedes it. Other IDs
 * get 404 with the reason, but the badge of a dataset that is no longer in the release shows its last score with the
 * year, because other websites embed it.
 */
async function recordWithoutPage(
  pageRequest: PageRequest,
  release: OpenRelease,
  past: FormerRecords,
): Promise<HttpResponse> {
  const { key, version } = pageRequest;
  if (key !== null && storedPage(RECORD, release, key, version ?? PUBLIC_VERSIONS[0]) !== null) {
    return listedResponse(pageRequest, release);
  }
  try {
    const superseding = await supersedingRecord(key ?? "", release, past);
    return superseding === null ? listedResponse(pageRequest, release) : redirectToKey(pageRequest, superseding);
  } catch (error) {
    if (!(error instanceof DatasetLeft) || !badges.has(pageRequest.route.name)) throw error;
    const words = datasetWords(error.last.score);
    const year = error.last.release.asOf.slice(0, 4);
    return badgeResponse(
      pageRequest.route,
      { ...words, message: `${words.message} (${year})`, beside: ["no longer in the current release"] },
      badgeLook(pageRequest.query),
    );
  }
}

/**
 * Returns the ID of the record that supersedes a record, or that has its DOI now. Null if the release lists the record
 * itself.
 * @throws ProblemError `dataset-not-found` with the reason; DatasetLeft if an earlier release has the record
 */
export async function supersedingRecord(id: string, release: OpenRelease, past: FormerRecords): Promise<string | null> {
  const missing = (detail: string) => new ProblemError("dataset-not-found", detail);
  if (!recordId.safeParse(id).success) {
    const instead = lookUpHint(id);
    throw instead === null ? unknownKey(recordKey) : missing(`${recordKey.unknown.detail} ${instead}`);
  }
  const found = await release.lookups.recordFate(id);
  switch (found.fate) {
    case "alias":
      return found.winner;
    case "listed":
      return null;
    case "tombstone":
    case "not_dataset":
    case "unknown":
      break;
    default:
      return found satisfies never;
  }
  const last = await past.findLastScore(id, release.digest);
  const now = last === null || last.doi === null ? null : await release.lookups.recordOfDoi(last.doi);
  if (now !== null) return now;
  const reason = whyMissing(found, last !== null);
  throw last === null ? missing(reason) : new DatasetLeft(reason, last);
}

type Missing = Extract<RecordFate, { readonly fate: "tombstone" | "not_dataset" | "unknown" }>;

function whyMissing(missing: Missing, isFormer: boolean): string {
  switch (missing.fate) {
    case "tombstone":
      return missing.reason === null
        ? english("This dataset has been withdrawn at its source.")
        : `This dataset has been withdrawn at its source: ${missing.reason}.`;
    case "not_dataset":
      return missing.reason === null
        ? english("The record under this ID is not a dataset.")
        : `The record under this ID is not a dataset: ${missing.reason}.`;
    case "unknown":
      return isFormer
        ? english("The current release does not have this dataset: the last harvest of its source did not find it.")
        : "No dataset with this ID has been harvested. GET /records lists all datasets.";
    default:
      return missing satisfies never;
  }
}

/**
 * Redirects an outdated slug to the current one if the ORCID iD or ID at its end is known. Hidden researchers count as
 * unknown.
 */
async function researcherWithoutPage(
  pageRequest: PageRequest,
  release: OpenRelease,
  { hidden }: Standing,
): Promise<HttpResponse> {
  const { version } = pageRequest;
  const slug = pageRequest.key ?? "";
  const isSlug = version !== null && slugSchema.safeParse(slug).success;
  const right = isSlug ? await release.lookups.slugLike(slug, version, hidden) : null;
  if (right === null) throw unknownKey(slugKey);
  return right === slug ? listedResponse(pageRequest, release) : redirectToKey(pageRequest, right);
}

/** Makes the response for a repository without a page, for example because its label cannot be a file name. */
async function repositoryWithoutPage(pageRequest: PageRequest, release: OpenRelease): Promise<HttpResponse> {
  const response = await responseByQuery(pageRequest, release);
  if (response === null) throw unknownKey(repositoryKey);
  return response;
}

async function listedResponse(pageRequest: PageRequest, release: OpenRelease): Promise<HttpResponse> {
  const response = await responseByQuery(pageRequest, release);
  if (response === null)
    throw new Error(
      `release ${release.digest} lists ${pageRequest.key}, but has no rows of it; \`share-release release verify\` lists all damage`,
    );
  return response;
}

/** Redirects to the URL of the same route with another key and the same query. */
function redirectToKey({ route, request: { query } }: PageRequest, key: string): HttpResponse {
  const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key));
  return redirectResponse(query === "" ? path : `${path}?${query}`, route.cache);
}
