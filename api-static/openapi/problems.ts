/** Error responses of the OpenAPI document: statuses and problem types of each operation. */

import { buildProblem, PROBLEMS, type Problem, type ProblemType, problem } from "../../schemas/public/problem.ts";
import { errorBadgeWord, getBadgeLabel, rejectedBadge } from "../pages/badge.ts";
import { isBadge, isVersioned, type Route } from "../routes/route.ts";
import { headersWith } from "./parameters.ts";
import { refTo } from "./schemas.ts";
import type { Example, MediaType, Reference, Response } from "./types.ts";

const RECORD = "/records/r000000000000000000000000";

interface Case {
  readonly detail: string;
  readonly instance: string;
  readonly errors?: Problem["errors"];
}

/** An example of each problem type. */
const CASES = {
  "invalid-parameter": {
    detail:
      "These parameters are unknown, malformed, out of range or repeated: limit. The field errors says what is wrong with each.",
    instance: "/records",
    errors: [{ path: "limit", message: "must be at most 100" }],
  },
  "invalid-body": {
    detail: "The body is not valid JSON; it must be a JSON object.",
    instance: "/api-keys/register",
  },
  "invalid-request": {
    detail:
      "The bytes received are not an HTTP/1.1 request. Check the client, and whether it used HTTPS on a port for HTTP.",
    instance: "/",
  },
  "unsupported-rubric": {
    detail: "This SHARE version is unknown. The public versions are 2.0 and 1.0.",
    instance: "/records",
    errors: [{ path: "rubric", message: "must be one of 2.0, 1.0" }],
  },
  "bad-api-key": {
    detail: "The key in the header X-API-Key is unknown or revoked. POST /api-keys/register creates a new one.",
    instance: "/records",
  },
  "sign-in-failed": {
    detail: "This sign-in was started in another browser, or too long ago. Start again.",
    instance: "/auth/orcid/callback",
  },
  "no-session": {
    detail: "You are not signed in: the request has no cookie of a valid session. Sign in first.",
    instance: "/account/sessions",
  },
  "wrong-origin": {
    detail:
      "A page of another origin sent the request. Send it from a page of https://share.example, or from a program without the header Origin.",
    instance: "/auth/logout",
  },
  "claim-needed": {
    detail: "You need an approved claim of this researcher. Claim the profile first.",
    instance: "/account/visibility-requests",
  },
  "not-found": {
    detail: "There is nothing at this URL. Start from /, which lists what this server has.",
    instance: "/record",
  },
  "dataset-not-found": {
    detail: "No dataset with this ID has been harvested. GET /records lists all datasets.",
    instance: RECORD,
  },
  "researcher-not-found": {
    detail: "No researcher has this slug. /authors lists all researchers.",
    instance: "/authors/nobody",
  },
  "repository-not-found": {
    detail: "No repository has exactly this label. The field repository of /records has the labels.",
    instance: "/widgets/repositories/zenodo/badge.svg",
  },
  "release-not-found": {
    detail: "No release has this digest. /releases lists all releases.",
    instance: `/releases/sha256-${"0".repeat(64)}`,
  },
  "not-in-source": { detail: "Zenodo has no public record 12345678; check the identifier.", instance: "/evaluations" },
  "job-not-found": {
    detail:
      "This job does not exist. Jobs are deleted 30 days after their end. POST /evaluation-jobs starts a new one.",
    instance: `/evaluation-jobs/j${"0".repeat(32)}`,
  },
  "session-not-found": {
    detail: "You have no session with this id. GET /account/sessions lists yours.",
    instance: `/account/sessions/s${"0".repeat(24)}`,
  },
  "not-saved": {
    detail: "You have not saved this record. GET /account/saved-records lists those that you have.",
    instance: "/account/saved-records/r000000000000000000000000",
  },
  "method-not-allowed": { detail: "This endpoint accepts only the methods GET, HEAD, OPTIONS.", instance: "/records" },
  "request-timeout": { detail: "The request did not arrive within 30 seconds. Send it again.", instance: "/" },
  "rubric-not-published": {
    detail: "The current release publishes no data under SHARE 1.0; it publishes 2.0.",
    instance: "/records",
  },
  "history-not-published": {
    detail: "The current release was published without historical metrics. The operator can build a new one with them.",
    instance: "/metrics/history",
  },
  "attribution-not-published": {
    detail:
      "The current release has no complete attribution receipt, so it shows no affiliations and no countries. The operator can build a new one.",
    instance: "/institutions",
  },
  duplicate: {
    detail:
      "You have already claimed this researcher: your claim c51f0be7a9d3c2468e07b1f92 is pending. You need not claim it again.",
    instance: "/account/profile-claims",
  },
  "account-full": {
    detail: "An account may have 10000 saved records. Delete some first.",
    instance: "/account/saved-records",
  },
  "cursor-expired": {
    detail: "The cursor belongs to another release. Start again with cursor=*.",
    instance: "/records",
  },
  "link-used": {
    detail: "This sign-in link is invalid, expired or already used. Request a new one.",
    instance: "/auth/magic/consume",
  },
  "body-too-large": {
    detail: "The body is too large. The limit is 64 KiB, and 5 MiB for a draft.",
    instance: "/api-keys/register",
  },
  "unsupported-media-type": {
    detail: "The Content-Type of the body is not supported. Send the body as application/json.",
    instance: "/api-keys/register",
  },
  "range-not-satisfiable": {
    detail: "The file has 52481 bytes. Request a range within them.",
    instance: `/releases/sha256-${"4d".repeat(32)}/manifest.ndjson`,
  },
  "unsupported-source": {
    detail:
      "10.1000/182 is registered with Crossref, whose DOIs belong to no source here; datasets registered with DataCite can be evaluated.",
    instance: "/evaluations",
  },
  "rate-limited": {
    detail: "An address without an API key may send 100 requests of this kind in 60 seconds. Try again in 17 seconds.",
    instance: "/records",
  },
  "too-many-registrations": {
    detail: "An IP address may register at most 3 keys in 3600 seconds. Try again in 1800 seconds.",
    instance: "/api-keys/register",
  },
  "too-many-links": {
    detail: "Only 5 sign-in links are sent in 3600 seconds. Try again in 1800 seconds.",
    instance: "/auth/magic/request",
  },
  "too-many-evaluations": {
    detail: "Too many evaluations are waiting. Try again later.",
    instance: "/evaluation-jobs",
  },
  "headers-too-large": { detail: "The headers have more than 16 KiB. Send fewer or shorter headers.", instance: "/" },
  "source-unreachable": {
    detail: "Zenodo gave no usable answer (status 503); try again later.",
    instance: "/evaluations",
  },
  "source-too-slow": { detail: "Zenodo did not answer in time; try again later.", instance: "/evaluations" },
  "provider-unreachable": {
    detail: "The identity provider did not respond correctly. Try again later.",
    instance: "/auth/orcid/start",
  },
  "no-release": {
    detail: "No release is active yet. Try again later.",
    instance: "/records",
  },
  overloaded: { detail: "Too many queries are waiting. Try again in 1 second.", instance: "/records" },
  unavailable: { detail: "The server behind this proxy does not respond. Try again later.", instance: "/records" },
  "sign-in-not-configured": {
    detail: "Signing in with ORCID is not configured on this server. Sign in by email instead.",
    instance: "/auth/orcid/start",
  },
  "accounts-unavailable": {
    detail: "The account store is not available. Try again in a few seconds.",
    instance: "/account/me",
  },
  "expectation-failed": {
    detail: "The header Expect may contain only 100-continue. Send that, or leave out the header.",
    instance: "/records",
  },
  draining: { detail: "This server is shutting down. Send the request again.", instance: "/records" },
  internal: {
    detail: "The server failed. Report the request ID 6a2f41a3-c54c-4ce8-a0f5-0a1f5d2c6b9e to the operator.",
    instance: "/records",
  },
} as const satisfies Readonly<Record<ProblemType, Case>>;

/** Types of problems that any request can get, whatever its operation. */
const ANYWHERE = [
  "invalid-request",
  "method-not-allowed",
  "request-timeout",
  "expectation-failed",
  "headers-too-large",
  "unavailable",
] as const;

const TYPES = Object.keys(PROBLEMS).filter((type): type is ProblemType => type in CASES);

/** Returns an example document for each problem type, except for types that only badges use. */
export function problemExamples(routes: readonly Route[]): Record<string, Example> {
  const answered = new Set<ProblemType>([
    ...ANYWHERE,
    ...routes.filter((route) => !isBadge(route)).flatMap((route) => listProblems(route)),
  ]);
  return Object.fromEntries(
    TYPES.filter((type) => answered.has(type)).map((type) => {
      const { detail, instance, errors }: Case = CASES[type];
      return [type, { summary: PROBLEMS[type].title, value: buildProblem(type, detail, instance, errors) }];
    }),
  );
}

/** Returns the problem types of an operation: those of its route and the common ones. */
export function listProblems(route: Route): ProblemType[] {
  const possible: ProblemType[] = [
    "invalid-parameter",
    ...(isVersioned(route) ? (["unsupported-rubric"] as const) : []),
    "bad-api-key",
    ...route.problems,
    ...(route.session ? (["no-session"] as const) : []),
    ...(route.ownSite && route.method !== "get" ? (["wrong-origin"] as const) : []),
    ...(route.ownSite ? (["accounts-unavailable"] as const) : []),
    "rate-limited",
    "internal",
    ...(route.subject === null ? [] : (["no-release"] as const)),
    ...(route.list ? (["cursor-expired", "overloaded"] as const) : []),
    "draining",
  ];
  return TYPES.filter((type) => possible.includes(type));
}

/** Returns the error responses of an operation by status. `default` stands for the problems that any request can get. */
export function problemResponses(route: Route): Record<string, Response | Reference> {
  const types = listProblems(route);
  const statuses = [...new Set(types.map((type) => PROBLEMS[type].status))].sort((a, b) => a - b);
  const answer = isBadge(route) ? badgeResponse(route) : responseFor;
  return {
    ...Object.fromEntries(
      statuses.map((status) => [String(status), answer(types.filter((type) => PROBLEMS[type].status === status))]),
    ),
    default: { $ref: "#/components/responses/AnyProblem" },
  };
}

/** Returns the error response of a badge: a grey badge with one word. */
function badgeResponse(route: Route) {
  return (types: readonly ProblemType[]): Response => {
    const [first] = types;
    if (first === undefined)
      throw new Error(
        "the OpenAPI document has an error status without a problem type; see api-static/openapi/problems.ts",
      );
    const example = rejectedBadge(getBadgeLabel(route), errorBadgeWord(first));
    return { ...problemResponse(types), content: { "image/svg+xml": { schema: { type: "string" }, example } } };
  };
}

/** Returns a reference to the shared response of a single type, or an inline response for several types. */
function responseFor(types: readonly ProblemType[]): Response | Reference {
  const [only, ...others] = types;
  if (only === undefined)
    throw new Error(
      "the OpenAPI document has an error status without a problem type; see api-static/openapi/problems.ts",
    );
  return others.length === 0 ? { $ref: `#/components/responses/${makeSchemaName(only)}` } : problemResponse(types);
}

/** Returns the shared responses: one for each problem type, and `AnyProblem`. */
export function sharedResponses(routes: readonly Route[]): Record<string, Response> {
  const used = new Set(routes.flatMap((route) => Object.values(problemResponses(route)).flatMap(referredName)));
  const shared: [string, Response][] = TYPES.map((type) => [makeSchemaName(type), problemResponse([type])]);
  return Object.fromEntries([...shared.filter(([name]) => used.has(name)), ["AnyProblem", problemResponse(ANYWHERE)]]);
}

function referredName(response: Response | Reference): string[] {
  return "$ref" in response ? [response.$ref.slice("#/components/responses/".length)] : [];
}

function problemResponse(types: readonly ProblemType[]): Response {
  const content: MediaType = {
    schema: refTo(problem, "problem"),
    examples: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/examples/${type}` }])),
  };
  const waits = types.some((type) => [429, 502, 503, 504].includes(PROBLEMS[type].status));
  return {
    description: `${types.map((type) => PROBLEMS[type].title).join("; or: ")}.`,
    headers: headersWith(
      "Cache-Control",
      ...(waits ? (["Retry-After"] as const) : []),
      ...(types.includes("method-not-allowed") ? (["Allow"] as const) : []),
      ...(types.includes("range-not-satisfiable") ? (["Content-Range"] as const) : []),
    ),
    content: { "application/problem+json": content },
  };
}

/** Returns the name of a schema: `dataset-not-found` becomes `DatasetNotFound`. */
function makeSchemaName(type: string): string {
  return type.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
