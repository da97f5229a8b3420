/** A table of a set of datasets by year of publication, with a link to those of each year. */

import type { SignalImprovements } from "../../schemas/public/api/improvements.ts";
import { type Html, html } from "../html.ts";
import { hundredths, integer, UNKNOWN } from "./figures.ts";
import { addQuery, type QueryFields } from "./navigation.ts";
import { numberColumn, table } from "./table.ts";

/** `query` selects the datasets in a list. */
export function yearsTable({ data }: Pick<SignalImprovements, "data">, query: QueryFields): Html {
  return table(
    "Datasets by year, the newest first",
    ["Year", numberColumn("Datasets"), numberColumn("With a score"), numberColumn("Average score")],
    data.years.map(({ year, datasets, scoredCount, meanScore }) => [
      yearLink(year, query),
      integer(datasets),
      integer(scoredCount),
      hundredths(meanScore),
    ]),
    true,
  );
}

/** Returns the year with a link to the list of its datasets. */
export function yearLink(year: number | null, query: QueryFields): Html | string {
  if (year === null) return UNKNOWN;
  const years = { publishedFrom: String(year), publishedUntil: String(year) };
  return html`<a href="${addQuery("/datasets", { ...query, ...years })}">${year}</a>`;
}
