/** Coverage: every harvested payload, once, by source. */

import type { Coverage } from "../../schemas/public/release.ts";
import { type Html, html } from "../html.ts";
import { stackedBar } from "./bars.ts";
import type { ReportData } from "./data.ts";
import { whole } from "./numbers.ts";
import { table } from "./table.ts";

const KINDS = [
  ["scored", "scored"],
  ["insufficient", "insufficient evidence"],
  ["failed", "failed"],
  ["duplicates", "duplicates"],
  ["superseded", "superseded"],
  ["notDataset", "not datasets"],
  ["tombstones", "tombstones"],
] as const satisfies readonly (readonly [keyof Coverage, string])[];

export function coverageSection({ receipt }: ReportData): Html {
  const { sources, coverage } = receipt;
  const harvested = sources.filter((source) => source.coverage.harvested > 0);
  const idle = sources.filter((source) => source.coverage.harvested === 0).map(({ source }) => source);
  return html`<section aria-labelledby="coverage"><h2 id="coverage">Coverage</h2>
<p>Every harvested payload is counted once: ${whole(coverage.harvested)} in all. ${idle.length === 0 ? "" : `Nothing was harvested of ${idle.join(", ")}.`}</p>
<p class="keys">${KINDS.map(([kind, name]) => html`<span class="key"><i class="swatch ${kind}"></i> ${name}</span> `)}</p>
${table(
  "Payloads by source and by what became of them",
  ["Source", "Harvested", ...KINDS.map(([, name]) => name), "Share"],
  [...harvested.map(({ source, coverage: counts }) => row(source, counts)), row("all", coverage)],
)}
${harvests(harvested)}
</section>`;
}

function row(name: string, coverage: Coverage) {
  const parts = KINDS.map(([kind]) => ({ kind, value: coverage[kind] }));
  return [
    name,
    whole(coverage.harvested),
    ...parts.map(({ value }) => whole(value)),
    stackedBar(parts, coverage.harvested),
  ];
}

/** Of harvests, what belongs to the payloads: how the last of them went is in the receipt and in /status. */
function harvests(sources: ReportData["receipt"]["sources"]): Html {
  return html`<h3>Harvests</h3>${table(
    "When sources were asked, and what was no record at all",
    ["Source", "Refused", "Oldest", "Newest"],
    sources.map(({ source, refused, oldestRetrieval, newestRetrieval, carriedFrom }) => [
      carriedFrom === undefined
        ? source
        : html`${source}<small>carried forward from ${carriedFrom.slice(0, 15)}</small>`,
      whole(Object.values(refused).reduce((sum, count) => sum + count, 0)),
      oldestRetrieval?.slice(0, 10) ?? "–",
      newestRetrieval?.slice(0, 10) ?? "–",
    ]),
  )}`;
}
