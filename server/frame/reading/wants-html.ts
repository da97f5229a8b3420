/** Requests of people who read in a browser. */

import type { ReadRequest } from "./read-request.ts";

/** Browsers name HTML; programs, which accept anything, are given JSON. */
export function wantsHtml({ headers }: Pick<ReadRequest, "headers">): boolean {
  return headers.accept?.includes("text/html") ?? false;
}
