/** What the requests of an evaluation may take (decisions.md, "Evaluation"): 10 s a request, 5 MB a body, one retry. */

export const ONE_RECORD_LIMITS = { bodyBytes: 5 * 1024 * 1024, attempts: 2, redirects: 3 };

/** Of one request. */
export const TIMEOUT_MS = 10_000;
