/** The refusals of an operation: every status it can answer with, and the problem types behind each. */

import { PROBLEMS, type Problem, type ProblemType, problem, problemOf } from "../../schemas/public/problem.ts";
import { labelOf, refusalWord, refusedBadge } from "../pages/badge.ts";
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

/** One case of each, as it would be answered. */
const CASES = {
  "invalid-parameter": {
    detail: "These parameters are unknown, malformed, out of range or repeated: limit.",
    instance: "/records",
    errors: [{ path: "limit", message: "must be at most 100" }],
  },
  "invalid-body": {
    detail: "The body is not JSON.",
    instance: "/api-keys/register",
  },
  "invalid-request": { detail: "What arrived is no HTTP request.", instance: "/" },
  "unsupported-rubric": {
    detail: "The public SHARE versions are 2.0 and 1.0.",
    instance: "/records",
    errors: [{ path: "rubric", message: "must be one of 2.0, 1.0" }],
  },
  "bad-api-key": { detail: "The header X-API-Key holds no key that is known and not revoked.", instance: "/records" },
  "sign-in-failed": {
    detail: "This sign-in was not begun in this browser, or was begun too long ago; begin again.",
    instance: "/auth/orcid/callback",
  },
  "no-session": {
    detail: "Nobody is signed in: the request has no cookie of a session.",
    instance: "/account/sessions",
  },
  "wrong-origin": {
    detail:
      "A page of another origin sent the request. Send it from a page of https://share.example, or from a program without the header Origin.",
    instance: "/auth/logout",
  },
  "claim-needed": {
    detail: "Only who has an approved claim of this researcher can ask for that.",
    instance: "/account/visibility-requests",
  },
  "not-found": {
    detail: "There is nothing at this address; the index at / lists where to begin.",
    instance: "/record",
  },
  "dataset-not-found": { detail: "No dataset of this id has ever been harvested.", instance: RECORD },
  "researcher-not-found": { detail: "No researcher is known under this name.", instance: "/authors/nobody" },
  "repository-not-found": {
    detail: "No repository has exactly this label.",
    instance: "/widgets/repositories/zenodo/badge.svg",
  },
  "release-not-found": {
    detail: "There is no release of this digest; /releases lists those there are.",
    instance: `/releases/sha256-${"0".repeat(64)}`,
  },
  "not-in-source": { detail: "Zenodo has no public record 12345678.", instance: "/evaluations" },
  "job-not-found": {
    detail: "There is no such job; a job that has ended is kept for 30 days.",
    instance: `/evaluation-jobs/j${"0".repeat(32)}`,
  },
  "session-not-found": {
    detail: "You have no session of this id.",
    instance: `/account/sessions/s${"0".repeat(24)}`,
  },
  "not-saved": {
    detail: "This record is not among those you saved.",
    instance: "/account/saved-records/r000000000000000000000000",
  },
  "method-not-allowed": { detail: "This address answers GET, HEAD, OPTIONS.", instance: "/records" },
  "request-timeout": { detail: "The request did not arrive within half a minute.", instance: "/" },
  "rubric-not-published": {
    detail: "The active release publishes no data under SHARE 1.0; it publishes 2.0.",
    instance: "/records",
  },
  "history-not-published": {
    detail: "The active release was published without historical metrics.",
    instance: "/metrics/history",
  },
  "attribution-not-published": {
    detail: "The active release has no complete attribution receipt, so it shows no affiliations and no countries.",
    instance: "/institutions",
  },
  duplicate: {
    detail: "You have claimed this researcher already.",
    instance: "/account/profile-claims",
  },
  "account-full": {
    detail: "An account may have 10000 saved records; delete some to make room.",
    instance: "/account/saved-records",
  },
  "cursor-expired": {
    detail: "The cursor was given for another release than this one; begin again with cursor=*.",
    instance: "/records",
  },
  "link-used": {
    detail: "This link was used, has expired or never was; ask for a new one.",
    instance: "/auth/magic/consume",
  },
  "body-too-large": { detail: "A body may have 64 KiB.", instance: "/api-keys/register" },
  "unsupported-media-type": { detail: "Send the body as application/json.", instance: "/api-keys/register" },
  "range-not-satisfiable": {
    detail: "The file has 52481 bytes.",
    instance: `/releases/sha256-${"4d".repeat(32)}/manifest.ndjson`,
  },
  "unsupported-source": {
    detail:
      "10.1000/182 is registered with Crossref, whose DOIs are of no source here; datasets registered with DataCite can be evaluated.",
    instance: "/evaluations",
  },
  "rate-limited": {
    detail: "An address without an API key may send 100 such requests in 60 seconds; try again in 17 seconds.",
    instance: "/records",
  },
  "too-many-registrations": {
    detail: "An address may register 3 keys in 3600 seconds; try again in 1800 seconds.",
    instance: "/api-keys/register",
  },
  "too-many-links": {
    detail: "Only 5 links are sent in 3600 seconds; try again in 1800 seconds.",
    instance: "/auth/magic/request",
  },
  "too-many-evaluations": {
    detail: "As many evaluations as may wait are waiting; try again later.",
    instance: "/evaluation-jobs",
  },
  "headers-too-large": { detail: "The headers of a request may have 16 KiB together.", instance: "/" },
  "source-unreachable": {
    detail: "zenodo gave no usable answer (status 503); try again later.",
    instance: "/evaluations",
  },
  "source-too-slow": { detail: "zenodo did not answer in time; try again later.", instance: "/evaluations" },
  "provider-unreachable": {
    detail: "The identity provider did not answer in time; try again later.",
    instance: "/auth/orcid/start",
  },
  "no-release": {
    detail: "No release is active yet; one will be served as soon as it is activated.",
    instance: "/records",
  },
  overloaded: { detail: "Too many queries are waiting; try again.", instance: "/records" },
  unavailable: { detail: "The service behind this proxy cannot be reached; try again.", instance: "/records" },
  "sign-in-not-configured": {
    detail: "Signing in with ORCID is not set up here.",
    instance: "/auth/orcid/start",
  },
  "accounts-unavailable": {
    detail: "Accounts cannot be reached at the moment; try again.",
    instance: "/account/me",
  },
  "expectation-failed": { detail: "This service meets no expectations but 100-continue.", instance: "/records" },
  draining: { detail: "This server is shutting down; ask again.", instance: "/records" },
  internal: {
    detail: "Something failed; it is logged under the request id 6a2f41a3-c54c-4ce8-a0f5-0a1f5d2c6b9e.",
    instance: "/records",
  },
} as const satisfies Readonly<Record<ProblemType, Case>>;

/** At any address: these have nothing to do with what is asked. */
const ANYWHERE = [
  "invalid-request",
  "method-not-allowed",
  "request-timeout",
  "expectation-failed",
  "headers-too-large",
  "unavailable",
] as const;

const TYPES = Object.keys(PROBLEMS).filter((type): type is ProblemType => type in CASES);

/** A document of each type that is answered as one, by the type's name: what only badges say, they say in a word. */
export function problemExamples(routes: readonly Route[]): Record<string, Example> {
  const answered = new Set<ProblemType>([
    ...ANYWHERE,
    ...routes.filter((route) => !isBadge(route)).flatMap((route) => problemsOf(route)),
  ]);
  return Object.fromEntries(
    TYPES.filter((type) => answered.has(type)).map((type) => {
      const { detail, instance, errors }: Case = CASES[type];
      return [type, { summary: PROBLEMS[type].title, value: problemOf(type, detail, instance, errors) }];
    }),
  );
}

/** The types that an operation answers with, by what its route says and by what all have in common. */
export function problemsOf(route: Route): ProblemType[] {
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

/** The refusals of an operation, by status; `default` is for what can happen at any address. */
export function problemResponses(route: Route): Record<string, Response | Reference> {
  const types = problemsOf(route);
  const statuses = [...new Set(types.map((type) => PROBLEMS[type].status))].sort((a, b) => a - b);
  const answer = isBadge(route) ? badgeResponse(route) : responseFor;
  return {
    ...Object.fromEntries(
      statuses.map((status) => [String(status), answer(types.filter((type) => PROBLEMS[type].status === status))]),
    ),
    default: { $ref: "#/components/responses/AnyRefusal" },
  };
}

/** A badge says in a word what other addresses say in a document. */
function badgeResponse(route: Route) {
  return (types: readonly ProblemType[]): Response => {
    const [first] = types;
    if (first === undefined) throw new Error("a status without a problem type");
    const example = refusedBadge(labelOf(route), refusalWord(first));
    return { ...problemResponse(types), content: { "image/svg+xml": { schema: { type: "string" }, example } } };
  };
}

/** One type has a response to refer to; several under one status are written out. */
function responseFor(types: readonly ProblemType[]): Response | Reference {
  const [only, ...others] = types;
  if (only === undefined) throw new Error("a status without a problem type");
  return others.length === 0 ? { $ref: `#/components/responses/${nameOf(only)}` } : problemResponse(types);
}

/** Responses of a single type, by the names operations refer to, and the one of any address. */
export function sharedResponses(routes: readonly Route[]): Record<string, Response> {
  const used = new Set(routes.flatMap((route) => Object.values(problemResponses(route)).flatMap(referredName)));
  const shared: [string, Response][] = TYPES.map((type) => [nameOf(type), problemResponse([type])]);
  return Object.fromEntries([...shared.filter(([name]) => used.has(name)), ["AnyRefusal", problemResponse(ANYWHERE)]]);
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

/** `dataset-not-found` → `DatasetNotFound`. */
function nameOf(type: string): string {
  return type.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
