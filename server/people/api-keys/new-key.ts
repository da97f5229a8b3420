/** Makes API keys, and what is kept of them. */

import { hash, randomInt } from "node:crypto";
import { KEY_CHARACTERS, KEY_PREFIX } from "../../../schemas/public/account/api-key.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `randomInt` draws again rather than fold the ends of its range together: every character is as likely as every other. */
export function newKey(): string {
  const characters = Array.from({ length: KEY_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length)));
  return KEY_PREFIX + characters.join("");
}

/** sha256 in hex. A key has 190 random bits: there is nothing to guess that a slower hash would make slower. */
export function digestOfKey(key: string): string {
  return hash("sha256", key);
}

/** The public id of a key, from its digest. */
export function idOfDigest(digest: string): string {
  return digest.slice(0, 12);
}
