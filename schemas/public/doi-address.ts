/** Converts a DOI to its URL. All parts of the program use this file, so that they encode DOIs in the same way. */

/** Matches characters that the path of a URL cannot contain (RFC 3986, 3.3). A DOI can contain `#`, `?`, `%` and `<`. */
const OUTSIDE_PATHS = /[^A-Za-z0-9\-._~!$&'()*,;=:@/]/gu;

/** Returns the URL of a DOI, percent-encoded (DOI Handbook, 2.5.2.4). */
export function doiAddress(doi: string): string {
  return `https://doi.org/${doi.toWellFormed().replace(OUTSIDE_PATHS, encodeURIComponent)}`;
}
