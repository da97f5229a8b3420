/** Advice on each type of problem, for the page of the problem and the API reference. */

import type { ProblemType } from "../../schemas/public/problem.ts";

export const PROBLEM_ADVICE = {
  "invalid-parameter":
    "The field errors names every invalid parameter. Send each parameter once, within its bounds. Names are case-sensitive.",
  "invalid-request": "Send a valid HTTP request (RFC 9112), for example with a client library.",
  "unsupported-rubric":
    "Use rubric=2.0 (the default) or rubric=1.0. Only /rubrics/{version} and request bodies accept exact contract identifiers.",
  "not-found": "Check the path. GET / lists the main endpoints.",
  "dataset-not-found":
    "The field detail says whether the id is unknown, was withdrawn, or does not belong to a dataset. Find ids with /records.",
  "researcher-not-found": "Find slugs with /authors, or in the authors of a record.",
  "repository-not-found":
    "Use the exact label of the records, percent-encoded once. The field repositoryBreakdown of /metrics/live lists the labels.",
  "release-not-found": "/releases lists the digests of all releases. In URLs, write them as sha256-<hex>.",
  "not-in-source":
    "The field detail says what the server looked for and where, and whether the record was withdrawn or is not a dataset. Check the identifier on the source's own page. Only public datasets can be evaluated.",
  "job-not-found":
    "Use the id or the header Location of the response to POST /evaluation-jobs. Jobs are deleted 30 days after their end. If yours was deleted, start a new one.",
  "session-not-found": "/account/sessions lists the sessions of your account.",
  "not-saved": "The lists under /account have your saved items. You may have deleted this one.",
  "method-not-allowed": "The header Allow lists the supported methods.",
  "rubric-not-published": "The release has data for another SHARE version. /rubrics lists the versions.",
  "history-not-published": "The release has no historical metrics. /metrics/live has the current ones.",
  "attribution-not-published":
    "A release has affiliations and countries only if every record was attributed or counted as unattributed. Releases before format 3 also lack the filters ror, funder and award.",
  "invalid-body":
    "Send one JSON object with the fields in the reference at /docs. The field errors names the invalid fields.",
  "sign-in-failed":
    "Start again, and finish in the same browser within ten minutes. The field detail has the reason. Nothing was changed.",
  "bad-api-key":
    "Send the key from POST /api-keys/register in the header X-API-Key, or send no key: keys are optional.",
  "no-session":
    "Sign in with ORCID (GET /auth/orcid/start) or by email (POST /auth/magic/request), and send the session cookie.",
  "wrong-origin":
    "Send the request from a page of this site, or from a program without the header Origin. Pages of other sites cannot act in your name.",
  "claim-needed": "First claim the researcher's profile with POST /account/profile-claims, and wait for its approval.",
  "request-timeout": "Send the whole request without long pauses.",
  duplicate: "Nothing was changed. The item already exists in your lists under /account.",
  "account-full":
    "Delete items that you no longer need. The field limits of GET /account/me has the maximum of each kind.",
  "cursor-expired":
    "Start the list again with cursor=*. A list cannot mix rows of two releases. To read one release completely, download its tables from /releases.",
  "link-used":
    "A link works once, within 15 minutes. Request a new one. If you did not use it, another person can read your email.",
  "body-too-large": "The limit is 64 KiB, or 5 MiB for a draft to POST /evaluations/draft.",
  "unsupported-media-type":
    "Send the body in a content type that the field detail names, in UTF-8 and without compression.",
  "range-not-satisfiable": "The header Content-Range has the size of the file.",
  "unsupported-source":
    "The identifier is well formed, but its service or registration agency is not supported; the field detail names it. If the dataset has a DataCite DOI, use that.",
  "expectation-failed": "Send the request without the header Expect.",
  "rate-limited":
    "Wait for the number of seconds in the header Retry-After. A free key from POST /api-keys/register has its own limit. You can also download everything from /releases.",
  "too-many-registrations": "Wait for the number of seconds in the header Retry-After, or use a key that you have.",
  "too-many-links":
    "Wait for the number of seconds in the header Retry-After. Earlier links still work. Check your spam folder.",
  "too-many-evaluations":
    "Wait for the number of seconds in the header Retry-After. The request was not stored. Earlier jobs are not affected.",
  "headers-too-large": "Send fewer or shorter headers.",
  "source-unreachable":
    "The repository's service failed, which does not count against the dataset. Wait for the number of seconds in the header Retry-After, or use POST /evaluation-jobs, which tries again by itself.",
  "source-too-slow":
    "The repository's service took too long. Wait for the number of seconds in the header Retry-After, or use POST /evaluation-jobs, which tries again by itself.",
  "provider-unreachable":
    "The identity provider failed. Wait for the number of seconds in the header Retry-After and start again, or sign in by email.",
  "no-release": "The server waits for its first release. Wait for the number of seconds in the header Retry-After.",
  overloaded:
    "The server has too many queries. Requests without a query still work. Wait for the number of seconds in the header Retry-After.",
  unavailable: "No server behind the proxy responds. Requests without a query may still work. Try again later.",
  draining: "This server is about to stop. Try again: another one will respond.",
  "sign-in-not-configured": "The operator has not configured this sign-in method. Use the other one.",
  "accounts-unavailable":
    "The account database does not respond or cannot write. Nothing was changed. Wait for the number of seconds in the header Retry-After. You can still read scores.",
  internal: "The server has a fault. Its log has the request id of the header X-Request-Id. Try again later.",
} as const satisfies Record<ProblemType, string>;
