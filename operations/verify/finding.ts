/** What verifying finds. */

/** One thing that is not as the release says: which check, and what exactly. */
export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export type Found = (check: string, detail: string) => void;

/** Names a file that neither the digest nor anything at hand proves. */
export type Unproven = (path: string) => void;

/** More of a kind than this are counted, not listed. */
export const MOST_LISTED = 20;

/** Reports up to {@link MOST_LISTED} details of a check, and how many more there are. */
export function report(found: Found, check: string, details: readonly string[]): void {
  for (const detail of details.slice(0, MOST_LISTED)) found(check, detail);
  if (details.length > MOST_LISTED) found(check, `and ${details.length - MOST_LISTED} more`);
}
