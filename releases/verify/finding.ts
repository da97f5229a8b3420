/** Collects the findings of a verification. */

/** A fault that a verification found: the name of the check, and the detail. */
export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export type Found = (check: string, detail: string) => void;

/** Largest number of findings of one check that are listed. Further findings are only counted. */
export const MAX_LISTED = 20;

/** Collects the details that one check found. Counts all of them, and lists the first {@link MAX_LISTED}. */
export class Details {
  readonly #listed: string[] = [];
  #count = 0;
  readonly #total: number | null;

  /** Takes the number of all details if the caller adds only the first ones; null if the caller adds all of them. */
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
