/** Takes over envelopes of another store as they are, once they prove to be whole. */

import { hash } from "node:crypto";
import { envelope } from "../../../schemas/internal/envelope.ts";
import { asObject } from "../../reading/reader.ts";
import type { Source } from "../../sources/adapter/source.ts";
import type { Findings } from "./document.ts";
import { PAYLOAD_BYTES } from "./limits.ts";
import type { Objection } from "./not-json.ts";
import { isSafeId } from "./safe-id.ts";

/** No source's payload has both a digest and a payload as text. */
export function looksLikeEnvelope(document: unknown): boolean {
  const object = asObject(document);
  return object !== null && typeof object.payload === "string" && typeof object.payloadDigest === "string";
}

/** The one record of an envelope, or why it is not to be trusted. */
export function readStoredEnvelope(document: unknown, source: Source): Findings {
  const parsed = envelope.safeParse(document);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return refuse({ reason: "unknown-shape", detail: `an envelope with a bad ${issue?.path.join(".") || "key"}` });
  }
  const { sourceId, payload, payloadDigest } = parsed.data;
  const bytes = Buffer.byteLength(payload);
  if (parsed.data.source !== source.name) {
    return refuse({ reason: "unknown-shape", detail: `an envelope of the source ${parsed.data.source}` });
  }
  if (!isSafeId(sourceId)) return refuse({ reason: "no-identifier", detail: "an envelope of a record without a name" });
  if (bytes > PAYLOAD_BYTES) return refuse({ reason: "too-large", detail: `a record of ${bytes} bytes` });
  if (hash("sha256", payload) !== payloadDigest) {
    return refuse({ reason: "unknown-shape", detail: "an envelope whose payload does not have its digest" });
  }
  return { records: [{ sourceId, payload, payloadDigest, bytes, envelope: parsed.data }], refused: [] };
}

function refuse(objection: Objection): Findings {
  return { records: [], refused: [{ item: null, ...objection }] };
}
