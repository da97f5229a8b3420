/** The members of rows that were asked for: rows cut down to them, in the rows' own order. */

export class Fields {
  readonly #paths: readonly string[];

  /** `text`: paths of members, joined by commas, each of them known. */
  constructor(text: string) {
    this.#paths = text.split(",");
  }

  /** Whether a member is asked for, by its own path or by that of one it is in. */
  has(path: string): boolean {
    return this.#paths.some((asked) => path === asked || path.startsWith(`${asked}.`));
  }

  /** The row without what was not asked for; a member that is null hides none of its own. */
  of(row: object): object {
    return this.#kept(row, "");
  }

  #kept(value: object, before: string): object {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
        const path = `${before}${name}`;
        if (this.has(path)) return [[name, member]];
        if (!this.#leadsOn(path)) return [];
        return [[name, typeof member === "object" && member !== null ? this.#kept(member, `${path}.`) : member]];
      }),
    );
  }

  /** Whether something in it is asked for. */
  #leadsOn(path: string): boolean {
    return this.#paths.some((asked) => asked.startsWith(`${path}.`));
  }
}
