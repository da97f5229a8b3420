/** Findings of a verification. */

/** A difference from the release's statements: the check, and the detail. */
export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export type Found = (check: string, detail: string) => void;

/** Number of findings of one check that are listed. The others are only counted. */
export const MAX_LISTED = 20;

/** Details of one check. It counts all and lists the first {@link MAX_LISTED}. */
export class Details {
  readonly #listed: string[] = [];
  #count = 0;
  readonly #total: number | null;

  /** `total` is the number of all details, if the caller only adds the first ones. */
  constructor(total: number | null = null) {
    this.#total = total;
  }

  get count(): number {
    return this.#total ?? this.#count;
  }

  add(detail: string): void {
    this.#count += 1;
    if (this.#listed.length < MAX_LISTED) this.#listed.push(detail);
  }

  report(found: Found, check: string): void {
    for (const detail of this.#listed) found(check, detail);
    if (this.count > this.#listed.length) found(check, `and ${this.count - this.#listed.length} more`);
  }
}
