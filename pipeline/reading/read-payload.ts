/** Reads the payload of one capture with the normaliser of its source, and makes its texts safe to show. */

import type { Normalised, StatedValue } from "../../schemas/internal/capture.ts";
import type { Envelope } from "../../schemas/internal/rows.ts";
import type { NormaliseOptions, Source } from "../sources/adapter/source.ts";
import { getErrorMessage } from "../stage/effects.ts";
import { bareFields, parsePayload } from "./normalised.ts";
import { makeSafeToShow } from "./safe-to-show.ts";
import { displayText } from "./text.ts";
import { ValueCollector } from "./values.ts";

/**
 * A payload after normalisation. If the payload is only a piece of a record, such as one experiment of an SRA study,
 * `piece` is the name of the piece; null for a complete record.
 */
export interface ReadPayload {
  readonly normalised: Normalised;
  readonly values: readonly StatedValue[];
  readonly piece: string | null;
}

/**
 * Reads and normalises a payload. Never throws: an unreadable payload has the outcome `failed`. With status 404 or 410, the
 * record was gone.
 */
export function readPayload(
  source: Source,
  captured: Pick<Envelope, "status" | "payload" | "sourceId">,
  context: NormaliseOptions,
): ReadPayload {
  const collector = new ValueCollector();
  const watched = { ...context, vocabularies: collector.watch(context.vocabularies) };
  const { normalised, payload, piece } = readAsStated(source, captured, watched);
  const values = normalised.outcome === "record" ? collector.values(normalised, payload, context.vocabularies) : [];
  return { normalised: makeSafeToShow(normalised), values, piece };
}

function readAsStated(
  source: Source,
  { status, payload: text, sourceId }: Pick<Envelope, "status" | "payload" | "sourceId">,
  context: NormaliseOptions,
): Omit<ReadPayload, "values"> & { readonly payload: unknown } {
  const nothing = { payload: null, piece: null };
  if (status === 404 || status === 410) return { normalised: source.normalise(null, sourceId, context), ...nothing };
  try {
    const payload = parsePayload(text, source.xmlParts);
    const normalised = source.normalise(payload, sourceId, context);
    return { normalised, payload, piece: source.pieces?.findPieceName(payload) ?? null };
  } catch (error) {
    const reason = `the payload cannot be read: ${getErrorMessage(error)}`;
    const fields = bareFields({ versionFamily: `${source.name}/${sourceId}` });
    return { normalised: { outcome: "failed", updated: null, reason: displayText(reason, 300), fields }, ...nothing };
  }
}
