/** The provenance of a release: what it is made of, and by what. */

import { attributionText } from "../../api-static/pages/attribution-text.ts";
import { type Html, html } from "../html.ts";
import type { ReportData } from "./data.ts";
import { whole } from "./numbers.ts";
import { table } from "./table.ts";

export function provenanceSection({ receipt }: ReportData): Html {
  const facts: [string, string][] = [
    ["As of", receipt.asOf],
    ["Published", receipt.publishedAt],
    ["Licence", receipt.license ?? "none named"],
    ["Made by", `${receipt.tool.name} ${receipt.tool.version}, ${receipt.tool.engine}`],
    ["Before it", receipt.previousReleaseDigest ?? "no release"],
    ["Rubrics", receipt.rubrics.map(({ version, contract }) => `${version} is ${contract}`).join(", ")],
    ["Attribution", attributionText(receipt.attribution, whole)],
    [
      "Policy",
      receipt.policy === undefined
        ? "none"
        : `a total takes ${receipt.policy.leastEvaluable} signals that could be judged`,
    ],
    ["Enriched with", Object.keys(receipt.enrichments).sort().join(", ") || "nothing"],
    ["Withheld", `${whole(receipt.withheld.count)} researchers, at their own wish`],
  ];
  return html`<section aria-labelledby="made-of"><h2 id="made-of">What it is made of</h2>
<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
<details><summary>Digests of inputs and tables</summary><div class="left">${table(
    "Digests",
    ["What", "Digest"],
    [...Object.entries(receipt.content.inputs), ...Object.entries(receipt.content.tables).map(named)].map(
      ([name, value]) => [name, html`<span class="digest">${value}</span>`],
    ),
  )}</div></details>
</section>`;
}

function named([name, root]: [string, string]): [string, string] {
  return [`table ${name}`, root];
}
