/** Findings of a verification. */

/** A difference from the release's statements: the check, and the detail. */
export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export type Found = (check: string, detail: string) => void;

/** Findings of one check that are listed; the rest is a number. */
export const MOST_LISTED = 20;

/** Details of one check. All are counted, and the first {@link MOST_LISTED} are listed. */
export class Details {
  readonly #listed: string[] = [];
  #count = 0;
  readonly #total: number | null;

  /** `total`: their number, if only the first ones are added. */
  constructor(total: number | null = null) {
    this.#total = total;
  }

  get count(): number {
    return this.#total ?? this.#count;
  }

  add(detail: string): void {
    this.#count += 1;
    if (this.#listed.length < MOST_LISTED) this.#listed.push(detail);
  }

  report(found: Found, check: string): void {
    for (const detail of this.#listed) found(check, detail);
    if (this.count > this.#listed.length) found(check, `and ${this.count - this.#listed.length} more`);
  }
}
