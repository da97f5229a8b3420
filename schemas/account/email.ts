/** E-mail addresses as far as they can be judged without writing to them. */

import { plainText } from "./plain-text.ts";

/** RFC 5321, 4.5.3.1: 64 octets before the @, 254 in all (interface.md, "Limits"). */
const MOST = 254;

/** Something, an @, and a domain of at least two labels; quoted local parts and address literals are not taken. */
const SHAPE =
  /^[^\s@"<>()[\],;:\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;

export const email = plainText({ least: 1, most: MOST })
  .refine((text) => SHAPE.test(text), "must be an e-mail address such as name@example.org")
  .meta({ minLength: 1, maxLength: MOST, format: "email" });

/**
 * The address under which somebody is known, whatever its capitals and its code points. What is sent goes to this form
 * too: two spellings that fold together must never be two mailboxes, one of which could sign in as the other.
 */
export function foldedEmail(text: string): string {
  return text.normalize("NFC").toLowerCase().normalize("NFC");
}
