/** The words that an S-Index is never shown without: badges, the command line and lists for people share them. */

import type { SIndexBasis } from "../../schemas/public/api/researcher.ts";

/** `of 12 datasets`, `SHARE 2.0`, `as of 2026-05-01`, `median 2`, `mean cap 84.5`; what is not known is called unknown. */
export function sIndexWords({ datasets, rubric, date, median, cap }: SIndexBasis): string[] {
  return [
    `of ${datasets} ${datasets === 1 ? "dataset" : "datasets"}`,
    `SHARE ${rubric}`,
    date === null ? "date unknown" : `as of ${date}`,
    `median ${median ?? "unknown"}`,
    `mean cap ${cap ?? "unknown"}`,
  ];
}
