/** The signature of a receipt or of a retraction: a detached JSON Web Signature, by one key or by several. */

import { z } from "zod";
import { named } from "./named.ts";

const LONGEST = 2000;

/** As many as a rotation needs, and some to spare. */
const MOST_KEYS = 8;

const part = z.string().min(1).max(LONGEST);

export const signature = named(
  "Signature",
  z
    .union([
      z.string().max(LONGEST).describe("A signature by one key, in compact form: `<header>..<signature>`."),
      z
        .strictObject({
          signatures: z
            .array(z.strictObject({ protected: part, signature: part }))
            .min(1)
            .max(MOST_KEYS),
        })
        .describe("Signatures by several keys, as during a rotation, in the general JSON serialisation of RFC 7515."),
    ])
    .describe("A JSON Web Signature (RFC 7515) whose payload is left out: the canonical JSON of the other members."),
);
export type Signature = z.infer<typeof signature>;
