/** API keys: the secret a client sends, the public id people know it by, and what a list shows of it. */

import { z } from "zod";

/** The text that every key begins with, so that one found in a repository can be recognised. */
export const KEY_PREFIX = "share_live_";
/** Characters after the prefix: 32 of 62 are 190 bits. */
export const KEY_CHARACTERS = 32;

/** The secret, as it is sent in `X-API-Key`. */
export const apiKey = z.string().regex(/^share_live_[0-9A-Za-z]{32}$/);

/** The first 12 hex digits of the key's sha256: enough to name a key, and useless for making a request. */
export const apiKeyId = z.string().regex(/^[0-9a-f]{12}$/);

/** A key in a list. Times are ISO 8601 in UTC. */
export const apiKeySummary = z.object({
  id: apiKeyId,
  name: z.string(),
  email: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  requestsToday: z.int().min(0),
});
export type ApiKeySummary = z.infer<typeof apiKeySummary>;

/** Admitted requests of a key on one UTC day (YYYY-MM-DD). */
export const apiKeyUsage = z.object({ id: apiKeyId, day: z.iso.date(), requests: z.int().min(1) });
export type ApiKeyUsage = z.infer<typeof apiKeyUsage>;
