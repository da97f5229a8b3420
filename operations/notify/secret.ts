/** The secret that webhooks are signed with: `whsec_` and 24 to 64 bytes in base64 (Standard Webhooks, "Signature scheme"). */

const FORM = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Its bytes; null for what is no such secret, which nobody repeats. */
export function secretBytes(text: string): Uint8Array | null {
  const encoded = FORM.exec(text.trim())?.[1];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded && bytes.length >= 24 && bytes.length <= 64 ? bytes : null;
}
