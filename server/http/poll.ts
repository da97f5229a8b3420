/** Looking again and again, for as long as the server runs. */

import type { Effects } from "../../pipeline/stage/effects.ts";

/** Runs `look` after each wait until the signal fires; what fails in it is for `look` to deal with. */
export async function poll(
  look: () => Promise<void>,
  milliseconds: number,
  sleep: Effects["sleep"],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(milliseconds, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await look();
  }
}

/** So many requests in so many seconds; whole numbers of at least 1. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * What is limited. `anonymous` and `preflight` count by address, `key` by API key; the others are for single addresses of
 * the API. Browsers ask OPTIONS before they send a key, for every address anew, and cannot say in it whose key it will be:
 * charged to the anonymous quota, it would hold callers with keys to that. So it has a quota of its own, large enough for
 * ten keys behind one address. Badges are fetched by the image proxies of whole sites, for readers who may ask for more
 * than pictures from behind the same address: they have one too, counted by address or key.
 */
export type QuotaName = "anonymous" | "preflight" | "badge" | "key" | "registration" | "link" | "evaluation";

export type Quotas = Readonly<Record<QuotaName, Quota>>;

export const DEFAULT_QUOTAS: Quotas = {
  anonymous: { requests: 100, seconds: 60 },
  preflight: { requests: 10_000, seconds: 60 },
  badge: { requests: 1000, seconds: 60 },
  key: { requests: 1000, seconds: 60 },
  registration: { requests: 3, seconds: 3600 },
  link: { requests: 5, seconds: 3600 },
  evaluation: { requests: 10, seconds: 60 },
};

/** The server was told something it cannot work with: an operator can put it right. */
export class ConfigurationError extends Error {
  readonly code = "ERR_CONFIGURATION";

  /** `message` names what to change, and repeats no secret: it is printed. */
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}
