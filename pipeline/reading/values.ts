/**
 * Collects the values behind the counts of evidence: keywords, files, works, funders, awards and roles, and whether each
 * counts.
 */

import type { Creator, Normalised, StatedValue } from "../../schemas/internal/capture.ts";
import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { findElsewhere, withoutVersion } from "./found-elsewhere.ts";
import { readDoi } from "./identifiers.ts";
import { displayText } from "./text.ts";

/**
 * Largest number of values that are listed for each column: ten that count, and ten that do not count. The evidence
 * contains the complete counts.
 */
const MAX_VALUES = 10;

const MAX_CHARACTERS = 120;

/** Largest number of field values that are remembered, so that a search of the prose does not return them again. */
const MAX_KNOWN = 2000;

type ReadRecord = Extract<Normalised, { outcome: "record" }>;

/** Collects the values of one payload while a normaliser counts them. */
export class ValueCollector {
  readonly #values = new Map<string, StatedValue>();
  readonly #counts = new Map<string, number>();
  /** The values of all fields in lower case, including those that are not listed because of the limit. */
  readonly #known = new Set<string>();

  /**
   * Returns vocabularies that also report to this collector: the readers that count values call `note` for each value.
   */
  watch(vocabularies: Vocabularies): Vocabularies {
    const note: Vocabularies["note"] = (evidence, text, counts) => this.#note(evidence, text, counts);
    // A copy would read every vocabulary.
    return Object.create(vocabularies, { note: { value: note } });
  }

  /**
   * Returns the values of a record, safe to show: first those of its fields in the order of the payload, then those that
   * only its prose contains. Leaves out values with the name of a creator, who may want to be hidden. `payload` is null for
   * a record in pieces.
   */
  values(record: ReadRecord, payload: unknown, vocabularies: Vocabularies): readonly StatedValue[] {
    const { doi, versionFamily } = record.fields;
    for (const own of [doi, versionFamily]) {
      if (own !== null) this.#known.add(own.toLowerCase()).add(withoutVersion(own.toLowerCase()));
    }
    for (const { evidence, value, foundIn } of findElsewhere(payload, record.evidence, this.#known, vocabularies)) {
      this.#add(evidence, value, false, foundIn);
    }
    const values = [...this.#values.values()];
    const isPrivate = mentionsIn(record.creators, vocabularies);
    // Most records have no such value, and one text is folded faster than many.
    if (values.length === 0 || !isPrivate(values.map(({ value }) => value).join("\n"))) return values;
    return values.filter(({ value }) => !isPrivate(value));
  }

  #note(evidence: EvidenceName, text: string, counts: boolean): void {
    const known = readDoi(text) ?? text;
    if (this.#known.size < MAX_KNOWN) this.#known.add(known.toLowerCase());
    this.#add(evidence, text, counts, null);
  }

  #add(evidence: EvidenceName, text: string, counts: boolean, foundIn: string | null): void {
    const list = `${evidence} ${counts}`;
    const count = this.#counts.get(list) ?? 0;
    if (count >= MAX_VALUES) return;
    const value = shortened(text);
    const key = `${list} ${value}`;
    if (value === "" || this.#values.has(key)) return;
    this.#counts.set(list, count + 1);
    this.#values.set(key, { evidence, value, counts, foundIn: foundIn === null ? null : shortened(foundIn) });
  }
}

/**
 * Returns a function that is true for a text with a word of a creator's name. Citations and file names often contain just
 * the family name, so one word is enough. A keyword such as "rice" is therefore left out if a creator has this name, but no
 * value ever has to be removed later.
 */
function mentionsIn(creators: readonly Creator[], { names }: Pick<Vocabularies, "names">): (text: string) => boolean {
  const words = new Set(
    creators.flatMap(({ person, name }) => (person ? names.foldName(name).split(" ").filter(isNameWord) : [])),
  );
  return (text) =>
    words.size > 0 &&
    names
      .foldText(text)
      .split(" ")
      .some((word) => words.has(word));
}

/**
 * True for a word of a name that is long enough to compare: not initials and not a short particle. Words in Chinese
 * characters may be short.
 */
function isNameWord(word: string): boolean {
  return word.length > 2 || (word.length === 2 && /[^a-z]/.test(word));
}

function shortened(text: string): string {
  const value = displayText(text, MAX_CHARACTERS + 1);
  return value.length <= MAX_CHARACTERS ? value : `${value.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`;
}
