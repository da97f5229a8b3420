/** The rates at which each service is asked: at once, how often by whom it does not know and by whom it does, and whether for changes. */

import type { Rate } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { code, table } from "./markdown.ts";

/** One row a source. */
export async function asking(): Promise<string> {
  const rows = SOURCES.map(({ name, rate, contactRate, credential, concurrency, walk }) => [
    code(name),
    rateText(rate),
    contactRate === undefined ? "–" : rateText(contactRate),
    credential === undefined ? "–" : `${rateText(credential.rate)}, ${code(credential.variable)}`,
    String(concurrency ?? 1),
    walk.since ? "yes" : "no: a whole walk",
  ]);
  return table(["source", "anyone", "with a contact", "with credentials", "at once", "changes since a day"], rows);
}

function rateText({ requests, seconds }: Rate): string {
  return `${requests} in ${seconds} s`;
}
