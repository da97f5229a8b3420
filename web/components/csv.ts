/** Links to CSV files of datasets, and the description of their columns. */

import { BUCKETS, STATES } from "../../schemas/public/signal.ts";
import { DATASETS_CSV } from "../../schemas/public/site/datasets-csv.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { addQuery, type QueryFields } from "./navigation.ts";
import { BUCKET_NAMES, STATE_WORDS } from "./state-words.ts";
import { table } from "./table.ts";

/** Returns a link to a CSV file with all datasets of a list, and a link to the description of its columns. */
export function csvLink(filters: QueryFields, text: string): Html {
  return html`<a href="${addQuery("/datasets.csv", filters)}">${text}</a> (${columnsLink()})`;
}

export const columnsLink = (): Html => html`<a href="/help#csv">columns</a>`;

/** Returns the section of the help that explains the columns of CSV files. It is closed; a link to it opens it. */
export function csvSection(): Html {
  const states = STATES.map((state) => html`<code>${state}</code> is “${t(STATE_WORDS[state].word)}”`);
  const rows = [
    ...Object.entries(DATASETS_CSV).map(([name, { meaning }]) => [html`<code>${name}</code>`, t(meaning)]),
    ...BUCKETS.map((bucket) => [html`<code>${bucket}</code>`, t`Points of the bucket ${t(BUCKET_NAMES[bucket])}`]),
    [
      html`<code>S1</code> to <code>E5</code>`,
      html`State of each signal: ${states.map((state, i) => [i === 0 ? "" : ", ", state])}. <a href="/signals">All signals</a>`,
    ],
  ];
  return html`<details id="csv"><summary><h2>Columns of CSV files</h2></summary>
<p>A list of datasets can be downloaded as CSV, with a row for each dataset. In an empty cell, the value is not known. A file of a checked list also has the identifier and its result. The releases have <a href="/history/latest#download">more tables</a>, such as the funding.</p>
${table(t("Columns of CSV files"), [t("Column"), t("Meaning")], rows)}</details>`;
}
