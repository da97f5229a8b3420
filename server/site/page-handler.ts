/**
 * Makes handlers of the site: each makes a view with calls to the API, caches it if it is public, and follows redirects
 * of the API.
 */

import { hash } from "node:crypto";
import type { z } from "zod";
import { type ListPage, readPage } from "../../api-static/pages/read-page.ts";
import {
  isServiceRoute,
  pageFor,
  type RouteName,
  routeNamed,
  type ServiceRouteName,
  type SiteRouteName,
} from "../../api-static/routes/index.ts";
import { CACHE, HTML_TYPE } from "../../api-static/routes/route.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { returnPath } from "../../schemas/public/account/sign-in.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS, type PublicVersion, type Rubric } from "../../schemas/public/rubric.ts";
import { buildContentPolicy, type SiteState, siteDocument, type View } from "../../web/components/document.ts";
import type { SiteFace } from "../../web/components/face.ts";
import { scriptsIn } from "../../web/components/scripts.ts";
import { isTranslated, localPath } from "../../web/languages/paths.ts";
import { type Language, language } from "../../web/languages/translate.ts";
import { problemView } from "../../web/views/problem.ts";
import type { Accounts } from "../accounts/database.ts";
import type { SignIn } from "../accounts/sign-in.ts";
import type { Standing, Standings } from "../accounts/standings.ts";
import type { Evaluations } from "../evaluations/index.ts";
import type { RejectedRequest } from "../http/framework.ts";
import type { Quotas } from "../http/quotas.ts";
import type { ApiRequest } from "../http/read-request.ts";
import {
  type ContentResponse,
  contentHeaders,
  contentResponse,
  type HttpResponse,
  ProblemError,
  redirectResponse,
  seeOther,
} from "../http/response.ts";
import {
  type Handler,
  type Handlers,
  type PageHandler,
  PageRequest,
  type ReplyHeaders,
  readQuery,
  responderFor,
  type TypedRequest,
} from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import { readList, type StreamPlaces } from "../read/list-response.ts";
import { listQuery } from "../read/list-tables.ts";
import type { Movements } from "../read/movements.ts";
import type { OpenRelease } from "../read/open-release.ts";
import type { PastReleases } from "../read/other-releases.ts";
import { getReleaseContract, requirePublished } from "../read/pages.ts";
import { readMetrics, readRecord } from "../read/readings.ts";
import { ResponseCache } from "../read/response-cache.ts";
import type { ListRows } from "../read/rows.ts";
import type { CheckScript } from "./check-script.ts";
import { inLanguage } from "./languages.ts";
import type { SharePictures } from "./share-pictures.ts";

export type ViewOrResponse = View | HttpResponse;

/** Makes the view of a route, or a response of another type. */
type ViewMaker<Name extends SiteRouteName> = (
  typedRequest: TypedRequest<Name>,
  api: ApiClient,
  context: SiteContext,
) => Promise<ViewOrResponse>;

/** Returns the handlers of views by the name of their route. */
export function viewHandlers<Name extends SiteRouteName>(
  context: SiteContext,
  makers: { readonly [N in Name]: ViewMaker<N> },
): Handlers<Name> {
  const handlers = (Object.keys(makers) as Name[]).map((name) => [name, viewHandler(name, context, makers[name])]);
  return Object.fromEntries(handlers);
}

export function viewHandler<Name extends SiteRouteName>(
  name: Name,
  context: SiteContext,
  make: ViewMaker<Name>,
): Handler<Name> {
  const { cache, method } = routeNamed(name);
  const isCached = cache !== CACHE.never && method === "get";
  const { viewCache } = context;
  const makeView = async (typedRequest: TypedRequest<Name>, reply: ReplyHeaders) => {
    const { request } = typedRequest;
    const { moment } = viewCache;
    try {
      const result = await make(typedRequest, new ApiClient(context, { request, reply }), context);
      if ("status" in result) return inSameLanguage(result);
      // The list of search results exists only in English.
      if (request.language !== null && !isTranslated(request.path)) return seeOther(request.target);
      const response = viewResponse(result, surroundings(request, context), cache);
      if (isCached) viewCache.set(cacheKey(request), response, moment);
      return response;
    } catch (error) {
      if (error instanceof ApiRedirect) return inSameLanguage(redirectView(error, request));
      throw error;
    }
  };
  return (typedRequest, reply) => {
    const { request } = typedRequest;
    nameRelease(reply, context);
    const cached = isCached ? viewCache.get(cacheKey(request)) : undefined;
    return cached ?? inLanguage(request.language ?? "en", () => makeView(typedRequest, reply));
  };
}

/** Names the active release in the header SHARE-Release of a view, of which the cache only has views of this release. */
export function nameRelease(reply: ReplyHeaders, { active: { digest } }: Pick<SiteContext, "active">): void {
  if (digest !== null) reply.header("share-release", digest);
}

/** Returns the key of a view in the cache: its path and query, after the language that the URL names. */
export function cacheKey({ language: named, target }: Pick<ApiRequest, "language" | "target">): string {
  return named === null ? target : `${named} ${target}`;
}

/** Returns the redirect with the language of the request, if the page to which it leads exists in that language. */
function inSameLanguage(response: HttpResponse): HttpResponse {
  const { location } = response.headers;
  if (location === undefined || language() === "en") return response;
  return { ...response, headers: { ...response.headers, location: localPath(location) } };
}

/** Returns what a document shows besides its view: path and look of the site, and the active release. `query` is missing for the page of a problem, which exists only in English. */
export function surroundings(
  { path, query }: { readonly path: string; readonly query?: string },
  { signIn, active, face, isStatic }: Pick<SiteContext, "signIn" | "active" | "face" | "isStatic">,
): SiteState {
  const receipt = active.release?.receipt;
  const hasLanguages = query !== undefined && !isStatic && isTranslated(path);
  const place = { origin: signIn.site.origin, path, face, ...(hasLanguages ? { query } : {}) };
  if (receipt === undefined) return { ...place, release: null };
  const { scoreReleaseVersion: version, asOf, releaseDigest } = receipt;
  const release = { version, asOf, retraction: active.retractions.get(releaseDigest) ?? null };
  return { ...place, release };
}

function redirectView(redirect: ApiRedirect, { query }: ApiRequest): HttpResponse {
  const { path, cache } = findRedirectTarget(redirect);
  return redirectResponse(query === "" ? path : `${path}?${query}`, cache);
}

/** Returns the path and the cache control of the view to which the API redirects. */
export function findRedirectTarget({ route, key }: ApiRedirect): { readonly path: string; readonly cache: string } {
  const page = pageFor(route);
  if (page === null) throw new Error(`the API redirects to the route ${route}, which has no view; report this`);
  return { path: page.path.replace(/\{\w+\}/, encodeURIComponent(key)), cache: page.cache };
}

const HEADERS = new Map<Language, Readonly<Record<string, string>>>();

/** Returns the headers of every view. With `no-referrer`, browsers would hide the origin of the site's own forms. */
export function viewHeaders(): Readonly<Record<string, string>> {
  const known = HEADERS.get(language());
  if (known !== undefined) return known;
  const made = {
    "content-security-policy": buildContentPolicy(scriptsIn(language()), (text) => hash("sha256", text, "base64")),
    "referrer-policy": "same-origin",
  };
  HEADERS.set(language(), made);
  return made;
}

export function viewResponse(
  view: View,
  around: SiteState,
  cache: string,
  status = 200,
): ContentResponse & { status: number } {
  const { headers, body } = contentResponse(Buffer.from(siteDocument(view, around)), HTML_TYPE, cache);
  const { etag = "", ...without } = headers;
  // Only a response that can be requested again has an entity tag.
  const rest = status === 200 && cache !== "no-store" ? { ...without, etag } : without;
  const links = view.links === undefined ? {} : { link: view.links };
  return { status, body, headers: { ...rest, ...viewHeaders(), ...links } };
}

/** Thrown if the API redirects to another key of the same route, for example to the dataset that supersedes another. */
export class ApiRedirect extends Error {
  readonly code = "moved";
  readonly route: RouteName;
  readonly key: string;

  constructor(route: RouteName, key: string) {
    super(`${route} leads to ${key}`);
    this.route = route;
    this.key = key;
  }
}

function keyIn(location: string): string {
  return decodeURIComponent(new URL(location, "http://localhost").pathname.split("/").at(-1) ?? "");
}

/** Returns the result of `work`, or null if it fails with one of these problems. */
export async function unless<T>(problems: readonly string[], work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ProblemError && problems.includes(error.type)) return null;
    throw error;
  }
}

/** Calls the API for a view. The calls wait in the same queue as other requests of this browser. */
export class ApiClient {
  readonly #context: Pick<SiteContext, "callApi" | "active" | "standings" | "past">;
  readonly #browser: BrowserRequest;

  constructor(context: Pick<SiteContext, "callApi" | "active" | "standings" | "past">, browser: BrowserRequest) {
    this.#context = context;
    this.#browser = browser;
  }

  /**
   * Reads the page of a record as the API returns it.
   * @throws ProblemError of the API; ApiRedirect to the record that supersedes it
   */
  async record(id: string, version: PublicVersion): Promise<RecordDetail> {
    const found = await this.#read((release, standing) =>
      readRecord(id, version, release, standing, this.#context.past),
    );
    if (typeof found === "string") throw new ApiRedirect("record", found);
    return found;
  }

  /**
   * Reads one part of a list of the API. Empty parameters are left out.
   * @throws ProblemError of the API
   */
  list<Name extends ListName>(
    name: Name,
    parameters: Readonly<Record<string, string>>,
  ): Promise<ListPage<ListRows[Name]>> {
    return this.#read((release, standing) => {
      const route = routeNamed(name);
      const query = listQuery.parse(readQuery(route, queryText(parameters)));
      requirePublished(release.receipt, route, query.rubric);
      return readList(name, query, release, standing);
    });
  }

  /**
   * Reads the metrics of the active release.
   * @throws ProblemError of the API
   */
  metrics(version: PublicVersion = PUBLIC_VERSIONS[0]): Promise<LiveMetrics> {
    return this.#read((release) => readMetrics(version, release));
  }

  /** Returns the contract by which the active release is scored under a SHARE version. */
  contract(version: PublicVersion): Promise<Rubric> {
    return this.#read(async ({ receipt }) => getReleaseContract(receipt, version));
  }

  #read<T>(work: (release: OpenRelease, standing: Standing) => Promise<T>): Promise<T> {
    const { active, standings } = this.#context;
    const { request, reply } = this.#browser;
    return active.useFor(reply, (release) => work(release.for(request), standings.current));
  }

  /**
   * Calls the API and reads the response by its schema.
   *
   * @throws ProblemError of the API; ApiRedirect if the API redirects
   */
  async get<Schema extends z.ZodType>(schema: Schema, name: RouteName, call: ApiCall = {}): Promise<z.infer<Schema>> {
    const response = await this.#context.callApi(name, call, this.#browser);
    if (response.headers.location !== undefined && response.status >= 300)
      throw new ApiRedirect(name, keyIn(response.headers.location));
    return readPage(schema, JSON.parse(await readText(response)));
  }

  /** Queries the active release. The query waits in the same queue as other requests of this browser. */
  query<T>(work: (release: OpenRelease) => Promise<T>): Promise<T> {
    return this.#context.active.use((release) => work(release.for(this.#browser.request)));
  }
}

async function readText({ body }: HttpResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  if (body === null || !("file" in body))
    throw new Error("a response of the API has no body from which a view could be made; report this");
  try {
    const bytes = Buffer.alloc(body.length);
    await body.file.read(bytes, 0, body.length, body.start);
    return bytes.toString("utf8");
  } finally {
    await body.file.close();
  }
}

/** The parts of the server that views use. */
export interface SiteContext {
  readonly store: Store;
  readonly callApi: CallApi;
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly signIn: SignIn;
  readonly evaluations: Evaluations;
  readonly streams: StreamPlaces;
  readonly viewCache: ViewCache;
  readonly past: PastReleases;
  readonly movements: Movements;
  readonly pictures: SharePictures;
  readonly now: Effects["now"];
  readonly contact: string | null;
  readonly face: SiteFace;
  readonly quotas: Quotas;
  /** True if the views are written as the files of a static site, which cannot answer a form. */
  readonly isStatic: boolean;
  readonly checkScript: CheckScript;
}

/** A call to the API. Empty query parameters are left out. */
export interface ApiCall {
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The media type to request; JSON by default. */
  readonly accept?: string;
}

/** The browser's request and reply: session, cancellation, cookies and headers. */
interface BrowserRequest {
  readonly request: ApiRequest;
  readonly reply: ReplyHeaders;
}

/**
 * Calls an endpoint in this process, with the same handlers and errors as over HTTP. The call does not count against a quota.
 *
 * @throws ProblemError of the endpoint
 */
type CallApi = (name: RouteName, call: ApiCall, browser: BrowserRequest) => Promise<HttpResponse>;

function queryText(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
}

export function apiInProcess(handlers: Handlers<ServiceRouteName>, page: PageHandler): CallApi {
  return async (name, { key, query = {}, body, accept = "application/json" }, { request, reply }) => {
    const route = routeNamed(name);
    const path = route.path.replace(/\{\w+\}/, encodeURIComponent(key ?? ""));
    const text = queryText(query);
    const apiRequest: ApiRequest = {
      id: request.id,
      language: request.language,
      target: text === "" ? path : `${path}?${text}`,
      path,
      query: text,
      parameters: route.key === null || key === undefined ? {} : { [route.key.name]: key },
      headers: { "user-agent": request.headers["user-agent"], accept },
      caller: request.caller,
      signed: request.signed,
      body,
      charge: request.charge,
      countAs: request.countAs,
      get cookies() {
        return request.cookies;
      },
      get signal() {
        return request.signal;
      },
    };
    return isServiceRoute(name)
      ? responderFor(name, handlers)(apiRequest, reply)
      : page(new PageRequest(route, apiRequest), reply);
  };
}

/** Makes the view of a problem. Without a session, redirects to the sign-in view, which leads back to the page. */
export function problemPage(
  { problem, method, target, retryAfter, referer }: RejectedRequest,
  context: Pick<SiteContext, "signIn" | "active" | "face" | "isStatic">,
): HttpResponse {
  const isRead = method === "GET" || method === "HEAD";
  if (problem.type === "/problems/no-session") {
    const back = isRead ? target : readRefererPath(referer, context);
    return seeOther(`/sign-in?${new URLSearchParams({ returnTo: back })}`);
  }
  const view = problemView(
    problem,
    retryAfter === undefined ? null : Number(retryAfter),
    isRead && returnPath.safeParse(target).success ? target : null,
  );
  const body = Buffer.from(siteDocument(view, surroundings({ path: problem.instance }, context)));
  return { status: problem.status, headers: { ...contentHeaders(HTML_TYPE, CACHE.never), ...viewHeaders() }, body };
}

/** Returns the path of the view that sent the form, from the header Referer; `/me` if that is not on this site. */
export function readRefererPath(referer: string | undefined, { signIn }: Pick<SiteContext, "signIn">): string {
  if (referer === undefined || !URL.canParse(referer)) return "/me";
  const { origin, pathname, search } = new URL(referer);
  return signIn.site.isOwn(origin) ? pathname + search : "/me";
}

/** Problems that are not about the form's content. */
const NOT_OF_FORMS: readonly string[] = ["no-session", "wrong-origin", "internal"];

/**
 * Runs the action of a form. If the API rejects it, shows the form with its content and the problem. `again` returns null
 * for problems that the form cannot show.
 */
export async function orShowForm(
  work: () => Promise<ViewOrResponse>,
  again: (problem: Problem) => Promise<View | null> | View | null,
  request: ApiRequest,
  context: SiteContext,
): Promise<ViewOrResponse | HttpResponse> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || NOT_OF_FORMS.includes(error.type)) throw error;
    const view = await again(error.document(request.path));
    if (view === null) throw error;
    const response = viewResponse(view, surroundings(request, context), CACHE.never, error.status);
    return { ...response, headers: { ...response.headers, ...error.headers } };
  }
}

/** Returns the errors by field; null if the problem is not only about these fields. */
export function errorsIn(fields: readonly string[], { errors = [] }: Problem): ReadonlyMap<string, string> | null {
  const isShown = errors.length > 0 && errors.every(({ path }) => fields.includes(path));
  return isShown ? new Map(errors.map(({ path, message }) => [path, message])) : null;
}

/** Size of the cache in bytes, which is enough for some hundreds of views. */
const BYTES = 16 * 1024 * 1024;

/** Caches recent views. They are valid until the release, its retractions or the hidden researchers change. */
export class ViewCache {
  readonly #active: Pick<ActiveRelease, "digest" | "retractions">;
  readonly #standings: Pick<Standings, "current">;
  #of: { readonly digest: string | null; readonly retractions: object; readonly standing: object };
  #pages = new ResponseCache(BYTES);

  constructor(active: Pick<ActiveRelease, "digest" | "retractions">, standings: Pick<Standings, "current">) {
    this.#active = active;
    this.#standings = standings;
    this.#of = { digest: active.digest, retractions: active.retractions, standing: standings.current };
  }

  get(target: string): ContentResponse | undefined {
    this.#forgetOld();
    return this.#pages.get(target);
  }

  /** An object that identifies the present state. `set` does not cache a view that was begun in another state. */
  get moment(): object {
    this.#forgetOld();
    return this.#of;
  }

  set(target: string, response: ContentResponse, moment: object): void {
    if (this.moment === moment) this.#pages.set(target, response);
  }

  #forgetOld(): void {
    const { digest, retractions } = this.#active;
    const { current: standing } = this.#standings;
    const of = this.#of;
    if (of.digest === digest && of.retractions === retractions && of.standing === standing) return;
    this.#of = { digest, retractions, standing };
    this.#pages = new ResponseCache(BYTES);
  }
}
