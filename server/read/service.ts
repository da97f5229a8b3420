/** Handlers of the endpoints about the service itself, such as /health and /status. */

import { hash } from "node:crypto";
import { openApi } from "../../api-static/openapi/index.ts";
import { API_VERSION, TITLE } from "../../api-static/openapi/operation.ts";
import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { REFERENCE_POLICY } from "../../api-static/routes/headers.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { CACHE, HTML_TYPE, problemKey, referenceKey } from "../../api-static/routes/route.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { readStorePublicKeys } from "../../pipeline/store/key-set.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ServiceIndex } from "../../schemas/public/api/service.ts";
import { PROBLEMS, type ProblemType } from "../../schemas/public/problem.ts";
import type { Receipt, SourceReceipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { buildContentPolicy } from "../../web/components/document.ts";
import { SCRIPTS } from "../../web/components/scripts.ts";
import { type ReferenceServer, referencePages } from "../../web/reference/index.ts";
import { frontPage } from "../../web/views/home.ts";
import { problemTypePage } from "../../web/views/problem.ts";
import type { Standings } from "../accounts/standings.ts";
import { prefersHtml } from "../http/content-negotiation.ts";
import type { ApiRequest } from "../http/read-request.ts";
import { contentResponse, type HttpResponse, jsonResponse } from "../http/response.ts";
import { type Handlers, unknownKey } from "../http/routes.ts";
import type { ActiveRelease } from "./active-release.ts";
import { fillRequests, readOwnIds } from "./own-examples.ts";
import { SharedResults } from "./shared-results.ts";

export interface ServiceContext {
  readonly store: Store;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly now: Effects["now"];
  readonly contact: string | null;
  readonly reference: ReferenceServer;
}

type ServiceRouteName = "index" | "health" | "status" | "release-keys" | "openapi" | "docs" | "docs-group" | "problem";

export function serviceHandlers(context: ServiceContext): Handlers<ServiceRouteName> {
  const reference = referenceResponses(context);
  return {
    index: ({ request }) => indexResponse(request),
    health: () => healthResponse(context),
    status: () => statusResponse(context),
    "release-keys": () => releaseKeysResponse(context.store),
    openapi: openApiResponse(context.contact),
    docs: () => reference(""),
    "docs-group": ({ key }) => reference(key),
    problem: ({ key, request }) => problemTypeResponse(key, request),
  };
}

const [SHARE_VERSION] = PUBLIC_VERSIONS;

/**
 * Responds with the front page as HTML for people, and with the URL of each route, by name, for programs. Braces in a
 * URL mark a parameter, such as `/records/{id}`.
 */
async function indexResponse(request: ApiRequest): Promise<HttpResponse> {
  if (prefersHtml(request)) return contentResponse(Buffer.from(frontPage(SHARE_VERSION)), HTML_TYPE, CACHE.page);
  const links = ROUTES.filter(({ name }) => name !== "index").map(({ name, path }): [string, string] => [name, path]);
  const index: ServiceIndex = {
    name: TITLE,
    apiVersion: API_VERSION,
    shareVersion: SHARE_VERSION,
    links: Object.fromEntries(links),
  };
  return jsonResponse(index, CACHE.page);
}

function openApiResponse(contact: string | null): () => HttpResponse {
  let response: HttpResponse | null = null;
  return () => {
    response ??= jsonResponse(openApi(contact), CACHE.page);
    return response;
  };
}

/** Responds with the description of a problem type: HTML for people, JSON for programs. */
function problemTypeResponse(name: string, request: ApiRequest): HttpResponse {
  const type = getProblemType(name);
  const page = { type: `/problems/${type}`, ...PROBLEMS[type], advice: PROBLEM_ADVICE[type] };
  if (!prefersHtml(request)) return jsonResponse(page, CACHE.page);
  return contentResponse(Buffer.from(problemTypePage(page)), HTML_TYPE, CACHE.page);
}

function getProblemType(name: string): ProblemType {
  const known = Object.keys(PROBLEM_ADVICE).find((type): type is ProblemType => type === name);
  if (known !== undefined) return known;
  throw unknownKey(problemKey);
}

/** The policy of the reference on a server with the site, whose header and scripts it has. */
const SITE_POLICY = buildContentPolicy(SCRIPTS, (text) => hash("sha256", text, "base64"));

/**
 * Returns a function that responds with the page of the API reference for a group of endpoints; `""` is the index.
 * Requests on a page name a researcher, so caches keep the page only as long as a page of that researcher.
 */
function referenceResponses({
  contact,
  reference,
  active,
  standings,
}: ServiceContext): (group: string) => Promise<HttpResponse> {
  const pages = new SharedResults<ReadonlyMap<string, HttpResponse>>({ max: 1 });
  return async (group) => {
    const own = await readOwnIds(active, standings);
    const responses = await pages.of(JSON.stringify([...own]), async () => {
      const made = [...referencePages(openApi(contact), reference)].map(([name, text]) => {
        const body = Buffer.from(fillRequests(text, own));
        const { headers, ...response } = contentResponse(body, HTML_TYPE, CACHE.person);
        const policy = { "content-security-policy": reference.hasSite ? SITE_POLICY : REFERENCE_POLICY };
        return [name, { ...response, headers: { ...headers, ...policy } }] as const;
      });
      return new Map(made);
    });
    const response = responses.get(group);
    if (response === undefined) throw unknownKey(referenceKey);
    return response;
  };
}

/** Responds with status 200 as long as the server accepts requests. `release` is null if no release is active. */
async function healthResponse({
  active,
  standings,
}: Pick<ServiceContext, "active" | "standings">): Promise<HttpResponse> {
  const hiddenResearchers = standings.isStale ? "stale" : "current";
  return jsonResponse({ status: "ok", release: active.digest, hiddenResearchers }, "no-store");
}

/**
 * Responds with the state of each source: expected and retrieved records, the age of the newest retrieval, and
 * rejections by reason.
 */
async function statusResponse({ active, now }: Pick<ServiceContext, "active" | "now">): Promise<HttpResponse> {
  return active.use(async ({ receipt }) => jsonResponse(buildStatus(receipt, now()), "no-store"));
}

function buildStatus(receipt: Receipt, at: Date) {
  const { scoreReleaseVersion, releaseDigest, publishedAt, asOf, coverage, rejected } = receipt;
  return {
    release: { scoreReleaseVersion, releaseDigest, publishedAt, asOf, coverage, rejected },
    sources: receipt.sources.map((source) => sourceStatus(source, at)),
  };
}

/** Returns the state of a source. `expected`, `got` and `complete` describe the last finished harvest; null if unknown. */
function sourceStatus(source: SourceReceipt, at: Date) {
  return {
    source: source.source,
    expected: source.completeness?.expected ?? null,
    got: source.completeness?.got ?? null,
    complete: source.completeness?.complete ?? null,
    oldestRetrieval: source.oldestRetrieval,
    newestRetrieval: source.newestRetrieval,
    scopes: source.scopes ?? [],
    carriedFrom: source.carriedFrom ?? null,
    ageSeconds: source.newestRetrieval === null ? null : ageSeconds(source.newestRetrieval, at),
    coverage: source.coverage,
    rejected: source.rejected,
  };
}

function ageSeconds(instant: string, at: Date): number {
  return Math.max(0, Math.floor((at.getTime() - Date.parse(instant)) / 1000));
}

/**
 * Responds with the public keys of the releases. The key set is empty if the store has no keys, and its releases are
 * then not signed.
 */
async function releaseKeysResponse(store: Store): Promise<HttpResponse> {
  return jsonResponse(await readStorePublicKeys(store), CACHE.page);
}
