/** Request and response of POST /api-keys/register (interface.md, "Registration request and result"). */

import { domainToASCII, domainToUnicode } from "node:url";
import { z } from "zod";
import { instant } from "../scalars.ts";
import { plainText } from "../text.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";

/** The first characters of every key, by which secret scanners recognise a leaked key. */
export const KEY_PREFIX = "share_live_";
/** Number of random characters after the prefix. 32 characters from 62 are 190 bits. */
export const KEY_CHARACTERS = 32;

export const apiKey = z.string().regex(/^share_live_[0-9A-Za-z]{32}$/);

/** The first 12 hex digits of the sha256 of a key. They identify the key without revealing it. */
export const apiKeyId = z.string().regex(/^[0-9a-f]{12}$/);

export const ownApiKey = z
  .object({
    id: apiKeyId,
    name: z
      .string()
      .nullable()
      .describe(
        "Null, like the description, if you were not signed in when the key was registered: anybody could do that.",
      ),
    description: z.string().nullable(),
    createdAt: instant,
    revokedAt: instant.nullable(),
  })
  .describe("An API key that was registered with the email address of the account.");
export type OwnApiKey = z.infer<typeof ownApiKey>;

export const EXAMPLE_KEY = "3f9c0d21ab54";

/** A key as lists show it. Times are ISO 8601 in UTC. */
const apiKeySummary = z.object({
  id: apiKeyId,
  name: z.string(),
  email: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  requestsToday: z.int().min(0),
});
export type ApiKeySummary = z.infer<typeof apiKeySummary>;

/** Number of accepted requests with a key on one UTC day (YYYY-MM-DD). */
const apiKeyUsage = z.object({ id: apiKeyId, day: z.iso.date(), requests: z.int().min(1) });
export type ApiKeyUsage = z.infer<typeof apiKeyUsage>;

/** Longest email address (RFC 5321, 4.5.3.1; interface.md, "Limits"). At most 64 of its octets are before the @. */
const MAX_EMAIL_LENGTH = 254;

/**
 * Matches an email address: a local part, an @, and a domain of at least two labels. Quoted local parts and IP addresses
 * are rejected.
 */
const SHAPE =
  /^[^\s@"<>()[\],;:\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;

export const email = plainText({ least: 1, most: MAX_EMAIL_LENGTH })
  .refine((text) => SHAPE.test(text), "must be an email address such as name@example.org")
  .meta({ minLength: 1, maxLength: MAX_EMAIL_LENGTH, format: "email" });

/**
 * Returns the canonical form of an email address: lower case, NFC, and the domain as IDNA resolves it, so that `ａ.example`
 * becomes `a.example`. Emails are sent to this form, because two spellings of one mailbox must not become two accounts, or
 * get more sign-in links than the limit allows. An invalid domain becomes empty, which makes the address invalid.
 */
export function foldedEmail(text: string): string {
  const plain = text.normalize("NFC").toLowerCase().normalize("NFC");
  const at = plain.lastIndexOf("@") + 1;
  return plain.slice(0, at) + foldedDomain(plain.slice(at));
}

/** Returns the domain in Unicode. Returns an empty text for an IP address or an invalid domain. */
function foldedDomain(domain: string): string {
  const ascii = domainToASCII(domain);
  return /^[\d.]*$/.test(ascii) ? "" : domainToUnicode(ascii).normalize("NFC");
}

const APPLICANT = { name: "Norvale Data Archive", email: "data@norvale.example" };

export const registrationRequest = shape(
  "RegistrationRequest",
  z.object(
    {
      /** Name of the person or organisation that registers. */
      name: plainText({ least: 1, most: 200 }),
      email,
      /** The use that is planned for the key. */
      description: plainText({ least: 0, most: 2000, lines: true }).optional(),
    },
    "must be a JSON object",
  ),
  () => ({ ...APPLICANT, description: "Showing SHARE scores beside our datasets." }),
);
export type RegistrationRequest = z.infer<typeof registrationRequest>;

/** The response to a registration. It is the only response that contains the key. */
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
    message: "Store this key: it is shown only once. Send it in the header X-API-Key.",
  }),
);
export type RegistrationResult = z.infer<typeof registrationResult>;
