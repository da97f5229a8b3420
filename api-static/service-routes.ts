/** Addresses that only the server answers: releases, keys, and the service itself. */

import { registrationRequest, registrationResult } from "../schemas/account/registration.ts";
import {
  apiDescription,
  health,
  problemPage,
  releaseList,
  serviceIndex,
  serviceStatus,
} from "../schemas/api/service.ts";
import { receipt } from "../schemas/release.ts";
import { digestKey, problemKey } from "./path-keys.ts";
import { PLAIN_ROUTE, type RouteWords } from "./plain-route.ts";
import { CACHE, HTML_TYPE, type Route } from "./route.ts";

function service(name: string, path: string, words: RouteWords): Route {
  return { ...PLAIN_ROUTE, name, path, subject: null, throughServer: true, pages: [], ...words };
}

export const SERVICE_ROUTES: readonly Route[] = [
  service("releases", "/releases", {
    tag: "Releases",
    summary: "All releases, newest first",
    answer: releaseList,
  }),
  service("release", "/releases/{digest}", {
    tag: "Releases",
    summary: "The receipt of a release",
    description:
      "What went in, what came out, and the digests that prove it: every harvested payload is counted once, and the counts reconcile.",
    key: digestKey,
    answer: receipt,
    cache: CACHE.immutable,
    problems: ["release-not-found"],
  }),
  service("release-file", "/releases/{digest}/{file}", {
    tag: "Releases",
    summary: "A file of a release",
    description:
      "`manifest.ndjson` names every file with its size and SHA-256; `data/` has the tables as Parquet and CSV. Files never change, and parts of them can be asked for; the content type follows the name.",
    key: digestKey,
    contentType: "application/octet-stream",
    cache: CACHE.immutable,
    problems: ["release-not-found", "not-found", "range-not-satisfiable"],
  }),
  service("register", "/api-keys/register", {
    method: "post",
    tag: "Keys",
    summary: "A key of your own",
    description:
      "The key is shown in this answer and never again. Three an hour can be registered from one IP address (IPv6: from one /64).",
    body: registrationRequest,
    answer: registrationResult,
    status: 201,
    cache: CACHE.never,
    problems: ["invalid-body", "body-too-large", "unsupported-media-type", "too-many-registrations"],
  }),
  service("index", "/", {
    tag: "Service",
    summary: "What this service is and where to begin",
    answer: serviceIndex,
  }),
  service("health", "/health", {
    tag: "Service",
    summary: "Whether the server answers, and from which release",
    answer: health,
    cache: CACHE.never,
  }),
  service("status", "/status", {
    tag: "Service",
    summary: "How old and how whole each source is",
    description: "What each source says it holds, what was got of it, when, and what was refused and why.",
    answer: serviceStatus,
    cache: CACHE.never,
    problems: ["no-release"],
  }),
  service("openapi", "/openapi.json", {
    tag: "Service",
    summary: "This API as OpenAPI 3.1",
    description: "Generated from the schemas that the service itself reads and answers by.",
    answer: apiDescription,
  }),
  service("docs", "/docs", { tag: "Service", summary: "This API as a page to read", contentType: HTML_TYPE }),
  service("problem", "/problems/{type}", {
    tag: "Service",
    summary: "What a problem means and what to do about it",
    key: problemKey,
    answer: problemPage,
    problems: ["not-found"],
  }),
];
