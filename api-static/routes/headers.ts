/** Headers that say what browsers may do with an answer. */

/** Headers a script of another site may read. */
const EXPOSED = [
  "ETag",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "SHARE-Release",
  "SHARE-Retracted",
  "WWW-Authenticate",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
  "X-Total-Count",
];

/** On what is answered from a release that was withdrawn: a structured boolean (RFC 9651), true. */
export const RETRACTED = { "share-retracted": "?1" } as const;

/** On every answer, whatever it is. Everything here is public, so any site may embed and read it. */
export const SHARED_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED.join(", "),
  // Accept and the three at the end decide whether a browser gets HTML. `accept-encoding` is spelt as the compression
  // plugin of the server looks for it.
  vary: "Accept, accept-encoding, Sec-Fetch-Mode, Sec-Fetch-Site, X-API-Key",
} as const;

/**
 * On answers that belong to one person: only pages of this site may read or embed them. Nothing says that another origin
 * may, and that is what keeps it out.
 */
export const OWN_SITE_HEADERS = {
  "x-content-type-options": SHARED_HEADERS["x-content-type-options"],
  "referrer-policy": SHARED_HEADERS["referrer-policy"],
  "cross-origin-resource-policy": "same-origin",
  vary: SHARED_HEADERS.vary,
} as const;

/**
 * Markup may be opened as a page of this origin: nothing in it may run, load or send anything, it is nobody's origin, and
 * no page may frame it. As an image it is shown as before.
 */
export const SANDBOX =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** Whether a content of this type is opened as a page, and so needs the policy above. */
export function isMarkup(contentType: string): boolean {
  return /^(image\/svg\+xml|text\/html)/.test(contentType);
}
