/** Advice to clients on each problem: shown behind its type and in the reference. */

import type { ProblemType } from "../../schemas/public/problem.ts";

export const PROBLEM_ADVICE = {
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
  "not-in-source":
    "The member detail tells what was looked for and where, and whether it was withdrawn or is no dataset. Check the identifier at the source's own page; a dataset that is not public there cannot be evaluated.",
  "job-not-found":
    "Use the id or the header Location of the answer to POST /evaluation-jobs. A job that has ended is kept for 30 days; POST it again after that.",
  "session-not-found":
    "The sessions of the account are listed at /account/sessions; another account's are not to be seen.",
  "not-saved": "What is saved is listed under /account; it may have been deleted already.",
  "method-not-allowed": "The header Allow lists the methods of the address.",
  "rubric-not-published": "The release publishes data under another SHARE version; /rubrics says which are available.",
  "history-not-published": "The release was published without historical metrics; /metrics/live has those of today.",
  "attribution-not-published":
    "Affiliations and countries are shown only where every record of the release was attributed or counted as unattributed.",
  "invalid-body":
    "Send one JSON object with the members the reference at /docs names; the member errors names those at fault.",
  "sign-in-failed":
    "Begin again, in the browser it is to be finished in, and finish within ten minutes. The member detail tells what did not fit; nothing was changed.",
  "bad-api-key":
    "Send a key as it was given by POST /api-keys/register in the header X-API-Key, or none at all: keys are optional.",
  "no-session":
    "Sign in with ORCID (GET /auth/orcid/start) or by mail (POST /auth/magic/request), and send the cookie that answers.",
  "wrong-origin":
    "Send the request from a page of this site, or from a program without the header Origin. Pages of other sites cannot act in your name.",
  "claim-needed":
    "Claim the researcher's profile first, with POST /account/profile-claims, and wait until it is approved.",
  "request-timeout": "Send the whole request without long pauses.",
  duplicate: "Nothing was changed: what you asked for is there already, and is listed under /account.",
  "account-full":
    "Delete some of what you no longer need; the member limits of GET /account/me tells how many of each there may be.",
  "cursor-expired":
    "Begin the list again with cursor=*: rows of two releases do not make one list. To read one release whatever is active, download its tables at /releases.",
  "link-used":
    "A link works once, for 15 minutes. Ask for a new one; if you did not use it yourself, somebody who reads your mail did.",
  "body-too-large": "A body may have 64 KiB; a draft for POST /evaluations/draft, 5 MiB.",
  "unsupported-media-type": "Send the body as application/json, encoded as UTF-8.",
  "range-not-satisfiable": "The header Content-Range tells how many bytes the file has.",
  "unsupported-source":
    "The identifier is well formed, and of a service or registration agency that is not harvested here; the member detail names it. If the data have a DOI of DataCite, evaluate that.",
  "expectation-failed": "Send the request without the header Expect.",
  "rate-limited":
    "Wait for the seconds of the header Retry-After. A key, free from POST /api-keys/register, raises the limit; everything is also published for download at /releases.",
  "too-many-registrations": "Wait for the seconds of the header Retry-After, or use the keys you have.",
  "too-many-links":
    "Wait for the seconds of the header Retry-After. Links that were sent before still work; look among the unwanted mail.",
  "too-many-evaluations":
    "Wait for the seconds of the header Retry-After. Nothing of what you sent was kept; jobs that were accepted before are not affected.",
  "headers-too-large": "Send fewer or shorter headers.",
  "source-unreachable":
    "The fault lies with the service that holds the dataset, and says nothing about the dataset. Wait for the seconds of the header Retry-After, or use POST /evaluation-jobs, which tries again by itself.",
  "source-too-slow":
    "The service that holds the dataset took too long. Wait for the seconds of the header Retry-After, or use POST /evaluation-jobs, which tries again by itself.",
  "provider-unreachable":
    "The fault lies with the identity provider. Wait for the seconds of the header Retry-After and begin again, or sign in by mail.",
  "no-release": "The service has started and waits for its first release. Try again after Retry-After seconds.",
  overloaded:
    "More is asked than this server can look up. Pages without a query are still answered; try again after Retry-After seconds.",
  unavailable: "Nothing answers behind the proxy. Pages without a query may still be served; try again in a while.",
  draining: "This server is about to stop. Try again: another one, or its successor, will answer.",
  "sign-in-not-configured": "Whoever runs this service has not set this way up; sign in by the other one.",
  "accounts-unavailable":
    "The database of accounts does not answer, or cannot write. Nothing was changed; try again after Retry-After seconds. Reading scores is not affected.",
  internal: "The fault is ours and has been logged under the request id of the header X-Request-Id. Try again later.",
} as const satisfies Record<ProblemType, string>;
