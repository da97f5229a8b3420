/**
 * fetch for a service the operator has named: its own origin and no other, no redirects followed, bodies of bounded size,
 * within a time. What goes wrong on the way is one error, told apart from what the service says.
 */

import type { Effects } from "../../pipeline/stage/effects.ts";
import { guardedFetch } from "./guarded-fetch.ts";

/** The service was not reached, was too slow, or said more than anybody needs. */
export class ServiceAway extends Error {
  readonly code = "service-away";
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "ServiceAway";
  }
}

export interface ServiceBounds {
  readonly milliseconds: number;
  readonly bytes: number;
}

export interface OneOriginFetch {
  readonly fetch: Effects["fetch"];
  close(): Promise<void>;
}

/** `origin`, such as https://orcid.org, may be anywhere, in a private network too: the operator named it. */
export function oneOriginFetch(origin: string, { milliseconds, bytes }: ServiceBounds): OneOriginFetch {
  const guarded = guardedFetch({ allow: [origin] });
  return {
    close: () => guarded.close(),
    async fetch(input, init = {}) {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== origin) throw new ServiceAway(`${url.origin} is not ${origin}; it was not asked`);
      try {
        const signals = [AbortSignal.timeout(milliseconds), init.signal].filter(
          (signal) => signal instanceof AbortSignal,
        );
        const answer = await guarded.fetch(url, { ...init, redirect: "manual", signal: AbortSignal.any(signals) });
        const { status, headers } = answer;
        return new Response(await boundedText(answer, bytes), { status, headers: [...headers] });
      } catch (cause) {
        throw cause instanceof ServiceAway ? cause : new ServiceAway(`${origin} gave no answer`, { cause });
      }
    },
  };
}

async function boundedText({ body }: Response, most: number): Promise<string | null> {
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > most) throw new ServiceAway(`the answer has more than ${most} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
