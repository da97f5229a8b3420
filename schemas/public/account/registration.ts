/** POST /api-keys/register: what is sent and what comes back (interface.md, "Registration request and result"). */

import { domainToASCII, domainToUnicode } from "node:url";
import { z } from "zod";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

/** The text that every key begins with, so that one found in a repository can be recognised. */
export const KEY_PREFIX = "share_live_";
/** Characters after the prefix: 32 of 62 are 190 bits. */
export const KEY_CHARACTERS = 32;

/** The secret, as it is sent in `X-API-Key`. */
export const apiKey = z.string().regex(/^share_live_[0-9A-Za-z]{32}$/);

/** The first 12 hex digits of the key's sha256: enough to name a key, and useless for making a request. */
export const apiKeyId = z.string().regex(/^[0-9a-f]{12}$/);

/** A key in a list. Times are ISO 8601 in UTC. */
const apiKeySummary = z.object({
  id: apiKeyId,
  name: z.string(),
  email: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  requestsToday: z.int().min(0),
});
export type ApiKeySummary = z.infer<typeof apiKeySummary>;

/** Admitted requests of a key on one UTC day (YYYY-MM-DD). */
const apiKeyUsage = z.object({ id: apiKeyId, day: z.iso.date(), requests: z.int().min(1) });
export type ApiKeyUsage = z.infer<typeof apiKeyUsage>;

/** Characters that turn the direction of the text around them. */
const TURNING = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
/** Those, and control characters: as every dialect of regular expressions writes them. */
const HIDDEN = `\\u0000-\\u001f\\u007f-\\u009f${TURNING}`;
/** The same, line breaks and tabs left alone. */
const HIDDEN_IN_LINES = `\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${TURNING}`;

interface TextBounds {
  readonly least: number;
  readonly most: number;
  /** May it have several lines? */
  readonly lines?: boolean;
}

/** `least` and `most` count code points, as JSON Schema does, after white space around the text is gone. */
export function plainText({ least, most, lines = false }: TextBounds) {
  const hidden = lines ? HIDDEN_IN_LINES : HIDDEN;
  const isHidden = new RegExp(`[${hidden}]`);
  return (
    z
      .string("must be text")
      .trim()
      .refine((text) => lengthOf(text) >= least, "must not be empty")
      .refine((text) => lengthOf(text) <= most, `must have at most ${most} characters`)
      // Half a surrogate pair has no UTF-8: a database would keep something else.
      .refine((text) => !isHidden.test(text) && text.isWellFormed(), "must not contain control characters")
      .meta({ minLength: least, maxLength: most, pattern: patternOf(hidden, least) })
  );
}

/** For clients that check before they send: white space around a text is nobody's mistake, nothing else may be there. */
function patternOf(hidden: string, least: number): string {
  const inner = least === 0 ? `[^${hidden}]*` : `[^\\s${hidden}](?:[^${hidden}]*[^\\s${hidden}])?`;
  return `^\\s*${inner}\\s*$`;
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** RFC 5321, 4.5.3.1: 64 octets before the @, 254 in all (interface.md, "Limits"). */
const MOST = 254;

/** Something, an @, and a domain of at least two labels; quoted local parts and address literals are not taken. */
const SHAPE =
  /^[^\s@"<>()[\],;:\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;

export const email = plainText({ least: 1, most: MOST })
  .refine((text) => SHAPE.test(text), "must be an e-mail address such as name@example.org")
  .meta({ minLength: 1, maxLength: MOST, format: "email" });

/**
 * The address under which somebody is known, whatever its capitals and its code points, and however its domain is written:
 * the mailer writes to the domain that IDNA makes of it, so that `ａ.example` and `a.example` are one. What is sent goes to
 * this form: two spellings that are delivered alike must never be two people, and no mailbox more than its share of links.
 * A domain that is none comes out empty, and the address as none.
 */
export function foldedEmail(text: string): string {
  const plain = text.normalize("NFC").toLowerCase().normalize("NFC");
  const at = plain.lastIndexOf("@") + 1;
  return plain.slice(0, at) + foldedDomain(plain.slice(at));
}

/** As people read it; addresses of machines, in whatever spelling, are no domains. */
function foldedDomain(domain: string): string {
  const ascii = domainToASCII(domain);
  return /^[\d.]*$/.test(ascii) ? "" : domainToUnicode(ascii).normalize("NFC");
}

const APPLICANT = { name: "Norvale Data Archive", email: "data@norvale.example" };

/** Unknown members are ignored. */
export const registrationRequest = shape(
  "RegistrationRequest",
  z.object(
    {
      /** A person or an organisation. */
      name: plainText({ least: 1, most: 200 }),
      email,
      /** The intended use. */
      description: plainText({ least: 0, most: 2000, lines: true }).optional(),
    },
    "must be a JSON object",
  ),
  () => ({ ...APPLICANT, description: "Showing SHARE scores beside our datasets." }),
);
export type RegistrationRequest = z.infer<typeof registrationRequest>;

/** `key` is shown here and never again. */
export const registrationResult = shape(
  "RegistrationResult",
  z.object({
    key: apiKey,
    name: z.string(),
    email: z.string(),
    createdAt: z.iso.datetime(),
    message: z.string(),
  }),
  () => ({
    key: "share_live_00000000000000000000000000000000",
    ...APPLICANT,
    createdAt: EXAMPLE_MOMENTS.begun,
    message: "Keep this key: it is shown only once. Send it in the header X-API-Key.",
  }),
);
export type RegistrationResult = z.infer<typeof registrationResult>;
