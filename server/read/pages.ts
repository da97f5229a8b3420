/**
 * Handles every route with pages of the release. A canonical request gets the stored page, and for all others the
 * response is made by a query.
 */

import { datasetWords } from "../../api-static/pages/badge.ts";
import { benchmark, datasetIri, publishedSet, testResultSet } from "../../api-static/pages/fair-test-results.ts";
import { coverageUnder } from "../../api-static/pages/metrics.ts";
import { readPage } from "../../api-static/pages/read-page.ts";
import {
  FTR_TYPE,
  hasPage,
  type PageFile,
  type PageSubject,
  type Route,
  versionKey,
} from "../../api-static/routes/route.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { type RecordDetail, recordDetail, recordId } from "../../schemas/public/api/record.ts";
import { researcherDetail, slug } from "../../schemas/public/api/researcher.ts";
import { type RubricDescriptor, rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type PublicVersion, type Rubric } from "../../schemas/public/rubric.ts";
import { contactUrl } from "../../web/components/contact.ts";
import { type Standing, type Standings, visiblePage, withVerified } from "../accounts/standings.ts";
import { preferredForm, preferredLinkedData, preferredStream, type StreamForm } from "../http/content-negotiation.ts";
import { type ContentResponse, contentResponse, type HttpResponse, ProblemError } from "../http/response.ts";
import type { PageHandler, PageRequest } from "../http/routes.ts";
import { isCanonical } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import type { StreamPlaces } from "./list-response.ts";
import { listResponse, listStream } from "./list-response.ts";
import type { OpenRelease, ReleasePage } from "./open-release.ts";
import type { PinnedReleases } from "./other-releases.ts";
import { badgeLook, badgeResponse, type FormerRecords, releaseInQuery, respondWithoutPage } from "./page-by-query.ts";

export interface PageServices {
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly pinned: PinnedReleases;
  readonly past: FormerRecords;
  readonly streams: StreamPlaces;
  readonly site: boolean;
  /** The operator's email address or URL. */
  readonly contact: string | null;
}

/**
 * Returns the handler of page requests. It returns cached responses and pages directly. All others are promises, and
 * the release stays open until the response is made.
 */
export function pageHandler({ active, standings, pinned, past, streams, site, contact }: PageServices): PageHandler {
  return (pageRequest, reply) => {
    const { release: now } = active;
    const atHand = now === null ? null : cachedResponse(pageRequest, now, standings.current);
    if (now !== null && atHand !== null) {
      reply.header("share-release", now.digest);
      return atHand;
    }
    return active.useFor(reply, async (release) => {
      const ofOther = await pinnedBadge(pageRequest, release, pinned);
      if (ofOther !== null) {
        reply.header("share-release", ofOther.digest);
        return ofOther.answer;
      }
      const form = pageRequest.route.list ? preferredStream(pageRequest.request.headers.accept) : null;
      if (form !== null) return streamList(pageRequest, form, release, standings.current, { active, streams });
      const response = await respondToRoute(pageRequest, release, standings.current, past);
      const type = linkedDataType(pageRequest);
      if (type === null || response.status !== 200 || !(response.body instanceof Uint8Array)) return response;
      const page: unknown = JSON.parse(Buffer.from(response.body).toString("utf8"));
      return pageRequest.route.answer === rubricDescriptor
        ? benchmarkResponse(pageRequest.route, readPage(rubricDescriptor, page), contact)
        : recordAsLinkedData(pageRequest, type, readPage(recordDetail, page), release.receipt, site);
    });
  };
}

/**
 * Returns the page of a canonical request, if it does not depend on headers and lists no researchers. Null if {@link
 * respondToRoute} has to decide. Most requests are answered here.
 */
function cachedResponse(pageRequest: PageRequest, open: OpenRelease, standing: Standing): HttpResponse | null {
  const { route, key } = pageRequest;
  const { target, query, headers } = pageRequest.request;
  if (route.showsResearchers || (route.list && preferredForm(headers.accept) !== "json")) return null;
  if (linkedDataType(pageRequest) !== null) return null;
  const answers = open.answersUnder(standing);
  const cached = answers.get(target);
  if (cached !== undefined) return cached;
  const file = route.pages.find((each) => each.query === query);
  if (file === undefined) return null;
  requireExisting(pageRequest, file.version, open);
  const found = namesPage(route, key) ? open.page(pageAddress(route, file, key ?? "")) : null;
  if (found === null) return null;
  const response = visibleResponse(pageResponse(found, route), route, standing);
  answers.set(target, response);
  return response;
}

/**
 * Returns the type of linked data that a request prefers; null for JSON. If the route does not have this type, returns
 * the route's first one.
 */
function linkedDataType({ route, request }: PageRequest): Route["linkedData"][number] | null {
  const [first = null] = route.linkedData;
  const preferred = first === null ? null : preferredLinkedData(request.headers.accept);
  return preferred === null || route.linkedData.includes(preferred) ? preferred : first;
}

/**
 * Returns the badge of a dataset in the release that the query names. Null if that is the active release, or if the
 * route does not let a query name a release.
 */
async function pinnedBadge(
  { route, query, key, version }: PageRequest,
  open: OpenRelease,
  pinned: PinnedReleases,
): Promise<{ readonly answer: HttpResponse; readonly digest: string } | null> {
  if (!("release" in route.query.shape)) return null;
  const digest = releaseInQuery(query) ?? open.digest;
  if (digest === open.digest) return null;
  const { score, scoreReleaseVersion } = await pinned.readScore(key ?? "", version ?? PUBLIC_VERSIONS[0], digest);
  const words = datasetWords(score);
  const titleParts = [...words.beside, `in release ${scoreReleaseVersion}`];
  return { answer: badgeResponse(route, { ...words, beside: titleParts }, badgeLook(query)), digest };
}

function pageResponse({ body, etag }: ReleasePage, { contentType, cache }: Route): ContentResponse {
  return contentResponse(body, contentType, cache, etag);
}

/**
 * Responds to a request for a route with pages of the release. `standing` has the hidden and verified researchers.
 * @throws ProblemError with the reason, if there is no response
 */
export async function respondToRoute(
  pageRequest: PageRequest,
  open: OpenRelease,
  standing: Standing,
  past: FormerRecords,
): Promise<HttpResponse> {
  const { route, request, query, key, version } = pageRequest;
  const release = open.for(request);
  requireExisting(pageRequest, version, release);
  const csv = route.list && preferredForm(request.headers.accept) === "csv";
  const byQuery =
    csv || (route.list && (!isCanonical(route, request.query) || (await hasHiddenRows(route, release, standing))));
  if (byQuery) return listResponse(route, query, csv, release, standing);
  const own = "style" in route.query.shape && badgeLook(query) !== null;
  const file = own ? null : findPageFile(route, version, request.query);
  const isPage = file !== null && namesPage(route, key);
  const page = isPage ? release.page(pageAddress(route, file, lookUpKey(route, key ?? "", standing))) : null;
  const response =
    page === null ? await respondWithoutPage(pageRequest, release, standing, past) : pageResponse(page, route);
  if (route.answer === researcherDetail) return withVerified(response, key ?? "", standing);
  return isContent(response) ? visibleResponse(response, route, standing) : response;
}

function isContent(response: HttpResponse): response is ContentResponse {
  return response.status === 200 && response.body instanceof Uint8Array;
}

/** Returns the page of a record without hidden creators, and any other response unchanged. */
function visibleResponse(response: ContentResponse, route: Route, standing: Standing): ContentResponse {
  if (route.answer !== recordDetail) return response;
  const visible = visiblePage(response.body, standing);
  return visible === response.body ? response : contentResponse(visible, route.contentType, route.cache);
}

/**
 * Streams a complete list. Until it ends, the stream keeps its release open and takes one of the places for streams.
 */
export async function streamList(
  pageRequest: PageRequest,
  form: StreamForm | "csv",
  open: OpenRelease,
  standing: Standing,
  { active, streams }: Pick<PageServices, "active" | "streams">,
): Promise<HttpResponse> {
  requireExisting(pageRequest, pageRequest.version, open);
  const leave = streams.take(pageRequest.request.caller);
  const letGo = active.hold(open);
  const end = () => {
    leave();
    letGo();
  };
  try {
    return await listStream(pageRequest, form, open, standing, end);
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Checks that the version of a requested page exists and is published.
 * @throws ProblemError if the rubric does not exist, or the release does not publish it
 */
function requireExisting({ route, key }: PageRequest, version: PublicVersion | null, open: OpenRelease): void {
  if (route.key === versionKey) requireRubricName(key);
  requirePublished(open.receipt, route, version);
}

/** True if pages of the list would show or count hidden researchers, so that none of the pages can be used. */
async function hasHiddenRows(route: Route, release: OpenRelease, standing: Standing): Promise<boolean> {
  return route.showsResearchers && (await release.hidden.findPositions(standing.hidden)) !== null;
}

/**
 * Returns the key by which a page is looked up. For a hidden researcher, this key cannot exist, so response and timing
 * are those of an unknown slug.
 */
function lookUpKey({ subject }: Route, key: string, standing: Standing): string {
  return subject === "researcher" && standing.hidden.mayHave(key) ? `~${key.slice(1)}` : key;
}

/** True if the key is valid and can be a file name. Only such a key becomes part of a path. */
function namesPage({ key: pathKey, subject }: Route, key: string | null): boolean {
  if (key === null || pathKey === null) return true;
  return pathKey.schema.safeParse(key).success && isValidKey(subject, key) && hasPage(key);
}

function isValidKey(subject: PageSubject | null, key: string): boolean {
  if (subject === "record") return recordId.safeParse(key).success;
  return subject !== "researcher" || slug.safeParse(key).success;
}

/**
 * Returns the page of a request: for a list, the page of its query, and otherwise of its version. Null if there is
 * none, for example for a badge of a version without badges.
 */
function findPageFile(route: Route, version: PublicVersion | null, query: string): PageFile | null {
  return route.pages.find((page) => (route.list ? page.query === query : page.version === version)) ?? null;
}

/** Checks the name of a rubric. The status of an unknown name is 400, not 404 (interface.md, "Errors"). */
function requireRubricName(name: string | null): void {
  const known: readonly (string | null)[] = [...PUBLIC_VERSIONS, ...CONTRACTS];
  if (known.includes(name)) return;
  const { problem, detail } = versionKey.unknown;
  throw new ProblemError(problem, detail, {
    errors: [{ path: versionKey.name, message: `must be one of ${known.join(", ")}` }],
  });
}

function benchmarkResponse({ cache }: Route, contract: RubricDescriptor, contact: string | null): HttpResponse {
  const document = benchmark(contract, contact === null ? "/" : contactUrl(contact));
  return contentResponse(Buffer.from(JSON.stringify(document)), FTR_TYPE, cache);
}

/** Responds with a record as linked data. If `site` is true, a header links to the HTML view. */
function recordAsLinkedData(
  { route: { cache }, version }: PageRequest,
  type: Route["linkedData"][number],
  record: RecordDetail,
  { rubrics, publishedAt, license = DEFAULT_DATA_LICENCE }: Pick<Receipt, "rubrics" | "publishedAt" | "license">,
  site: boolean,
): HttpResponse {
  const contract = getReleaseContract({ rubrics }, version);
  const run = { set: publishedSet(record, contract), endedAt: publishedAt, licence: license };
  const document = type === FTR_TYPE ? testResultSet(record, contract, run) : describeQuality(record, contract);
  const response = contentResponse(Buffer.from(JSON.stringify(document)), type, cache);
  if (!site) return response;
  return {
    ...response,
    headers: { ...response.headers, link: `</datasets/${record.id}>; rel="describes"; type="text/html"` },
  };
}

/** Prefix of terms that no other vocabulary has. docs/linked-data.md defines them. */
const TERMS = "urn:share:terms:";

/** The JSON-LD context. It is inline, so that programs do not have to fetch it. */
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

/**
 * Describes the score and the signals of a record in the Data Quality Vocabulary of W3C. URLs are relative, because the
 * same document is served under several hosts.
 */
function describeQuality(record: RecordDetail, contract: Rubric): object {
  const { id, doi, title, identifier, signals, source } = record;
  const dataset = datasetIri(record);
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
        ...describeTotal(record),
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
        ...describeState(signal),
      })),
    ],
  };
}

function describeTotal({ score, scoreStatus, cap }: RecordDetail): object {
  return score === null ? { state: scoreStatus, cap } : { state: scoreStatus, value: score.total, cap };
}

/**
 * Returns the state of a signal, with a value if it is `passed` or `absent`. The other states say nothing about the
 * dataset.
 */
function describeState({ state }: RecordDetail["signals"][number]): object {
  return state === "passed" || state === "absent" ? { state, value: state === "passed" } : { state };
}

/** Returns the contract under which a release publishes a version. The version may now stand for a later contract. */
export function getReleaseContract({ rubrics }: Pick<Receipt, "rubrics">, version: PublicVersion | null): Rubric {
  const judged = rubrics.find((each) => each.version === version);
  const contract = judged && readContracts().get(judged.contract);
  if (contract === undefined)
    throw new Error(
      `the release was scored with the contract ${judged?.contract}, which this program does not know; use a newer program`,
    );
  return contract;
}

/**
 * Checks that the release publishes the version of a response, and the data that the route needs, such as the history.
 * `version` is null if the response is the same under every version.
 * @throws ProblemError `rubric-not-published`, `history-not-published`, `attribution-not-published`
 */
export function requirePublished(receipt: Receipt, route: Route, version: PublicVersion | null): void {
  const published = receipt.rubrics.map((rubric) => rubric.version);
  const rubric = receipt.rubrics.find((each) => each.version === version);
  if (version !== null && rubric === undefined) {
    throw new ProblemError(
      "rubric-not-published",
      `The current release publishes no data under SHARE ${version}; it publishes ${published.join(" and ")}.`,
    );
  }
  if (route.needs === "scores" && rubric !== undefined && coverageUnder(receipt.coverage, rubric).scored === 0) {
    throw new ProblemError(
      "rubric-not-published",
      `No record of the current release has a total under SHARE ${rubric.version}. Choose another version with the parameter rubric.`,
    );
  }
  if (route.needs === "history" && !receipt.history) {
    throw new ProblemError(
      "history-not-published",
      "The current release was published without historical metrics. The operator can build a new one with them.",
    );
  }
  if (route.needs === "attribution" && receipt.attribution?.complete !== true) {
    throw new ProblemError(
      "attribution-not-published",
      "The current release has no complete attribution receipt, so it shows no affiliations and no countries. The operator can build a new one.",
    );
  }
}
