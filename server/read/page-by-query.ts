/**
 * What a page file says, made from the release's tables by the functions that rendered it: for releases that came without
 * their pages, and for the proof that both say the same.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type BadgeWords, drawBadge, endpointBadgeOf, repositoryWords } from "../../api-static/pages/badge.ts";
import { samplingOf } from "../../api-static/pages/metrics.ts";
import { type Page, pageBytes, pageText } from "../../api-static/pages/read-page.ts";
import type { Explanation } from "../../api-static/pages/record.ts";
import { rubricExcerpts } from "../../api-static/pages/rubric.ts";
import type { PageRouteName } from "../../api-static/routes/index.ts";
import { isBadge, type Route, recordKey, repositoryKey, slugKey } from "../../api-static/routes/route.ts";
import {
  datasetBadgeWords,
  explanationsOf,
  type IdRange,
  type ListedResearcher,
  listedResearchers,
  RECORD_PAGES,
  RESEARCHER_PAGES,
  researcherBadgeWords,
  type ScoredRecord,
  scoredRecords,
} from "../../pipeline/pages/keyed-pages.ts";
import { historyPage, metricsPage, rubricListPage, rubricPages } from "../../pipeline/pages/release-pages.ts";
import { type BadgeLook, badgeQuery } from "../../schemas/public/api/badge.ts";
import { metricsHistory } from "../../schemas/public/api/metrics.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import { slug as slugSchema } from "../../schemas/public/api/researcher.ts";
import type { Receipt, ReleaseExcerpt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import type { Standing } from "../accounts/standings.ts";
import { lookUpInstead } from "../http/read-request.ts";
import { type Answer, contentAnswer, ProblemError, redirectAnswer } from "../http/response.ts";
import { type AskedPage, unknownKey } from "../http/routes.ts";
import { answerList } from "./list-response.ts";
import type { ListName } from "./list-tables.ts";
import type { OpenRelease } from "./open-release.ts";

const lookQuery = badgeQuery.pick({ style: true, label: true });
const pinQuery = z.object({ release: z.string() });

/** How a badge is to look, by what its schema gave; null where it is the usual one, which has a page. */
export function askedLook(query: unknown): BadgeLook | null {
  const { style, label = null } = lookQuery.parse(query);
  return style === "flat" && label === null ? null : { style, label };
}

/** The digest, `sha256-<hex>`, of the release that a figure is to be of; null where it is the active one. */
export function pinnedDigest(query: unknown): string | null {
  return pinQuery.safeParse(query).data?.release ?? null;
}

/** `look`: null for the usual one. */
export function badgeAnswer(route: Route, words: BadgeWords, look: BadgeLook | null): Answer {
  const { contentType, cache } = route;
  const text = isBadge(route) ? drawBadge(words, look ?? {}) : pageText(endpointBadgeOf(words, look ?? {}));
  return contentAnswer(pageBytes(text), contentType, cache);
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

/**
 * No page at an address: a redirect to the right one, an answer made from the release's tables (a copy of a release may
 * come without its pages), or 404 with the reason.
 */
export async function answerWithoutPage(asked: AskedPage, release: OpenRelease, standing: Standing): Promise<Answer> {
  const { route } = asked;
  switch (route.subject) {
    case "record":
      return recordElsewhere(asked, release);
    case "researcher":
      return researcherElsewhere(asked, release, standing);
    case "repository":
      return repositoryWithoutFile(asked, release);
    case "release":
      return route.list ? answerList(route, asked.query, false, release, standing) : made(asked, release);
    case null:
      throw new Error(`the route ${route.path} has no pages`);
    default:
      return route.subject satisfies never;
  }
}

/** An id that lost to another source's moves on to the winner; all others are 404, each with its reason. */
async function recordElsewhere(asked: AskedPage, release: OpenRelease): Promise<Answer> {
  const id = asked.key ?? "";
  const missing = (detail: string) => new ProblemError("dataset-not-found", detail);
  if (!recordId.safeParse(id).success) {
    const instead = lookUpInstead(id);
    throw instead === null ? unknownKey(recordKey) : missing(`${recordKey.unknown.detail} ${instead}`);
  }
  const found = await release.lookups.recordFate(id);
  switch (found.fate) {
    case "alias":
      return moved(asked, found.winner);
    case "tombstone":
      throw missing(`This dataset has been withdrawn at its source${because(found.reason)}`);
    case "not_dataset":
      throw missing(`What was harvested under this id is not a dataset${because(found.reason)}`);
    case "unknown":
      throw missing("No dataset of this id has ever been harvested.");
    case "listed":
      return made(asked, release);
    default:
      return found satisfies never;
  }
}

function because(reason: string | null): string {
  return reason === null ? "." : `: ${reason}.`;
}

/** A known ORCID or id behind another name moves on to the slug of today. Who is hidden is unknown. */
async function researcherElsewhere(asked: AskedPage, release: OpenRelease, { hidden }: Standing): Promise<Answer> {
  const { version } = asked;
  const slug = asked.key ?? "";
  const isSlug = version !== null && slugSchema.safeParse(slug).success;
  const right = isSlug ? await release.lookups.slugLike(slug, version, hidden) : null;
  if (right === null) throw unknownKey(slugKey);
  return right === slug ? made(asked, release) : moved(asked, right);
}

/** Labels that cannot name a file have no page in any release. */
async function repositoryWithoutFile(asked: AskedPage, release: OpenRelease): Promise<Answer> {
  const answer = await answerByQuery(asked, release);
  if (answer === null) throw unknownKey(repositoryKey);
  return answer;
}

/** Makes the answer for a key that the release lists. */
async function made(asked: AskedPage, release: OpenRelease): Promise<Answer> {
  const answer = await answerByQuery(asked, release);
  if (answer === null) throw new Error(`release ${release.digest} lists ${asked.key} but has no rows of it`);
  return answer;
}

/** Redirects to the same route under another key, an id or a slug, with the same query. */
function moved({ route, request: { query } }: AskedPage, key: string): Answer {
  const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key));
  return redirectAnswer(query === "" ? path : `${path}?${query}`, route.cache);
}
