/** The address of a DOI: one way to write it, wherever one is shown. */

/** What stands in a path as it is (RFC 3986, 3.3). A DOI may hold anything else that can be printed: `#`, `?`, `%`, `<`. */
const OUTSIDE_PATHS = /[^A-Za-z0-9\-._~!$&'()*,;=:@/]/gu;

/** `doi`: without an address. What would end a path, or be taken for an escape, is percent-encoded (DOI Handbook, 2.5.2.4). */
export function doiAddress(doi: string): string {
  return `https://doi.org/${doi.toWellFormed().replace(OUTSIDE_PATHS, encodeURIComponent)}`;
}
