/** The signature of a receipt, a retraction or a head. */

import { z } from "zod";
import { named } from "./named.ts";

const MAX_PART_LENGTH = 2000;

/** Largest number of signatures. Two are needed while a publisher changes its key. */
const MAX_KEYS = 8;

const part = z.string().min(1).max(MAX_PART_LENGTH);

const keySignature = named(
  "KeySignature",
  z.strictObject({ protected: part, signature: part }).describe("The signature by one key."),
);

const keySignatures = named(
  "KeySignatures",
  z
    .strictObject({ signatures: z.array(keySignature).min(1).max(MAX_KEYS) })
    .describe(
      "Signatures by several keys, for example during a rotation, in the general JSON serialisation (RFC 7515).",
    ),
);

export const signature = named(
  "Signature",
  z
    .union([
      z.string().max(MAX_PART_LENGTH).describe("A signature by one key, in compact form: `<header>..<signature>`."),
      keySignatures,
    ])
    .describe("A detached JSON Web Signature (RFC 7515) over the canonical JSON of the other fields."),
);
export type Signature = z.infer<typeof signature>;
