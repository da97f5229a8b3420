/**
 * The text of a record's page. Its 25 signals are most of it, and repeat from record to record: the text of each is
 * remembered by everything it is made of.
 */

import type { Signal } from "../../schemas/public/rubric.ts";
import { stateOf } from "../../schemas/public/signal.ts";
import { pageText } from "./page.ts";
import { detailWith, type Explanation, type Judged, judgedBy, signalResult } from "./record.ts";
import type { RecordBundle, ScoreData } from "./rows.ts";

/** Texts by explanation; each is of a few hundred bytes. */
const REMEMBERED = new WeakMap<Explanation, Map<string, string>>();
const MOST_REMEMBERED = 20_000;

/** Longer evidence, such as a licence in full, hardly comes again. */
const LONGEST_KEY = 160;

/** No text of JSON holds it but as a member: quotes within texts are escaped. */
const NO_SIGNALS = '"signals":[]';

/** The same bytes as `pageText(recordDetail(…))`. */
export function recordText(bundle: RecordBundle, score: ScoreData | null, explanation: Explanation): string {
  const judged = judgedBy(bundle, score, explanation);
  const text = pageText(detailWith(bundle, score, explanation, []));
  const at = text.indexOf(NO_SIGNALS) + NO_SIGNALS.length - 1;
  const signals = explanation.contract.signals.map((signal) => signalText(signal, judged, bundle, explanation));
  return text.slice(0, at) + signals.join(",") + text.slice(at);
}

function signalText(signal: Signal, judged: Judged, bundle: RecordBundle, explanation: Explanation): string {
  let key = `${signal.id} ${stateOf(signal.bit, judged.masks)} ${judged.pledge.source}`;
  if (bundle.evidence === null) key += " none";
  else for (const name of signal.needs) key += ` ${JSON.stringify(bundle.evidence[name] ?? null)}`;
  const texts = rememberedFor(explanation);
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = JSON.stringify(signalResult(signal, judged, bundle, explanation));
  if (key.length <= LONGEST_KEY) {
    if (texts.size >= MOST_REMEMBERED) texts.clear();
    texts.set(key, text);
  }
  return text;
}

function rememberedFor(explanation: Explanation): Map<string, string> {
  const known = REMEMBERED.get(explanation);
  if (known !== undefined) return known;
  const texts = new Map<string, string>();
  REMEMBERED.set(explanation, texts);
  return texts;
}
