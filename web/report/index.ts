/** Makes the report of a release as a standalone document, which operators read after each build. */

import { attributionText } from "../../api-static/pages/attribution.ts";
import { movedText } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { GATES } from "../../schemas/public/gates.ts";
import type { Coverage } from "../../schemas/public/release.ts";
import { standaloneDocument, standaloneMain } from "../components/document.ts";
import { change, countText, fixed, integer, signedNumber } from "../components/figures.ts";
import { sourceCell } from "../components/scopes.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import type { ReportData } from "./data.ts";
import { HOME, releaseLinks } from "./links.ts";
import { isUnchanged, movementSections } from "./movement.ts";
import { rubricSection } from "./rubric.ts";

export function reportPage(data: ReportData): string {
  const { receipt } = data;
  const title = `Release ${receipt.scoreReleaseVersion}`;
  return standaloneDocument({
    title: `${title}: report`,
    description: writeSummary(data),
    body: standaloneMain(
      html`<h1>${title}</h1>
<p class="lead">${writeSummary(data)}</p>
<p class="small"><code>${receipt.releaseDigest}</code></p>
${releaseLinks(DESCRIPTORS.report)}
${verdict(data)}
${tiles(data)}
${gatesSection(data)}
${movementSections(data)}
${data.rubrics.map((rubric, i) => rubricSection(rubric, i === 0))}
${coverageSection(data)}
${provenanceSection(data)}
<footer>This report is built from the tables and the receipt of the release. Cite as: ${data.citation}</footer>`,
      HOME,
    ),
  });
}

/** Returns a summary of the release in two sentences: its scores, and the changes since the previous release. */
function writeSummary({ receipt, diff }: ReportData): string {
  const { scored, insufficient, failed } = receipt.coverage;
  const without = [
    insufficient > 0 ? `, ${integer(insufficient)} with too little evidence for a total` : "",
    failed > 0 ? `, ${integer(failed)} that could not be read` : "",
  ].join("");
  const scores = `Scores as of ${receipt.asOf}: ${countText(scored, "record")} scored${without}.`;
  if (diff.from === null) return `${scores} There is no previous release to compare with.`;
  if (isUnchanged(diff)) return `${scores} Nothing changed since ${diff.from.scoreReleaseVersion}.`;
  const moved = diff.rubrics
    .map(({ rubric, moved: count }) => `${integer(count)} changed under SHARE ${rubric}`)
    .join(" and ");
  return `${scores} Since ${diff.from.scoreReleaseVersion}, ${integer(diff.records.added)} records were added, ${integer(diff.records.removed)} were removed, and ${moved}.`;
}

function verdict({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed).length;
  return failed === 0
    ? html`<p class="done">All ${gates.length} gates passed</p>`
    : html`<p class="warn">${failed} of ${gates.length} gates failed. The release is not activated unless an operator forces it.</p>`;
}

function tiles({ diff, rubrics }: ReportData): Html {
  const { before, after } = diff.records;
  return html`<ul class="figures"><li><b>${integer(after)}</b> records${diff.from === null ? null : html` <span class="hint">${signedNumber(after - before)}</span>`}</li>${rubrics.map(
    ({ version, after: now, before: then }) =>
      html`<li><b>${fixed(now.mean)}</b> average, SHARE ${version} <span class="hint">of ${fixed(now.cap)} possible ${change(then?.mean, now.mean)}</span></li>`,
  )}${(diff.from === null || isUnchanged(diff) ? [] : diff.rubrics).map(
    (figures) =>
      html`<li><b>${integer(figures.moved)}</b> changed, SHARE ${figures.rubric} <span class="hint">${movedText(figures)}</span></li>`,
  )}</ul>`;
}

function gatesSection({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed);
  const passed = gates.filter((gate) => gate.passed);
  return html`<section aria-labelledby="gates"><h2 id="gates">Gates</h2>
<p>A gate is a check that a release must pass before the service activates it.</p>
${failed.length === 0 ? null : gateTable("Failed", failed)}
<details><summary>${passed.length} passed</summary>${gateTable("Passed", passed)}</details>
</section>`;
}

function gateTable(caption: string, gates: ReportData["gates"]): Html {
  return table(
    caption,
    ["Gate", "Scope", "Result", "Detail"],
    gates.map(({ gate, source, rubric, passed, detail }) => [
      html`${gate}<span class="hint">${GATES[gate]}</span>`,
      [source ?? "the release", rubric === null ? null : `SHARE ${rubric}`].filter((part) => part !== null).join(", "),
      passed ? html`<span class="state passed">passed</span>` : html`<span class="state absent">failed</span>`,
      detail,
    ]),
  );
}

const KINDS = [
  ["scored", "scored"],
  ["insufficient", "too little evidence"],
  ["failed", "failed"],
  ["duplicates", "duplicates"],
  ["superseded", "superseded"],
  ["notDataset", "not datasets"],
  ["tombstones", "tombstones"],
] as const satisfies readonly (readonly [keyof Coverage, string])[];

function coverageSection({ receipt }: ReportData): Html {
  const { sources, coverage } = receipt;
  const harvested = sources.filter((source) => source.coverage.harvested > 0);
  const kinds = KINDS.filter(([kind]) => kind === "scored" || coverage[kind] > 0);
  const idle = sources.filter((source) => source.coverage.harvested === 0).map(({ source }) => source);
  return html`<section aria-labelledby="coverage"><h2 id="coverage">Coverage</h2>
<p>Every harvested payload is counted once: ${integer(coverage.harvested)} in all. ${idle.length === 0 ? "" : `Nothing was harvested from ${idle.join(", ")}.`}</p>
${table(
  "Payloads by source and outcome",
  ["Source", numberColumn("Harvested"), ...kinds.map(([, name]) => numberColumn(name))],
  [...harvested.map(({ source, coverage: counts }) => row(source, counts, kinds)), row("all", coverage, kinds)],
)}
${harvestTable(harvested)}
</section>`;
}

function row(name: string, coverage: Coverage, kinds: readonly (typeof KINDS)[number][]) {
  return [name, integer(coverage.harvested), ...kinds.map(([kind]) => integer(coverage[kind]))];
}

/**
 * Returns the table of the harvests from which the payloads are. The outcomes of the last harvests are in the receipt
 * and at `/status` instead.
 */
function harvestTable(sources: ReportData["receipt"]["sources"]): Html {
  return html`<details><summary>Harvest dates</summary>${table(
    "Harvest dates of the payloads, and rejected payloads that are not records",
    ["Source", numberColumn("Rejected"), "Oldest", "Newest"],
    sources.map(({ source, scopes, rejected, oldestRetrieval, newestRetrieval, carriedFrom }) => [
      carriedFrom === undefined
        ? sourceCell(source, scopes)
        : html`${sourceCell(source, scopes)}<span class="hint">carried forward from ${carriedFrom.slice(0, 15)}</span>`,
      integer(Object.values(rejected).reduce((sum, count) => sum + count, 0)),
      oldestRetrieval?.slice(0, 10) ?? "–",
      newestRetrieval?.slice(0, 10) ?? "–",
    ]),
  )}</details>`;
}

function provenanceSection({ receipt }: ReportData): Html {
  const facts: [string, string][] = [
    ["As of", receipt.asOf],
    ["Published", receipt.publishedAt],
    ["Licence", receipt.license ?? "none"],
    ["Built with", `${receipt.tool.name} ${receipt.tool.version}, ${receipt.tool.engine}`],
    ["Previous release", receipt.previousReleaseDigest ?? "none"],
    ["Rubrics", receipt.rubrics.map(({ version, contract }) => `${version} is ${contract}`).join(", ")],
    ["Attribution", attributionText(receipt.attribution, integer)],
    [
      "Policy",
      receipt.policy === undefined
        ? "none"
        : `a score needs at least ${receipt.policy.leastEvaluable} signals that could be judged`,
    ],
    ["Enriched with", Object.keys(receipt.enrichments).sort().join(", ") || "none"],
    ["Withheld", `${countText(receipt.withheld.count, "researcher")}, at their request`],
  ];
  return html`<section aria-labelledby="made-of"><h2 id="made-of">Provenance</h2>
<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
<details><summary>Digests of inputs and tables</summary>${table(
    "Digests",
    ["Input or table", "Digest"],
    [...Object.entries(receipt.content.inputs), ...Object.entries(receipt.content.tables).map(named)].map(
      ([name, value]) => [name, html`<code>${value}</code>`],
    ),
  )}</details>
</section>`;
}

function named([name, root]: [string, string]): [string, string] {
  return [`table ${name}`, root];
}
