/**
 * What a page file says, made from the release's tables by the functions that rendered it: for releases that came without
 * their pages, and for the proof that both say the same.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BadgeWords, repositoryWords } from "../../../api-static/pages/badge.ts";
import { samplingOf } from "../../../api-static/pages/metrics.ts";
import { type Page, pageBytes } from "../../../api-static/pages/read-page.ts";
import type { Explanation } from "../../../api-static/pages/record.ts";
import { rubricExcerpts } from "../../../api-static/pages/rubric.ts";
import type { PageRouteName } from "../../../api-static/routes/index.ts";
import type { Route } from "../../../api-static/routes/route.ts";
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
import type { BadgeLook } from "../../../schemas/public/api/badge.ts";
import { metricsHistory } from "../../../schemas/public/api/metrics.ts";
import type { Receipt, ReleaseExcerpt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ListName } from "../queries/lists.ts";
import type { OpenRelease } from "../release/open-release.ts";
import { badgeAnswer } from "./badge-answer.ts";

type Of<Made> = (release: OpenRelease, key: string, version: PublicVersion) => Promise<Made | null>;
type Maker = Of<Page>;

/** By the name of the route; lists are answered by answer-list.ts. */
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
 * The answer that the route's page for a key has; lists are answered by answer-list.ts. Null where the release lists
 * nothing under the key. `version`: of the route's answer, the default one where it answers alike under all. `look`: of a
 * badge that is not to look as it mostly does.
 */
export async function answerByQuery(
  route: Route,
  version: PublicVersion,
  key: string,
  release: OpenRelease,
  look: BadgeLook | null = null,
): Promise<Answer | null> {
  const badge = badges.get(route.name);
  if (badge !== undefined) {
    const words = await badge(release, key, version);
    return words === null ? null : badgeAnswer(route, words, look);
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
