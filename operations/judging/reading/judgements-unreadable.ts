/** A file of judgements that cannot be read: every fault by its line and field, the first of them in words. */

/** What is wrong in a line; `field` is '' where it is the line itself. */
export interface Fault {
  readonly line: number;
  readonly field: string;
  readonly what: string;
}

/** Faults told in the message. */
const TOLD = 10;

export class JudgementsUnreadable extends Error {
  readonly code = "ERR_JUDGEMENTS_UNREADABLE";
  constructor(file: string, faults: readonly Fault[]) {
    const told = faults
      .slice(0, TOLD)
      .map(({ line, field, what }) => `${file}:${line}: ${field}${field && ": "}${what}`);
    const more = faults.length > TOLD ? [`and ${faults.length - TOLD} more`] : [];
    super([...told, ...more, "nothing was compared; mend the file and give the command again"].join("\n"));
    this.name = "JudgementsUnreadable";
  }
}

/** Faults as they are found; beyond so many, reading on tells nobody anything. */
export class Faults {
  readonly #file: string;
  readonly #found: Fault[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(line: number, field: string, what: string): null {
    this.#found.push({ line, field, what });
    if (this.#found.length >= MOST) this.throwAny();
    return null;
  }

  /** @throws JudgementsUnreadable where there is one */
  throwAny(): void {
    if (this.#found.length > 0) throw new JudgementsUnreadable(this.#file, this.#found);
  }
}

const MOST = 1000;
