/** Response headers with instructions for browsers. */

/** Response headers that scripts of other sites can read. */
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

/** Header of responses from a retracted release: the structured boolean true (RFC 9651). */
export const RETRACTED = { "share-retracted": "?1" } as const;

/** Headers of every public response. They allow any site to embed and read the response. */
export const SHARED_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED.join(", "),
  // Accept and the last three decide if a browser gets HTML. The server's compression plugin expects this spelling of
  // `accept-encoding`.
  vary: "Accept, accept-encoding, Sec-Fetch-Mode, Sec-Fetch-Site, X-API-Key",
} as const;

/**
 * Headers of responses about one account. Without `access-control-allow-origin`, only pages of this site can read or embed
 * them.
 */
export const OWN_SITE_HEADERS = {
  "x-content-type-options": SHARED_HEADERS["x-content-type-options"],
  "referrer-policy": SHARED_HEADERS["referrer-policy"],
  "cross-origin-resource-policy": "same-origin",
  vary: SHARED_HEADERS.vary,
} as const;

const noScripts = (styles: string) =>
  `default-src 'none'; style-src ${styles}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The Content-Security-Policy of markup that a browser may open as a document. It forbids scripts, loading files, sending
 * forms, the origin of this site, and frames. It has no effect if the markup is an image in another page.
 */
export const SANDBOX = `${noScripts("'unsafe-inline'")}; sandbox`;

/**
 * The Content-Security-Policy of the API reference. It is not a sandbox, so that tools such as Lighthouse can audit it: the
 * reference contains only texts of this project. It allows the style sheet and the font of the site.
 */
export const REFERENCE_POLICY = `${noScripts("'self' 'unsafe-inline'")}; font-src 'self'; connect-src 'self'; img-src 'self'`;

/** True if browsers open this content type as a document, so that it needs `SANDBOX`. */
export function isMarkup(contentType: string): boolean {
  return /^(image\/svg\+xml|text\/html)/.test(contentType);
}
