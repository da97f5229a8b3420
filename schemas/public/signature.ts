/** A signature in a receipt, a retraction or a head. */

import { z } from "zod";
import { named } from "./named.ts";

const LONGEST = 2000;

/** Maximum number of signatures. A rotation needs two. */
const MOST_KEYS = 8;

const part = z.string().min(1).max(LONGEST);

const keySignature = named(
  "KeySignature",
  z.strictObject({ protected: part, signature: part }).describe("The signature by one key."),
);

const keySignatures = named(
  "KeySignatures",
  z
    .strictObject({ signatures: z.array(keySignature).min(1).max(MOST_KEYS) })
    .describe(
      "Signatures by several keys, for example during a rotation, in the general JSON serialisation (RFC 7515).",
    ),
);

export const signature = named(
  "Signature",
  z
    .union([
      z.string().max(LONGEST).describe("A signature by one key, in compact form: `<header>..<signature>`."),
      keySignatures,
    ])
    .describe("A detached JSON Web Signature (RFC 7515) over the canonical JSON of the other fields."),
);
export type Signature = z.infer<typeof signature>;
