/** The values behind the counts of evidence: the keywords, files, works, funders, awards and roles, and which of them count. */

import type { Creator, StatedValue } from "../../schemas/internal/capture.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { personIn } from "./funding.ts";
import { displayText } from "./text.ts";

/** Values of one column that count, and as many that do not. The counts themselves are in the evidence. */
const MAX_VALUES = 10;

const MAX_CHARACTERS = 120;

/** Collects the values of one payload while a normaliser counts them. */
export class ValueCollector {
  readonly #values = new Map<string, StatedValue>();
  readonly #counts = new Map<string, number>();

  /** Returns vocabularies with which the shared readers report each value that they count or leave out. */
  watch(vocabularies: Vocabularies): Vocabularies {
    return { ...vocabularies, note: (evidence, text, counts) => this.#add(evidence, text, counts) };
  }

  /** Returns the values, safe to show, in the order of the payload. None of them names a creator, who may want to be hidden. */
  values(creators: readonly Creator[], vocabularies: Pick<Vocabularies, "names">): readonly StatedValue[] {
    const isPerson = personIn(creators, vocabularies);
    return [...this.#values.values()].filter(({ value }) => !isPerson(value));
  }

  #add(evidence: EvidenceName, text: string, counts: boolean): void {
    const list = `${evidence} ${counts}`;
    const count = this.#counts.get(list) ?? 0;
    if (count >= MAX_VALUES) return;
    const value = shortened(text);
    const key = `${list} ${value}`;
    if (value === "" || this.#values.has(key)) return;
    this.#counts.set(list, count + 1);
    this.#values.set(key, { evidence, value, counts });
  }
}

function shortened(text: string): string {
  const value = displayText(text, MAX_CHARACTERS + 1);
  return value.length <= MAX_CHARACTERS ? value : `${value.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
}
