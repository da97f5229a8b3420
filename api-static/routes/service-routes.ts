/** Addresses that only the server answers: releases, keys, and the service itself. */

import { z } from "zod";
import { registrationRequest, registrationResult } from "../../schemas/public/account/registration.ts";
import { changeList } from "../../schemas/public/api/changes.ts";
import { releaseDiff } from "../../schemas/public/api/diff.ts";
import {
  draftQuery,
  draftResult,
  evaluationJob,
  evaluationRequest,
  evaluationResult,
  LARGEST_DRAFT,
} from "../../schemas/public/api/evaluation.ts";
import { changeListQuery } from "../../schemas/public/api/queries.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import {
  apiDescription,
  health,
  problemPage,
  releaseList,
  serviceIndex,
  serviceStatus,
} from "../../schemas/public/api/service.ts";
import { keySet } from "../../schemas/public/key-set.ts";
import { receipt } from "../../schemas/public/release.ts";
import { CACHE, digestKey, HTML_TYPE, jobKey, problemKey, type RouteRows, SERVICE_ROUTE } from "./route.ts";

export const SERVICE_ROUTES = {
  releases: {
    ...SERVICE_ROUTE,
    path: "/releases",
    tag: "Releases",
    summary: "All releases, newest first",
    description: "Each with its digest, its date and what it holds; one of them is active.",
    answer: releaseList,
  },
  release: {
    ...SERVICE_ROUTE,
    path: "/releases/{digest}",
    tag: "Releases",
    summary: "The receipt of a release",
    description:
      "A receipt says what went in, what came out, and the digests that prove it: every harvested payload is counted once, and the counts reconcile.",
    key: digestKey,
    answer: receipt,
    cache: CACHE.immutable,
    problems: ["release-not-found", "no-release"],
  },
  "release-diff": {
    ...SERVICE_ROUTE,
    path: "/releases/{digest}/diff",
    tag: "Releases",
    summary: "The movements since the release before, and their causes",
    description:
      "Compared with the release that was active when this one was made. Of the lists, the largest movements; all of them are in the files it names. Causes are told apart by recomputing: the old evidence is scored with one part of the new after the other, in the order of `causes`. A release made before there were diffs has none.",
    key: digestKey,
    answer: releaseDiff,
    cache: CACHE.immutable,
    problems: ["release-not-found", "not-found", "no-release"],
  },
  "release-changes": {
    ...SERVICE_ROUTE,
    path: "/releases/{digest}/changes",
    list: true,
    tag: "Releases",
    summary: "The records that came, moved and went since the release before",
    description:
      "Compared with the release that was active when this one was made: `_meta.previousRelease` names it. A record has one row under each public version that both have, with its status and total before and after; which signals moved is in `diff` and, for all records, in the file `data/diff-records.parquet`. `latest` is the active release, so that who keeps a copy asks for it, then goes back by `previousReleaseDigest` to the release they have; a list is read on at the address with the digest that `latest` led to, as the links of its answers do, since pages asked of `latest` are of another release once that is active. The first release of all has no changes. A release made before there were diffs has no such list.",
    key: digestKey,
    query: changeListQuery,
    answer: changeList,
    cache: CACHE.immutable,
    problems: ["release-not-found", "not-found", "rubric-not-published", "no-release"],
  },
  "release-file": {
    ...SERVICE_ROUTE,
    path: "/releases/{digest}/{file}",
    ranges: true,
    tag: "Releases",
    summary: "A file of a release",
    description:
      "`manifest.ndjson` names every file with its size and SHA-256; `data/` has the tables as Parquet. Tables that people open by hand are also answered as packed CSV, such as `data/scores.csv.gz` (docs/reference/tables.md): they are made when somebody asks, the first of whom may be told to come back (503). Files never change, and parts of them can be asked for; the content type follows the name.",
    key: digestKey,
    contentType: "application/octet-stream",
    cache: CACHE.immutable,
    problems: ["release-not-found", "not-found", "range-not-satisfiable", "no-release", "overloaded"],
  },
  evaluation: {
    ...SERVICE_ROUTE,
    path: "/evaluations",
    method: "post",
    tag: "Evaluation",
    summary: "The score of one dataset, now",
    description:
      "200 where the active release has the record under exactly the contract that is asked for; otherwise 201, with the record fetched from its source, normalised and scored now by the code of the releases. Dates such as the end of an embargo are judged by today. Ten evaluations or new jobs a minute are answered for each caller. A fault of the source is 502 or 504 with `Retry-After`, never 404.",
    body: evaluationRequest,
    answer: evaluationResult,
    status: 201,
    found: { answer: recordDetail, example: "record" },
    quota: "evaluation",
    cache: CACHE.never,
    problems: [
      "invalid-body",
      "not-in-source",
      "body-too-large",
      "unsupported-media-type",
      "unsupported-source",
      "source-unreachable",
      "source-too-slow",
    ],
  },
  draft: {
    ...SERVICE_ROUTE,
    path: "/evaluations/draft",
    method: "post",
    tag: "Evaluation",
    summary: "The score that metadata would have if they were deposited as they are",
    description:
      "The body is the metadata of one record as the source's own API takes or gives them, JSON or XML, at most 5 MiB. For `datacite` it may also be a Dataset of schema.org: RO-Crate, Croissant, or plain JSON-LD. It is read, scored and discarded: nothing is stored, and no service is asked. Ten evaluations a minute are answered for each caller.",
    query: draftQuery,
    body: z.custom<Uint8Array>((value) => value instanceof Uint8Array, "must be the metadata of one record"),
    bodyKind: "document",
    largestBody: LARGEST_DRAFT,
    answer: draftResult,
    quota: "evaluation",
    cache: CACHE.never,
    problems: ["invalid-body", "body-too-large", "unsupported-media-type", "source-unreachable", "source-too-slow"],
  },
  "new-evaluation-job": {
    ...SERVICE_ROUTE,
    path: "/evaluation-jobs",
    method: "post",
    tag: "Evaluation",
    summary: "An evaluation that is done in its own time",
    description:
      "The job is kept when this answers, whatever happens to the server, and is read at `Location`. Faults of the source are tried again, five times in all, each after a longer pause. The same identifier and contract get the same job for a minute, and for as long as it has not ended. Jobs take turns between callers and between sources; a hundred of one caller may wait. Ten evaluations or new jobs a minute are answered for each caller.",
    body: evaluationRequest,
    answer: evaluationJob,
    status: 202,
    quota: "evaluation",
    cache: CACHE.never,
    problems: [
      "invalid-body",
      "body-too-large",
      "unsupported-media-type",
      "unsupported-source",
      "too-many-evaluations",
      "accounts-unavailable",
    ],
  },
  "evaluation-job": {
    ...SERVICE_ROUTE,
    path: "/evaluation-jobs/{id}",
    tag: "Evaluation",
    summary: "The progress of a job, and its result",
    description:
      "`result` has what `POST /evaluations` would have made; where the active release had the record, `release` names it. `error` is the problem document it would have answered with. Whoever has the id can read the job; it is kept for 30 days after its end.",
    key: jobKey,
    answer: evaluationJob,
    cache: CACHE.never,
    problems: ["job-not-found", "accounts-unavailable"],
  },
  "release-keys": {
    ...SERVICE_ROUTE,
    path: "/.well-known/share-release-keys.json",
    tag: "Releases",
    summary: "The public keys that receipts are signed with",
    description:
      "A JSON Web Key Set of Ed25519 keys. `signature` of a receipt is a detached JSON Web Signature by one of them, over the canonical JSON (RFC 8785) of the receipt without `signature`; `kid` in its header names the key. A receipt that several keys signed has the general JSON serialisation instead (`signatures`). Keys no longer in use stay, so that old releases can be checked. Signatures by a key with `revoked` no longer count. Get the keys once from a place you trust: keys from the server that also gives the release prove only that the two belong together.",
    answer: keySet,
  },
  register: {
    ...SERVICE_ROUTE,
    path: "/api-keys/register",
    method: "post",
    tag: "Keys",
    summary: "A key of your own",
    description:
      "The key is shown in this answer and never again. Three an hour can be registered from one IP address (IPv6: from one /64). Pages of any origin can register a key: `Access-Control-Allow-Origin` is `*`, so send the request without credentials. Cookies are ignored.",
    body: registrationRequest,
    answer: registrationResult,
    status: 201,
    cache: CACHE.never,
    problems: [
      "invalid-body",
      "body-too-large",
      "unsupported-media-type",
      "too-many-registrations",
      "accounts-unavailable",
    ],
  },
  index: {
    ...SERVICE_ROUTE,
    path: "/",
    html: true,
    tag: "Service",
    summary: "The service, and the addresses to begin with",
    description: "Addresses to begin at. A browser that asks for HTML gets a page.",
    answer: serviceIndex,
  },
  health: {
    ...SERVICE_ROUTE,
    path: "/health",
    tag: "Service",
    summary: "The health of the server, and the release it answers from",
    description: "The status, for those who watch over the server: it is 200 as long as the server answers at all.",
    answer: health,
    cache: CACHE.never,
  },
  status: {
    ...SERVICE_ROUTE,
    path: "/status",
    tag: "Service",
    summary: "The age and the completeness of each source",
    description:
      "The report says of each source what it says it holds, what was got of it, when, and what was refused and why.",
    answer: serviceStatus,
    cache: CACHE.never,
    problems: ["no-release"],
  },
  openapi: {
    ...SERVICE_ROUTE,
    path: "/openapi.json",
    tag: "Service",
    summary: "This API as OpenAPI 3.1",
    description: "Generated from the schemas that the service itself reads and answers by.",
    answer: apiDescription,
  },
  docs: {
    ...SERVICE_ROUTE,
    path: "/docs",
    tag: "Service",
    summary: "This API as a page to read",
    description: "Made from `/openapi.json`, without a script.",
    contentType: HTML_TYPE,
  },
  problem: {
    ...SERVICE_ROUTE,
    path: "/problems/{type}",
    html: true,
    tag: "Service",
    summary: "The meaning of a problem, and what to do about it",
    description: "The member `type` of a problem document leads here. A browser that asks for HTML gets a page.",
    key: problemKey,
    answer: problemPage,
    problems: ["not-found"],
  },
} as const satisfies RouteRows;
