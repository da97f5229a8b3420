/** Adds every route of api-static/routes/index.ts to the server, with 405 for other methods. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  isServiceRoute,
  isSiteRoute,
  PAGES,
  pageFor,
  ROUTES,
  type RouteName,
  type RouteNamed,
  routeNamed,
  type ServiceRouteName,
  type SiteRouteName,
} from "../../api-static/routes/index.ts";
import { CACHE, CSS_TYPE, FONT_PATH, ignores, type Route } from "../../api-static/routes/route.ts";
import { doiIn } from "../../pipeline/parse-identifier.ts";
import { nearest, readOrcid, readRor } from "../../pipeline/reading/identifiers.ts";
import { MAX_NAMED } from "../../schemas/public/api/lists.ts";
import { FIRST_PAGE } from "../../schemas/public/api/queries.ts";
import { rowMembers } from "../../schemas/public/api/record.ts";
import type { PathKey } from "../../schemas/public/path-key.ts";
import { PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import { preferredLinkedData, prefersHtml } from "./content-negotiation.ts";
import type { RateLimits } from "./limits.ts";
import { bodyTypes, ignoreTypeOfNothing, readBodies, readBody, rejectCompressed } from "./read-body.ts";
import { type ApiRequest, type RoutedRequest, readRequest, rejectMalformed, type Session } from "./read-request.ts";
import { type HttpResponse, ProblemError, redirectResponse, sendResponse } from "./response.ts";

export interface RouteHooks {
  /** Checks a request to an own-site route and sets its session. */
  readonly ownSite: (route: Route) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Counts a request towards the additional quota of its route. */
  readonly charge: RateLimits["charge"];
  /** Counts a request several more times towards the quota of its caller. */
  readonly chargeAgain: RateLimits["chargeAgain"];
}

const METHODS = { get: ["GET", "HEAD"], post: ["POST"], delete: ["DELETE"] } as const satisfies Record<
  Route["method"],
  readonly string[]
>;

/** Seconds for which a browser may cache a preflight response: one day. */
const PREFLIGHT_SECONDS = "86400";

/**
 * The handlers of all routes. `handlers` has those of the service, `page` handles the routes with pages of the release,
 * and `site` has those of the site.
 */
export interface AllHandlers {
  readonly handlers: Handlers<ServiceRouteName>;
  readonly page: PageHandler;
  /** The handlers of the site; null if the server has no site. */
  readonly site: Handlers<SiteRouteName> | null;
}

export function addRoutes(app: FastifyInstance, answerers: AllHandlers, gates: RouteHooks): void {
  rejectMalformed(app);
  const { site } = answerers;
  const routes = site === null ? ROUTES : [...ROUTES, ...PAGES];
  for (const route of routes) {
    // Each kind of body is parsed only in the scope of its route.
    const isPlainJson = route.bodyKind === "json" && route.listField === null;
    if (route.body === null || isPlainJson) addRoute(app, route, answerers, gates);
    else app.register(async (scope) => addRoute(readBodies(scope, route), route, answerers, gates));
  }
  for (const path of new Set(routes.map((route) => route.path))) addOtherMethods(app, path, routes);
}

/** The route with the state of a job. The view of a job shows the same, so both count as polls. */
const JOB_ROUTE = "evaluation-job";

/** True for files that pages embed. They have a quota of their own, so that also the page of a rate limit has its look. */
function isEmbedded({ path, contentType }: Route): boolean {
  return path.startsWith("/widgets/") || LOOK.includes(path) || contentType === CSS_TYPE;
}

const LOOK: readonly string[] = [FONT_PATH, "/favicon.svg", "/logo.svg", "/logo.png"];

function addRoute(app: FastifyInstance, route: Route, answerers: AllHandlers, gates: RouteHooks): void {
  const respond = chooseResponder(route, answerers);
  app.route<{ Params: RoutedRequest["params"] }>({
    method: [...METHODS[route.method]],
    url: toRouterPath(route.path),
    bodyLimit: route.largestBody,
    config: {
      ownSite: route.ownSite,
      site: isSiteRoute(route.name),
      badge: isEmbedded(route),
      bodyTypes: bodyTypes(route),
      poll: route.name === JOB_ROUTE || route.twin === JOB_ROUTE,
    },
    onRequest: [
      ...(route.body === null && route.method !== "get" ? [ignoreTypeOfNothing] : []),
      ...(route.body === null ? [] : [rejectCompressed]),
      ...(route.ownSite ? [gates.ownSite(route)] : []),
    ],
    handler: (request: RoutedRequest, reply: FastifyReply) => {
      const charged = charges(route, request, reply, gates);
      const read = () =>
        readRequest(request, {
          charge: async (quota) => (await gates.charge(request, reply, quota)).remaining,
          countAs: (requests) => gates.chargeAgain(request, reply, requests - 1),
        });
      if (charged === null) return send(reply, respond(read(), reply));
      return charged.then(() => send(reply, respond(read(), reply)));
    },
  });
}

/**
 * Counts a request towards the quota of its route, and a long list as several requests. Null if there is nothing to
 * count.
 */
function charges(
  { quota, listField }: Route,
  request: RoutedRequest,
  reply: FastifyReply,
  gates: RouteHooks,
): Promise<unknown> | null {
  if (quota !== null) return gates.charge(request, reply, quota);
  if (listField === null) return null;
  const list: unknown = Object(request.body)[listField.name];
  const requests = Array.isArray(list) ? Math.ceil(list.length / listField.perRequest) : 1;
  return gates.chargeAgain(request, reply, requests - 1);
}

function chooseResponder(route: Route, { handlers, page, site }: AllHandlers): Responder {
  const { name } = route;
  if (site !== null && isSiteRoute(name)) return responderFor(name, site);
  const respond: Responder = isServiceRoute(name)
    ? responderFor(name, handlers)
    : (request, reply) => page(new PageRequest(route, request), reply);
  const people = site === null ? null : pageFor(name);
  return people === null ? respond : redirectBrowsers(route, people, respond);
}

export function responderFor<Name extends HandledRouteName>(name: Name, handlers: Handlers<Name>): Responder {
  const [handler, read] = [handlers[name], requestReader(name)];
  return (request, reply) => handler(read(request), reply);
}

/**
 * Sends a response, without a promise if the response is available, because a promise would cost more than finding a
 * page.
 */
function send(reply: FastifyReply, response: HttpResponse | Promise<HttpResponse>): Promise<FastifyReply> | undefined {
  const sent =
    response instanceof Promise ? response.then((made) => sendResponse(reply, made)) : sendResponse(reply, response);
  // Fastify uses this promise as the handler's result.
  return sent?.then(() => reply);
}

/** Adds OPTIONS, also for preflight requests, and responds 405 for every other method. */
function addOtherMethods(app: FastifyInstance, path: string, routes: readonly Route[]): void {
  const allowed = [
    ...routes.filter((route) => route.path === path).flatMap(({ method }) => METHODS[method]),
    "OPTIONS",
  ];
  const allow = allowed.join(", ");
  const ownSite = routes.some((route) => route.path === path && route.ownSite);
  const config = { ownSite };
  const headers = {
    allow,
    // Own-site routes allow no preflight, because other sites must not use them.
    ...(ownSite
      ? {}
      : {
          "access-control-allow-methods": allow,
          "access-control-allow-headers": "*",
          "access-control-max-age": PREFLIGHT_SECONDS,
        }),
  };
  const url = toRouterPath(path);
  app.options(url, { config }, async (_request, reply) => reply.code(204).headers(headers).send());
  const reject = async () => {
    throw new ProblemError("method-not-allowed", `This endpoint accepts only the methods ${allow}.`, {
      headers: { allow },
    });
  };
  // Rejected before its body is read.
  const method = app.supportedMethods.filter((name) => !allowed.includes(name));
  app.route({ method, url, config, onRequest: reject, handler: reject });
}

function toRouterPath(path: string): string {
  return path.replace(/\{file\}$/, "*").replace(/\{(\w+)\}/g, ":$1");
}

/** Redirects browsers to `page` with the same key and query; other clients get the response of `route`. */
function redirectBrowsers(route: Route, page: Route, respond: Responder): Responder {
  const forPrograms = Object.keys(route.query.shape).filter((name) => !(name in page.query.shape));
  return (request, reply) => {
    if (!prefersHtml(request) || isSameOrigin(request)) return respond(request, reply);
    if (route.linkedData.length > 0 && preferredLinkedData(request.headers.accept) !== null)
      return respond(request, reply);
    // The page does not support these parameters, so the browser gets the JSON.
    const parameters = forPrograms.length === 0 || request.query === "" ? null : new URLSearchParams(request.query);
    if (parameters !== null && forPrograms.some((name) => parameters.has(name))) return respond(request, reply);
    const key = Object.values(request.parameters)[0] ?? "";
    const path = page.path.replace(/\{\w+\}/, encodeURIComponent(key));
    return redirectResponse(request.query === "" ? path : `${path}?${request.query}`, CACHE.never, 307);
  };
}

/** True if the user followed a link on a page of the site (Fetch Metadata), and therefore wants the JSON. */
function isSameOrigin({ headers }: Pick<ApiRequest, "headers">): boolean {
  return headers["sec-fetch-site"] === "same-origin";
}

/**
 * Returns the function that reads and checks requests to a route, and throws their problems.
 * @throws ProblemError `invalid-parameter`, `invalid-body`, or the problem of an unknown key
 */
export function requestReader<Name extends HandledRouteName>(name: Name): (request: ApiRequest) => TypedRequest<Name> {
  const route = routeNamed(name);
  return (request) => {
    const typedRequest = {
      request,
      key: readKey(route, request),
      query: readQuery(route, request.query),
      body: route.body === null ? null : readBody(route.body, request.body),
      signed: request.signed,
    };
    // The table has the output types of the schemas, which TypeScript cannot infer here.
    return typedRequest as TypedRequest<Name>;
  };
}

function readKey({ key }: Route, { parameters }: ApiRequest): string | null {
  if (key === null) return null;
  const value = key.schema.safeParse(parameters[key.name] ?? "");
  if (!value.success) throw unknownKey(key);
  return value.data;
}

export function unknownKey({ unknown }: PathKey): ProblemError {
  return new ProblemError(unknown.problem, unknown.detail);
}

type SchemaOutput<Schema> = Schema extends z.ZodType ? z.infer<Schema> : null;

/** A request whose key, query and body are valid. */
export interface TypedRequest<Name extends RouteName> {
  readonly request: ApiRequest;
  /** The path parameter, percent-decoded once; null if the path has none. */
  readonly key: RouteNamed<Name>["key"] extends null ? null : string;
  readonly query: SchemaOutput<RouteNamed<Name>["query"]>;
  readonly body: SchemaOutput<RouteNamed<Name>["body"]>;
  /** The session of the browser; never null if the route requires one with `session`. */
  readonly signed: RouteNamed<Name>["session"] extends true ? Session : Session | null;
}

/**
 * A request to a route with pages of the release. Its query is parsed at its first use, because most responses are pages
 * that do not need it.
 */
export class PageRequest {
  readonly route: Route;
  readonly request: ApiRequest;
  /** The path parameter, percent-decoded once and not validated; null if the path has none. */
  readonly key: string | null;
  #query: object | null = null;

  constructor(route: Route, request: ApiRequest) {
    this.route = route;
    this.request = request;
    this.key = route.key === null ? null : (request.parameters[route.key.name] ?? "");
  }

  /**
   * The query of the request, parsed by the schema of its route when it is first read.
   * @throws ProblemError `invalid-parameter` or `unsupported-rubric`
   */
  get query(): object {
    this.#query ??= readQuery(this.route, this.request.query);
    return this.#query;
  }

  /** The requested public version. Null if the response is the same under every version. */
  get version(): PublicVersion | null {
    const { query } = this;
    return "rubric" in query ? publicVersion.parse(query.rubric) : (this.route.pages[0]?.version ?? null);
  }
}

/** Functions that set cookies and headers of the response, which stay even if the handler throws a problem. */
export type ReplyHeaders = Pick<FastifyReply, "header" | "setCookie">;

type HandledRouteName = ServiceRouteName | SiteRouteName;

export type Handler<Name extends HandledRouteName> = (
  typedRequest: TypedRequest<Name>,
  reply: ReplyHeaders,
) => HttpResponse | Promise<HttpResponse>;

export type Handlers<Name extends HandledRouteName> = { readonly [N in Name]: Handler<N> };

/**
 * The function that handles every route with pages of the release. It returns no promise if the response is in memory.
 */
export type PageHandler = (pageRequest: PageRequest, reply: ReplyHeaders) => HttpResponse | Promise<HttpResponse>;

type Responder = (request: ApiRequest, reply: ReplyHeaders) => HttpResponse | Promise<HttpResponse>;

export type BodyOf<Name extends HandledRouteName> = TypedRequest<Name>["body"];

/** Codes of Node's errors about a connection that the client has closed. */
const ENDED = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECONNABORTED"]);

export function isClientGone(error: unknown, request: FastifyRequest): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ENDED.has(code) && request.raw.socket.destroyed;
}

/** A fault of one parameter, whose name is `path`. */
interface RouteFault {
  readonly path: string;
  readonly message: string;
}

/** Maximum length of names in messages. Longer names are truncated. */
const MAX_NAME_CHARACTERS = 60;

/** Maximum number of unknown parameters, or fields, that a response names. */
const MAX_NAMES = 20;

/**
 * Reads the query string by the schema of the route (decisions.md, "Requests").
 * @throws ProblemError `invalid-parameter`, or `unsupported-rubric`, naming every invalid parameter
 */
export function readQuery<Query extends z.ZodObject>(
  route: Pick<Route, "html" | "contentType" | "list" | "answer"> & { readonly query: Query },
  text: string,
): z.infer<Query> {
  const { query } = route;
  if (text === "") {
    // Most requests have no query, and most routes require none.
    const bare = query.safeParse({});
    if (bare.success) return bare.data;
  }
  const known = Object.keys(query.shape);
  const all = [...new URLSearchParams(text)];
  const lists = Map.groupBy(
    all.filter(([name]) => isArray(query.shape[name])),
    ([name]) => name,
  );
  const knownPairs = all.filter(([name]) => known.includes(name) && !lists.has(name));
  const values = new Map(knownPairs);
  const repeated = [...values.keys()].filter((name) => knownPairs.filter(([other]) => other === name).length > 1);
  const parsed = query.safeParse({
    ...impliedLimit(values),
    ...Object.fromEntries([...values].map(([name, value]) => [name, canonicalValue(name, value)])),
    ...Object.fromEntries([...lists].map(([name, pairs]) => [name, pairs.map(([, value]) => value)])),
  });
  const faults = [
    ...repeated.map((path) => ({ path, message: "is given more than once; send it once" })),
    ...(parsed.error?.issues.map(queryFault) ?? []),
    ...spellingFaults(values, query),
    ...listFaults(route, values),
    ...(isOpenSchema(query) ? [] : unknownParameters(new Set(all.map(([name]) => name)), route)),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw rejection(faults);
}

/** Whether a parameter can be repeated. */
function isArray(schema: unknown): boolean {
  return (schema instanceof z.ZodDefault ? schema.unwrap() : schema) instanceof z.ZodArray;
}

/** Whether a route accepts parameters outside its schema. */
function isOpenSchema({ def }: z.ZodObject): boolean {
  return def.catchall !== undefined;
}

/** Returns a default limit that is enough for all `ids` of a request; no limit if there are no `ids`. */
function impliedLimit(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return values.has("ids") ? { limit: String(MAX_NAMED) } : {};
}

function canonicalValue(name: string, value: string): string {
  return SPELLINGS[name]?.read(value) ?? value;
}

function spellingFaults(values: ReadonlyMap<string, string>, { shape }: z.ZodObject): RouteFault[] {
  return Object.entries(SPELLINGS).flatMap(([path, { read, message: expectation }]) => {
    const value = values.get(path);
    if (value === undefined || isFormField(shape[path]) || read(value) !== null) return [];
    return [{ path, message: expectation }];
  });
}

/**
 * True if a parameter is a field of a form on the site. It can be empty here, because the endpoint that the view calls
 * checks the field.
 */
function isFormField(schema: unknown): boolean {
  return schema instanceof z.ZodDefault && schema.def.defaultValue === "";
}

function queryFault({ path, message }: z.core.$ZodIssue): RouteFault {
  const name = String(path[0] ?? "");
  return { path: name, message: name === "rubric" ? `must be one of ${PUBLIC_VERSIONS.join(", ")}` : message };
}

function rejection(errors: readonly RouteFault[]): ProblemError {
  const names = [...new Set(errors.map(({ path }) => path))].join(", ");
  // An unknown version has its own problem type, whatever else is wrong (interface.md, "Errors").
  const rubric = errors.find(({ path, message }) => path === "rubric" && message.startsWith("must"));
  return rubric === undefined
    ? new ProblemError(
        "invalid-parameter",
        `These parameters are unknown, malformed, out of range or repeated: ${names}. The field errors says what is wrong with each.`,
        {
          errors: [...errors],
        },
      )
    : new ProblemError(
        "unsupported-rubric",
        `This SHARE version is unknown. The public versions are ${PUBLIC_VERSIONS.join(" and ")}.`,
        {
          errors: [...errors],
        },
      );
}

/** Whether the query is exactly that of a pre-rendered page of the route. */
export function isCanonical(route: Route, text: string): boolean {
  return route.pages.some(({ query }) => query === text);
}

/** Checks the parameters `cursor`, `page` and `fields` of a list. */
function listFaults(
  { list, answer }: Pick<Route, "list" | "answer">,
  values: ReadonlyMap<string, string>,
): readonly RouteFault[] {
  if (!list) return [];
  // Generated clients also send defaults, and a default means the same as no value.
  const twoPlaces = values.has("cursor") && Number(values.get("page") ?? FIRST_PAGE) !== FIRST_PAGE;
  const fields = values.get("fields");
  return [
    ...(twoPlaces ? [{ path: "page", message: "cannot be combined with cursor; send only one of them" }] : []),
    ...(fields === undefined ? [] : unknownFields(answer, fields.split(","))),
  ];
}

function unknownFields(answer: Route["answer"], fields: readonly string[]): RouteFault[] {
  if (fields.length > MAX_NAMED) return [{ path: "fields", message: `must name at most ${MAX_NAMED} fields` }];
  const known = rowMembers(answer).map(({ path }) => path);
  const unknown = [...new Set(fields)].filter((name) => !known.includes(name));
  return unknown.slice(0, MAX_NAMES).map((name) => {
    const truncated = name.slice(0, MAX_NAME_CHARACTERS);
    const meant = nearest(truncated, known);
    return {
      path: "fields",
      message: `${JSON.stringify(truncated)} is not a field of these rows; the nearest is ${meant}`,
    };
  });
}

interface Spelling {
  /** Returns the canonical spelling; null for an invalid value. */
  readonly read: (text: string) => string | null;
  readonly message: string;
}

/** Matches a second DOI, which follows a separator such as a comma. */
const SECOND_DOI = /[,;|\s](?:doi:|https?:\/\/(?:dx\.)?doi\.org\/)?10\.\d{4,9}\//i;

/** Parameters whose values have one canonical spelling, which is the same on every route. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  doi: {
    read: (text) => (SECOND_DOI.test(text.trim()) ? null : doiIn(text.trim())),
    message: "must be one DOI such as 10.5072/example, or the URL of one; for several, use POST /records/lookup",
  },
  ror: { read: readRor, message: "must be a ROR id such as https://ror.org/05gq02987" },
  orcid: {
    read: readOrcid,
    message: "must be an ORCID iD such as 0000-0002-1825-0097, or the URL of one; the last character is a check digit",
  },
};

/** Names of parameters in other APIs, each with the name that this API uses. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  q: "search",
  query: "search",
  text: "search",
  name: "search",
  title: "search",
  id: "identifier",
  per_page: "limit",
  pagesize: "limit",
  page_size: "limit",
  size: "limit",
  rows: "limit",
  offset: "page",
  start: "page",
  order: "sortOrder",
  direction: "sortOrder",
  version: "rubric",
  type: "recordKind",
  country: "countryCode",
  select: "fields",
  columns: "fields",
};

/**
 * Returns a fault for each parameter that the route neither knows nor ignores, with the nearest known name. Unknown
 * parameters are rejected, because the rows would be wrong if a filter were ignored.
 */
export function unknownParameters(
  names: ReadonlySet<string>,
  route: Pick<Route, "query" | "html" | "contentType">,
): RouteFault[] {
  const known = Object.keys(route.query.shape);
  const unknown = [...names].filter((name) => !known.includes(name) && !ignores(route, name));
  return unknown.slice(0, MAX_NAMES).map((name) => {
    const truncated = name.slice(0, MAX_NAME_CHARACTERS);
    const meant = nearestKnown(truncated, known);
    const hint = meant === null ? "the endpoint has no parameters" : `the nearest is ${meant}`;
    return { path: truncated, message: `is not a parameter of this endpoint; ${hint}` };
  });
}

function nearestKnown(name: string, known: readonly string[]): string | null {
  const elsewhere = Object.hasOwn(OTHER_NAMES, name.toLowerCase()) ? OTHER_NAMES[name.toLowerCase()] : undefined;
  return elsewhere !== undefined && known.includes(elsewhere) ? elsewhere : nearest(name, known);
}
