/** Handles every route with pages of the release: with the page if the request is canonical, otherwise by query. */

import { datasetWords } from "../../api-static/pages/badge.ts";
import { coverageUnder } from "../../api-static/pages/metrics.ts";
import { readPage } from "../../api-static/pages/read-page.ts";
import {
  hasPage,
  LINKED_DATA_TYPE,
  type PageFile,
  type Route,
  type Subject,
  versionKey,
} from "../../api-static/routes/route.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { type RecordDetail, recordDetail, recordId } from "../../schemas/public/api/record.ts";
import { researcherDetail, slug } from "../../schemas/public/api/researcher.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type PublicVersion, type Rubric } from "../../schemas/public/rubric.ts";
import { type Standing, type Standings, withVerified } from "../accounts/standings.ts";
import { type StreamForm, wantedForm, wantedStream, wantsLinkedData } from "../http/content-negotiation.ts";
import { type Answer, contentAnswer, type PageAnswer, ProblemError } from "../http/response.ts";
import type { AskedPage, PageHandler } from "../http/routes.ts";
import { isCanonical } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import type { StreamPlaces } from "./list-response.ts";
import { answerList, answerStream } from "./list-response.ts";
import type { OpenRelease, Page } from "./open-release.ts";
import type { PinnedReleases } from "./other-releases.ts";
import { answerWithoutPage, askedLook, badgeAnswer, pinnedDigest } from "./page-by-query.ts";

export interface PageContext {
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly pinned: PinnedReleases;
  readonly streams: StreamPlaces;
  /** Whether the site is served. */
  readonly site: boolean;
}

/**
 * Returns cached responses and pages without a promise. For all others the release stays open until the response is
 * made.
 */
export function pageHandler({ active, standings, pinned, streams, site }: PageContext): PageHandler {
  return (asked, reply) => {
    const { release: now } = active;
    const atHand = now === null ? null : answerFromPage(asked, now);
    if (now !== null && atHand !== null) {
      reply.header("share-release", now.digest);
      return atHand;
    }
    return active.use(async (release) => {
      reply.header("share-release", release.digest);
      const past = await answerPinned(asked, release, pinned);
      if (past !== null) {
        reply.header("share-release", past.digest);
        return past.answer;
      }
      const form = asked.route.list ? wantedStream(asked.request.headers.accept) : null;
      if (form !== null) return answerWhole(asked, form, release, standings.current, { active, streams });
      const answer = await answerRoute(asked, release, standings.current);
      return isLinked(asked) ? answerLinked(asked, answer, release.receipt, site) : answer;
    });
  };
}

/**
 * Returns the page of a canonical request, if neither headers nor hidden researchers matter; null if {@link
 * respondToRoute} has to decide. Most requests end here.
 */
function answerFromPage(asked: AskedPage, open: OpenRelease): Answer | null {
  const { route, key } = asked;
  const { target, query, headers } = asked.request;
  if (route.showsResearchers || (route.list && wantedForm(headers.accept) !== "json")) return null;
  if (isLinked(asked)) return null;
  const kept = open.answers.get(target);
  if (kept !== undefined) return kept;
  const file = route.pages.find((each) => each.query === query);
  if (file === undefined) return null;
  requireExisting(asked, file.version, open);
  const found = namesPage(route, key) ? open.page(pageAddress(route, file, key ?? "")) : null;
  if (found === null) return null;
  const answer = pageAnswer(found, route);
  open.answers.set(target, answer);
  return answer;
}

function isLinked({ route, request }: AskedPage): boolean {
  return route.linkedData && wantsLinkedData(request.headers.accept);
}

/** Returns the badge of the release that the query names; null for the active release and for all other routes. */
async function answerPinned(
  { route, query, key, version }: AskedPage,
  open: OpenRelease,
  pinned: PinnedReleases,
): Promise<{ readonly answer: Answer; readonly digest: string } | null> {
  if (!("release" in route.query.shape)) return null;
  const digest = pinnedDigest(query)?.replace("-", ":") ?? open.digest;
  if (digest === open.digest) return null;
  const { score, scoreReleaseVersion } = await pinned.scoreOf(key ?? "", version ?? PUBLIC_VERSIONS[0], digest);
  const words = datasetWords(score);
  const beside = [...words.beside, `in release ${scoreReleaseVersion}`];
  return { answer: badgeAnswer(route, { ...words, beside }, askedLook(query)), digest };
}

function pageAnswer({ body, etag }: Page, { contentType, cache }: Route): PageAnswer {
  return contentAnswer(body, contentType, cache, etag);
}

/**
 * `standing`: hidden and verified researchers.
 * @throws ProblemError with the reason, if there is no response
 */
export async function answerRoute(asked: AskedPage, open: OpenRelease, standing: Standing): Promise<Answer> {
  const { route, request, query, key, version } = asked;
  const release = open.for(request);
  requireExisting(asked, version, release);
  const csv = route.list && wantedForm(request.headers.accept) === "csv";
  const byQuery =
    csv || (route.list && (!isCanonical(route, request.query) || (await leavesOut(route, release, standing))));
  if (byQuery) return answerList(route, query, csv, release, standing);
  const own = "style" in route.query.shape && askedLook(query) !== null;
  const file = own ? null : fileFor(route, version, request.query);
  const isPage = file !== null && namesPage(route, key);
  const page = isPage ? release.page(pageAddress(route, file, shownKey(route, key ?? "", standing))) : null;
  const answer = page === null ? await answerWithoutPage(asked, release, standing) : pageAnswer(page, route);
  return route.answer === researcherDetail ? withVerified(answer, key ?? "", standing) : answer;
}

/** Streams a whole list. The stream keeps its release open and a place taken until it ends. */
async function answerWhole(
  asked: AskedPage,
  form: StreamForm,
  open: OpenRelease,
  standing: Standing,
  { active, streams }: Pick<PageContext, "active" | "streams">,
): Promise<Answer> {
  requireExisting(asked, asked.version, open);
  const leave = streams.take(asked.request.caller);
  const letGo = active.keep(open);
  const end = () => {
    leave();
    letGo();
  };
  try {
    return await answerStream(asked, form, open, standing, end);
  } catch (error) {
    end();
    throw error;
  }
}

/** @throws ProblemError if the rubric does not exist, or the release does not publish it */
function requireExisting({ route, key }: AskedPage, version: PublicVersion | null, open: OpenRelease): void {
  if (route.key === versionKey) requireRubricName(key);
  requirePublished(open.receipt, route, version);
}

/** Whether pages of the list show or count hidden researchers. Then none of them can be used. */
async function leavesOut(route: Route, release: OpenRelease, { hidden }: Standing): Promise<boolean> {
  return route.showsResearchers && (await release.hidden.positionsOf(hidden)) !== null;
}

/**
 * Returns the key of the page to look up. A hidden researcher gets a key that cannot exist, so that the response and
 * its timing are those of an unknown slug.
 */
function shownKey({ subject }: Route, key: string, { hidden }: Standing): string {
  return subject === "researcher" && hidden.mayHave(key) ? `~${key.slice(1)}` : key;
}

/** Only a valid key that can be a file name becomes part of a path. */
function namesPage({ key: pathKey, subject }: Route, key: string | null): boolean {
  if (key === null || pathKey === null) return true;
  return pathKey.schema.safeParse(key).success && isKeyOf(subject, key) && hasPage(key);
}

function isKeyOf(subject: Subject | null, key: string): boolean {
  if (subject === "record") return recordId.safeParse(key).success;
  return subject !== "researcher" || slug.safeParse(key).success;
}

/**
 * Finds the page of a request: by query for a list, otherwise by version; null for a badge of a version without badges.
 */
function fileFor(route: Route, version: PublicVersion | null, query: string): PageFile | null {
  return route.pages.find((page) => (route.list ? page.query === query : page.version === version)) ?? null;
}

/** An unknown rubric is 400, not 404 (interface.md, "Errors"). */
function requireRubricName(name: string | null): void {
  const known: readonly (string | null)[] = [...PUBLIC_VERSIONS, ...CONTRACTS];
  if (known.includes(name)) return;
  const { problem, detail } = versionKey.unknown;
  throw new ProblemError(problem, detail, {
    errors: [{ path: versionKey.name, message: `must be one of ${known.join(", ")}` }],
  });
}

/**
 * Converts a record to linked data. `page`: the JSON response, which is returned as it is if it is not a record, such
 * as a redirect. `site`: whether to link to the HTML view.
 */
async function answerLinked(
  { route: { cache }, version }: AskedPage,
  page: Answer,
  { rubrics }: Pick<Receipt, "rubrics">,
  site: boolean,
): Promise<Answer> {
  if (page.status !== 200 || !(page.body instanceof Uint8Array)) return page;
  const record = readPage(recordDetail, JSON.parse(Buffer.from(page.body).toString("utf8")));
  // The contract of the release; a later contract may now be public under this version.
  const judged = rubrics.find((rubric) => rubric.version === version);
  const contract = judged && (await readContracts()).get(judged.contract);
  if (contract === undefined) throw new Error(`the contract of the release is not known: ${judged?.contract}`);
  const text = JSON.stringify(qualityOf(record, contract));
  const answer = contentAnswer(Buffer.from(text), LINKED_DATA_TYPE, cache);
  if (!site) return answer;
  return {
    ...answer,
    headers: { ...answer.headers, link: `</datasets/${record.id}>; rel="describes"; type="text/html"` },
  };
}

/** Prefix of terms that no other vocabulary has. docs/linked-data.md defines them. */
const TERMS = "urn:share:terms:";

/** Inline, so that no reader has to fetch it. */
const CONTEXT = {
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  dqv: "http://www.w3.org/ns/dqv#",
  prov: "http://www.w3.org/ns/prov#",
  skos: "http://www.w3.org/2004/02/skos/core#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  share: TERMS,
  id: "@id",
  type: "@type",
  title: "dct:title",
  identifier: "dct:identifier",
  source: { "@id": "dct:source", "@type": "@id" },
  measurements: { "@id": "dqv:hasQualityMeasurement", "@container": "@set" },
  computedOn: { "@id": "dqv:computedOn", "@type": "@id" },
  metric: { "@id": "dqv:isMeasurementOf" },
  value: "dqv:value",
  state: { "@id": "share:state", "@type": "@vocab" },
  cap: "share:cap",
  dimension: { "@id": "dqv:inDimension" },
  expects: { "@id": "dqv:expectedDataType", "@type": "@id" },
  name: "skos:prefLabel",
  question: "skos:definition",
  "@vocab": TERMS,
} as const;

/** URLs are relative, because the same document is served under several hosts. */
function qualityOf(record: RecordDetail, contract: Rubric): object {
  const { id, doi, url, title, identifier, signals, source } = record;
  const dataset = doi === null ? (url ?? `/datasets/${id}`) : doiAddress(doi);
  const rubric = `/rubrics/${contract.contract}`;
  const about = { type: "dqv:QualityMeasurement", computedOn: dataset } as const;
  const names = new Map(contract.buckets.map((bucket) => [bucket.id, bucket.name]));
  const questions = new Map(contract.signals.map((signal) => [signal.id, signal.question]));
  return {
    "@context": CONTEXT,
    id: dataset,
    type: "dcat:Dataset",
    ...(title === null ? {} : { title }),
    identifier: doi ?? identifier,
    source: `urn:${source.payloadDigest}`,
    measurements: [
      {
        ...about,
        id: `/records/${id}#${contract.contract}-total`,
        metric: { id: `${rubric}#total`, type: "dqv:Metric", name: "SHARE score", expects: "xsd:integer" },
        ...totalOf(record),
      },
      ...signals.map((signal) => ({
        ...about,
        id: `/records/${id}#${contract.contract}-${signal.id}`,
        metric: {
          id: `${rubric}#${signal.id}`,
          type: "dqv:Metric",
          name: signal.name,
          question: questions.get(signal.id) ?? "",
          expects: "xsd:boolean",
          dimension: {
            id: `${rubric}#${signal.bucket}`,
            type: "dqv:Dimension",
            name: names.get(signal.bucket) ?? signal.bucket,
          },
        },
        ...worthOf(signal),
      })),
    ],
  };
}

/** States the cap of the source beside each total. */
function totalOf({ score, scoreStatus, cap }: RecordDetail): object {
  return score === null ? { state: scoreStatus, cap } : { state: scoreStatus, value: score.total, cap };
}

/** Only `passed` and `absent` have a value. The other states say nothing about the dataset. */
function worthOf({ state }: RecordDetail["signals"][number]): object {
  return state === "passed" || state === "absent" ? { state, value: state === "passed" } : { state };
}

/** `version`: of the response; null if it is the same under every version. */
function requirePublished(receipt: Receipt, route: Route, version: PublicVersion | null): void {
  const published = receipt.rubrics.map((rubric) => rubric.version);
  const rubric = receipt.rubrics.find((each) => each.version === version);
  if (version !== null && rubric === undefined) {
    throw new ProblemError(
      "rubric-not-published",
      `The active release publishes no data under SHARE ${version}; it publishes ${published.join(" and ")}.`,
    );
  }
  if (route.needs === "scores" && rubric !== undefined && coverageUnder(receipt.coverage, rubric).scored === 0) {
    throw new ProblemError(
      "rubric-not-published",
      `No record of the active release has a total under SHARE ${rubric.version}.`,
    );
  }
  if (route.needs === "history" && !receipt.history) {
    throw new ProblemError("history-not-published", "The active release was published without historical metrics.");
  }
  if (route.needs === "attribution" && receipt.attribution?.complete !== true) {
    throw new ProblemError(
      "attribution-not-published",
      "The active release has no complete attribution receipt, so it shows no affiliations and no countries.",
    );
  }
}
