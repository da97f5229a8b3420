/**
 * The text of a record's page, in pieces. Its 25 signals are most of it, and repeat from record to record: the bytes of
 * each are remembered by everything it is made of.
 */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { judgingColumns } from "../../schemas/public/judging-columns.ts";
import type { Signal } from "../../schemas/public/rubric.ts";
import { type SignalState, stateOf } from "../../schemas/public/signal.ts";
import { type Page, pageText } from "./page.ts";
import { detailWith, type Explanation, type Judged, judgedBy, signalResult } from "./record.ts";
import type { RecordBundle, ScoreData } from "./rows.ts";

/** No text of JSON holds it but as a member: quotes within texts are escaped. */
const NO_SIGNALS = '"signals":[]';

/** The same bytes as `pageText(recordDetail(…))`. */
export function recordText(bundle: RecordBundle, score: ScoreData | null, explanation: Explanation): Page {
  const judged = judgedBy(bundle, score, explanation);
  const text = pageText(detailWith(bundle, score, explanation, []));
  const at = text.indexOf(NO_SIGNALS) + NO_SIGNALS.length - 1;
  const remembered = rememberedFor(explanation, judged.pledge.source);
  const signals = explanation.contract.signals.map((signal, place) =>
    remembered.textOf(signal, place, judged, bundle, explanation),
  );
  return [text.slice(0, at), ...signals, text.slice(at)];
}

/** A value of evidence; undefined where the record has none at all. */
type Value = number | boolean | string | null | undefined;

/** Texts by the value of a signal's last column, below maps by the values of those before it. */
interface Texts extends Map<Value, Texts | Uint8Array> {}

/** Longer evidence, such as a licence in full, hardly comes again. */
const LONGEST_VALUE = 160;

/** What is remembered for one source: some hundred bytes each. */
const MOST_REMEMBERED = 5000;

class RememberedSignals {
  readonly #texts = new Map<Signal, Map<SignalState, Texts>>();
  #count = 0;

  /** The text of a signal, after a comma where it is not the first of its page. */
  textOf(
    signal: Signal,
    place: number,
    judged: Judged,
    bundle: RecordBundle,
    explanation: Explanation,
  ): string | Uint8Array {
    // All that its text shows of the record: texts that differ in a column must not be taken for each other.
    const columns = judgingColumns(signal);
    const make = () => `${place === 0 ? "" : ","}${JSON.stringify(signalResult(signal, judged, bundle, explanation))}`;
    const given = (name: EvidenceName): Value => (bundle.evidence === null ? undefined : bundle.evidence[name]);
    let texts = this.#textsOf(signal, stateOf(signal.bit, judged.masks));
    for (let i = 0; i < columns.length; i += 1) {
      const name = columns[i];
      const value = name === undefined ? null : given(name);
      if (typeof value === "string" && value.length > LONGEST_VALUE) return make();
      const known = texts.get(value);
      if (known instanceof Map) {
        texts = known;
        continue;
      }
      if (known !== undefined) return known;
      if (i === columns.length - 1) return this.#remember(texts, value, Buffer.from(make()));
      const next: Texts = new Map();
      texts.set(value, next);
      texts = next;
    }
    return make();
  }

  #textsOf(signal: Signal, state: SignalState): Texts {
    const byState = this.#texts.get(signal) ?? new Map<SignalState, Texts>();
    const texts: Texts = byState.get(state) ?? new Map();
    byState.set(state, texts);
    this.#texts.set(signal, byState);
    return texts;
  }

  #remember(texts: Texts, value: Value, text: Uint8Array): Uint8Array {
    if (this.#count >= MOST_REMEMBERED) {
      this.#texts.clear();
      this.#count = 0;
    }
    texts.set(value, text);
    this.#count += 1;
    return text;
  }
}

const REMEMBERED = new WeakMap<Explanation, Map<string, RememberedSignals>>();

function rememberedFor(explanation: Explanation, source: string): RememberedSignals {
  const bySource = REMEMBERED.get(explanation) ?? new Map<string, RememberedSignals>();
  const remembered = bySource.get(source) ?? new RememberedSignals();
  bySource.set(source, remembered);
  REMEMBERED.set(explanation, bySource);
  return remembered;
}
