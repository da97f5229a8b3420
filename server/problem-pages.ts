/** The page behind the `type` of every problem: what it means and what a client can do. */

import { CACHE } from "../api-static/route.ts";
import { PROBLEMS, type ProblemType } from "../schemas/problem.ts";
import { type Answer, contentAnswer } from "./answer.ts";
import { jsonAnswer } from "./json-answer.ts";
import { ProblemError } from "./problem-error.ts";
import type { ReadRequest } from "./read-request.ts";

/** What to do about each. */
const ADVICE = {
  "invalid-parameter":
    "The member errors names every parameter at fault. Give each known parameter once, within its bounds; names are case-sensitive.",
  "invalid-request": "Send a request as RFC 9112 has it; a client library does.",
  "unsupported-rubric":
    "Ask for rubric=2.0 (the default) or rubric=1.0. Exact contract identifiers are for /rubrics/{version} and request bodies.",
  "not-found": "Check the path; the index at / lists where to begin.",
  "dataset-not-found":
    "The member detail tells an id that was never harvested from one that was withdrawn and from one that is no dataset. Ids are found through /records.",
  "researcher-not-found": "Slugs are found through /authors and in the authors of a record.",
  "repository-not-found":
    "Use the exact label that records show, percent-encoded once. Labels are listed in the repositoryBreakdown of /metrics/live.",
  "release-not-found":
    "The digests of all releases are listed at /releases; in addresses they are written sha256-<hex>.",
  "method-not-allowed": "The header Allow lists the methods of the address.",
  "rubric-not-published": "The release publishes data under another SHARE version; /rubrics says which are available.",
  "history-not-published": "The release was published without historical metrics; /metrics/live has those of today.",
  "attribution-not-published":
    "Affiliations and countries are shown only where every record of the release was attributed or counted as unattributed.",
  "invalid-body":
    "Send one JSON object with the members the reference at /docs names; the member errors names those at fault.",
  "bad-api-key":
    "Send a key as it was given by POST /api-keys/register in the header X-API-Key, or none at all: keys are optional.",
  "request-timeout": "Send the whole request without long pauses.",
  "body-too-large": "No body of this service needs more than 64 KiB.",
  "unsupported-media-type": "Send the body as application/json, encoded as UTF-8.",
  "range-not-satisfiable": "The header Content-Range tells how many bytes the file has.",
  "rate-limited":
    "Wait for the seconds of the header Retry-After. A key, free from POST /api-keys/register, raises the limit; everything is also published for download at /releases.",
  "too-many-registrations": "Wait for the seconds of the header Retry-After, or use the keys you have.",
  "headers-too-large": "Send fewer or shorter headers.",
  "no-release": "The service has started and waits for its first release. Try again after Retry-After seconds.",
  draining: "This server is about to stop. Try again: another one, or its successor, will answer.",
  internal: "The fault is ours and has been logged under the request id of the header X-Request-Id. Try again later.",
} as const satisfies Record<ProblemType, string>;

/** HTML for people, JSON for programs. */
export async function answerProblemPage({ parameters, headers }: ReadRequest): Promise<Answer> {
  const type = typeOf(parameters.type ?? "");
  const page = { type: `/problems/${type}`, ...PROBLEMS[type], advice: ADVICE[type] };
  if (!headers.accept?.includes("text/html")) return jsonAnswer(page, CACHE.page);
  return contentAnswer(Buffer.from(htmlOf(page)), "text/html; charset=utf-8", CACHE.page);
}

function typeOf(name: string): ProblemType {
  const known = Object.keys(ADVICE).filter((type): type is ProblemType => type === name)[0];
  if (known !== undefined) return known;
  throw new ProblemError("not-found", "There is no problem of this type.");
}

function htmlOf({ title, status, advice }: { title: string; status: number; advice: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>${escaped(title)}</h1>
<p>HTTP status ${status}.</p>
<p>${escaped(advice)}</p>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
