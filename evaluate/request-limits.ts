/** The limits of an evaluation's requests (decisions.md, "Evaluation"): 10 s a request, 5 MB a body, one retry. */

export const ONE_RECORD_LIMITS = { bodyBytes: 5 * 1024 * 1024, attempts: 2, redirects: 3 };

/** The time of one request. */
export const TIMEOUT_MS = 10_000;
