/** Rate limits in words. */

import { countText } from "./figures.ts";

/** A number of requests in a number of seconds. */
export interface Limit {
  readonly requests: number;
  readonly seconds: number;
}

export function limitText({ requests, seconds }: Limit): string {
  const time = seconds === 60 ? "minute" : seconds === 3600 ? "hour" : countText(seconds, "second");
  return `${countText(requests, "request")} per ${time}`;
}
