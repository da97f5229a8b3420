/** Endpoints that need the server: releases, evaluations, keys, and the service itself. */

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
    summary: "List all releases, newest first",
    description: "Each row has the digest, the date and the size of a release. One release is active.",
    answer: releaseList,
  },
  release: {
    ...SERVICE_ROUTE,
    path: "/releases/{digest}",
    tag: "Releases",
    summary: "Get the receipt of a release",
    description:
      "A receipt lists the inputs of the release, its contents, and the digests that prove them. Every harvested payload is counted once, and the counts add up.",
    key: digestKey,
    answer: receipt,
    cache: CACHE.immutable,
    problems: ["release-not-found", "no-release"],
  },
  "release-diff": {
    ...SERVICE_ROUTE,
    path: "/releases/{digest}/diff",
    tag: "Releases",
    summary: "Get the changes since the previous release, with their causes",
    description:
      "The comparison is with the release that was active when this one was built. The lists have the largest changes; `files` names the files with all of them. To separate causes, the build scores the old evidence again and replaces one input at a time, in the order of `causes`. If the release has no diff, the response is 404.",
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
    summary: "List the records added, changed or removed since the previous release",
    description:
      "The comparison is with the release that was active when this one was built; `_meta.previousRelease` names it. A record has one row for each public version that both releases have, with its status and total before and after. The changed signals are in `diff` and, for all records, in the file `data/diff-records.parquet`. `latest` is the active release. To update a copy, start at `latest` and follow `previousReleaseDigest` back to the release that you have. Follow the links of the list to read its next pages: they contain the digest, so a new release in between does not change them. The first release has no changes. If the release has no diff, the response is 404.",
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
    summary: "Get a file of a release",
    description:
      "`manifest.ndjson` lists every file with its size and SHA-256. `data/` has the tables as Parquet. Some tables are also available as compressed CSV, such as `data/scores.csv.gz`. The server makes a CSV file at the first request, which can get a 503 with `Retry-After`. Files never change, and range requests work. The extension determines the content type.",
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
    summary: "Evaluate a dataset now",
    description:
      "If the active release has the record under exactly the requested contract, the response is 200. Otherwise the server fetches the record from its source, scores it with the code of the releases, and responds with 201. Dates such as the end of an embargo are compared with today. Each caller can make ten evaluations or jobs a minute. A fault of the source is 502 or 504 with `Retry-After`, never 404.",
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
    summary: "Score draft metadata before you deposit them",
    description:
      "Send the metadata of one record in the format of the source's own API, as JSON or XML, at most 5 MiB. For `datacite` you can also send a schema.org Dataset: RO-Crate, Croissant, or plain JSON-LD. The server scores the metadata and discards them. It stores nothing and contacts no other service. Each caller can make ten evaluations a minute.",
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
    summary: "Start an evaluation job",
    description:
      "The server has stored the job when it responds; `Location` has its URL. If the source fails, the server tries again, up to five times, with growing pauses. A request with the same identifier and contract gets the same job while it runs, and for at least one minute. The queue is shared fairly between callers and between sources; one caller can have 100 waiting jobs. Each caller can make ten evaluations or jobs a minute.",
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
    summary: "Get the state and the result of a job",
    description:
      "`result` is the response that `POST /evaluations` would have given. If the active release had the record, `release` names that release. `error` is the problem document of a failed evaluation. Anyone who has the id can read the job. It is deleted 30 days after its end.",
    key: jobKey,
    answer: evaluationJob,
    cache: CACHE.never,
    problems: ["job-not-found", "accounts-unavailable"],
  },
  "release-keys": {
    ...SERVICE_ROUTE,
    path: "/.well-known/share-release-keys.json",
    tag: "Releases",
    summary: "Get the public keys that sign receipts",
    description:
      "A JSON Web Key Set of Ed25519 keys. `signature` in a receipt is a detached JSON Web Signature over the canonical JSON (RFC 8785) of the receipt without `signature`. `kid` in its header names the key. A receipt that several keys signed uses the general JSON serialisation (`signatures`). Old keys stay in the set, so that you can verify old releases. Signatures of a key with `revoked` are not valid. Get the keys once from a source that you trust: keys from the same server as the release prove only that the two belong together.",
    answer: keySet,
  },
  register: {
    ...SERVICE_ROUTE,
    path: "/api-keys/register",
    method: "post",
    tag: "Keys",
    summary: "Register an API key",
    description:
      "The response shows the key once. Each IP address (IPv6: each /64) can register three keys an hour. Pages of any origin can register a key: `Access-Control-Allow-Origin` is `*`, so send the request without credentials. The server ignores cookies.",
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
    summary: "Get the entry point of the API",
    description: "Links to the main endpoints. A browser that requests HTML gets the home page.",
    answer: serviceIndex,
  },
  health: {
    ...SERVICE_ROUTE,
    path: "/health",
    tag: "Service",
    summary: "Check the health of the server",
    description: "For monitoring. The response is 200 as long as the server works, and names the active release.",
    answer: health,
    cache: CACHE.never,
  },
  status: {
    ...SERVICE_ROUTE,
    path: "/status",
    tag: "Service",
    summary: "Get the age and completeness of each source",
    description:
      "For each source: the number of records it reports, the number harvested, the time of the harvest, and the rejected payloads with reasons.",
    answer: serviceStatus,
    cache: CACHE.never,
    problems: ["no-release"],
  },
  openapi: {
    ...SERVICE_ROUTE,
    path: "/openapi.json",
    tag: "Service",
    summary: "Get this API as OpenAPI 3.1",
    description: "Generated from the schemas with which the server validates requests and responses.",
    answer: apiDescription,
  },
  docs: {
    ...SERVICE_ROUTE,
    path: "/docs",
    tag: "Service",
    summary: "Read this API as an HTML page",
    description: "Generated from `/openapi.json`. The page needs no script.",
    contentType: HTML_TYPE,
  },
  problem: {
    ...SERVICE_ROUTE,
    path: "/problems/{type}",
    html: true,
    tag: "Service",
    summary: "Explain a problem type",
    description: "The field `type` of a problem document has this URL. A browser that requests HTML gets a page.",
    key: problemKey,
    answer: problemPage,
    problems: ["not-found"],
  },
} as const satisfies RouteRows;
