/** Data of the program that a release names by digests of their own: contracts, and what sources pledge. A digest of code leaves them out. */

const OWN_DIGEST = /^pipeline\/(?:rubrics\/[^/]+|sources\/[^/]+\/(?:pledge|forms))\.json$/;

/** `path`: below the program's folder. */
export function hasOwnDigest(path: string): boolean {
  return OWN_DIGEST.test(path);
}
