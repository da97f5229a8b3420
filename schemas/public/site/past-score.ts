/** A score as one release had it: what the history of a dataset on its page is made of. */
export interface PastScore {
  readonly scoreReleaseVersion: string;
  readonly releaseDigest: string;
  readonly asOf: string;
  readonly contract: string;
  /** Null where it had none. */
  readonly total: number | null;
  readonly cap: number | null;
  /** Version of the reader of its source, where the release says. */
  readonly reader: number | null;
}
