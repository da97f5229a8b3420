/** Random values of signing in, and what is kept of them. */

import { hash, randomBytes } from "node:crypto";

/** 256 bits in base64url, 43 characters: tokens of sessions and links. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** sha256 in hex. A token has 256 random bits: there is nothing to guess that a slower hash would make slower. */
export function digestOfToken(token: string): string {
  return hash("sha256", token);
}

/** A letter and 24 hex digits, at random: a public name of something, from which no secret follows. */
export function newId(letter: string): string {
  return letter + randomBytes(12).toString("hex");
}
