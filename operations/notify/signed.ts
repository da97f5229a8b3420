/** The headers of a webhook: id, time and signature (Standard Webhooks, "Webhook headers"). */

import { createHmac } from "node:crypto";

/** `at` in seconds since 1970. The signature is over id, time and body, so that none of them can be changed or sent again later. */
export function signedHeaders(
  secret: Uint8Array,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Record<string, string> {
  const signature = createHmac("sha256", secret).update(`${id}.${at}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` };
}
