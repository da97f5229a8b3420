/** E-mail addresses as far as they can be judged without writing to them. */

import { domainToASCII, domainToUnicode } from "node:url";
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
