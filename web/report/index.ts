/** Makes the report of a release as a standalone document, which operators read after each build. */

import { attributionText } from "../../api-static/pages/attribution.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { GATES } from "../../schemas/public/gates.ts";
import type { Coverage } from "../../schemas/public/release.ts";
import { describeSpread } from "../components/distribution.ts";
import { standaloneDocument, standaloneMain } from "../components/document.ts";
import { changeText, countText, fixed, integer, signedNumber } from "../components/figures.ts";
import { roundMean } from "../components/list-columns.ts";
import { sourceCell } from "../components/scopes.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { ReportData } from "./data.ts";
import { dayElement, HOME, releaseCrumbs, releaseLinks } from "./links.ts";
import { isUnchanged, movementSections } from "./movement.ts";
import { rubricSection, toTotals } from "./rubric.ts";

export function reportPage(data: ReportData): string {
  const { receipt } = data;
  const title = `Release ${receipt.scoreReleaseVersion}`;
  const [first, ...others] = data.rubrics;
  return standaloneDocument({
    title: `${title}: report`,
    description: writeSummary(data),
    body: standaloneMain(
      html`${releaseCrumbs(receipt.scoreReleaseVersion, receipt.releaseDigest)}
<h1>${title}: report</h1>
<p class="lead">${describeScores(data)} ${describeChanges(data)}</p>
${releaseLinks(DESCRIPTORS.report)}
${tiles(data)}
${verdict(data)}
${failedGates(data)}
${first === undefined ? null : rubricSection(first, data.diff.records.after, true)}
${movementSections(data)}
${others.map((rubric) => rubricSection(rubric, data.diff.records.after, false))}
${coverageSection(data)}
${gatesSection(data)}
${provenanceSection(data)}
<footer>This report is built from the tables and the receipt of the release. Cite as: ${data.citation}</footer>`,
      HOME,
    ),
  });
}

/** Returns the scores of the release in one sentence, under the first version. */
function describeScores({ receipt, rubrics: [first] }: ReportData): Html {
  const asOf = html`, as of ${dayElement(receipt.asOf)}`;
  if (first === undefined) return html`${countText(receipt.coverage.scored, "dataset")} with a score${asOf}.`;
  const { totals, cap } = first.after;
  const spread = totals === null ? "The scores of this release" : describeSpread(toTotals(totals), "");
  return html`${spread}${asOf}. On average, ${fixed(cap)} of 100 points are possible.`;
}

/** Returns a summary of the release in two sentences: its scores, and the changes since the previous release. */
function writeSummary({ receipt, diff }: ReportData): string {
  const { scored, insufficient, failed } = receipt.coverage;
  const without = [
    insufficient > 0 ? `, ${integer(insufficient)} with too little evidence for a total` : "",
    failed > 0 ? `, ${integer(failed)} that could not be read` : "",
  ].join("");
  return `Scores as of ${receipt.asOf}: ${countText(scored, "dataset")} scored${without}. ${describeChanges({ diff })}`;
}

/** Returns the changes since the previous release in one sentence. */
function describeChanges({ diff }: Pick<ReportData, "diff">): string {
  if (diff.from === null) return "There is no previous release to compare with.";
  if (isUnchanged(diff)) return `Nothing changed since ${diff.from.scoreReleaseVersion}.`;
  const moved = diff.rubrics
    .map(({ rubric, moved: count }) => `${integer(count)} changed under SHARE ${rubric}`)
    .join(" and ");
  return `Since ${diff.from.scoreReleaseVersion}, ${countText(diff.records.added, "dataset was", "datasets were")} added, ${countText(diff.records.removed, "was", "were")} removed, and ${moved}.`;
}

function verdict({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed).length;
  return failed === 0
    ? html`<p class="done">All ${gates.length} gates passed: the checks that decide whether the site may show a release</p>`
    : html`<p class="warn">${failed} of ${gates.length} gates failed. The release is not activated unless an operator forces it.</p>`;
}

function tiles({ diff, rubrics: [first] }: ReportData): Html {
  const { before, after } = diff.records;
  const figures = diff.from === null ? undefined : diff.rubrics.find(({ rubric }) => rubric === first?.version);
  return html`<ul class="figures"><li><b>${integer(after)}</b> ${after === 1 ? "dataset" : "datasets"}${diff.from === null ? null : html` <span class="hint">${signedNumber(after - before)} since ${diff.from.scoreReleaseVersion}</span>`}</li>${
    first === undefined
      ? null
      : html`<li><b>${fixed(roundMean(first.after.mean))}</b> average score <span class="hint">${first.before === null ? "" : changeText(first.before.mean, first.after.mean)}</span></li>`
  }${
    figures === undefined || figures.moved === 0
      ? null
      : html`<li><b>${integer(figures.up)}</b> ${figures.up === 1 ? "dataset scores" : "datasets score"} higher</li><li><b>${integer(figures.down)}</b> ${figures.down === 1 ? "scores" : "score"} lower</li>`
  }</ul>`;
}

function failedGates({ gates }: ReportData): Html | null {
  const failed = gates.filter(({ passed }) => !passed);
  return failed.length === 0
    ? null
    : html`<section aria-labelledby="failed"><h2 id="failed">Failed gates</h2>${gateTable("Failed", failed)}</section>`;
}

function gatesSection({ gates }: ReportData): Html {
  const passed = gates.filter((gate) => gate.passed);
  return html`<section aria-labelledby="gates"><h2 id="gates">Gates</h2>
<p>A gate is a check that a release must pass before the service activates it.</p>
<details><summary>${countText(passed.length, "gate")} passed</summary>${gateTable("Passed", passed)}</details>
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
  ["scored", "scored", "scored"],
  ["insufficient", "with too little evidence", "with too little evidence"],
  ["failed", "unreadable", "unreadable"],
  ["duplicates", "duplicates", "duplicate"],
  ["superseded", "older versions", "older version"],
  ["notDataset", "not datasets", "not a dataset"],
  ["tombstones", "withdrawn", "withdrawn"],
] as const satisfies readonly (readonly [kind: keyof Coverage, many: string, one: string])[];

function coverageSection({ receipt, sources: names }: ReportData): Html {
  const { sources, coverage } = receipt;
  const nameSource = (source: string) => names.get(source) ?? source;
  const harvested = sources.filter((source) => source.coverage.harvested > 0);
  const kinds = KINDS.filter(([kind]) => kind === "scored" || coverage[kind] > 0);
  const idle = sources.filter((source) => source.coverage.harvested === 0).map(({ source }) => nameSource(source));
  return html`<section aria-labelledby="coverage"><h2 id="coverage">Coverage</h2>
<p>We harvested ${countText(coverage.harvested, "record")}: ${kinds.map(([kind, many, one]) => countText(coverage[kind], one, many)).join(", ")}. ${idle.length === 0 ? "" : `Nothing was harvested from ${idle.join(", ")}.`}</p>
<details><summary>Records of each source</summary>${table(
    "Harvested records by source and outcome",
    ["Source", numberColumn("Harvested"), ...kinds.map(([, name]) => numberColumn(name))],
    [
      ...harvested.map(({ source, coverage: counts }) => row(nameSource(source), counts, kinds)),
      row("All", coverage, kinds),
    ],
  )}</details>
${harvestTable(harvested, nameSource)}
</section>`;
}

function row(name: string, coverage: Coverage, kinds: readonly (typeof KINDS)[number][]) {
  return [name, integer(coverage.harvested), ...kinds.map(([kind]) => integer(coverage[kind]))];
}

/**
 * Returns the table of the harvests from which the payloads are. The outcomes of the last harvests are in the receipt
 * and at `/status` instead.
 */
function harvestTable(sources: ReportData["receipt"]["sources"], nameSource: (source: string) => string): Html {
  return html`<details><summary>Harvest dates</summary>${table(
    "Harvest dates of the records, and rejected responses that are not records",
    ["Source", numberColumn("Rejected"), "Oldest", "Newest"],
    sources.map(({ source, scopes, rejected, oldestRetrieval, newestRetrieval, carriedFrom }) => [
      carriedFrom === undefined
        ? sourceCell(nameSource(source), scopes)
        : html`${sourceCell(nameSource(source), scopes)}<span class="hint">carried forward from ${carriedFrom.slice(0, 15)}</span>`,
      integer(Object.values(rejected).reduce((sum, count) => sum + count, 0)),
      oldestRetrieval === null ? "–" : dayElement(oldestRetrieval),
      newestRetrieval === null ? "–" : dayElement(newestRetrieval),
    ]),
  )}</details>`;
}

function provenanceSection({ receipt }: ReportData): Html {
  const facts: [string, HtmlPart][] = [
    ["Digest", receipt.releaseDigest],
    ["As of", dayElement(receipt.asOf)],
    ["Published", receipt.publishedAt],
    ["Licence", receipt.license ?? "none"],
    ["Built with", `${receipt.tool.name} ${receipt.tool.version}, ${receipt.tool.engine}`],
    ["Previous release", receipt.previousReleaseDigest ?? "none"],
    ["Rules", receipt.rubrics.map(({ version, contract }) => `SHARE ${version} is contract ${contract}`).join(", ")],
    ["Attribution", attributionText(receipt.attribution, integer)],
    [
      "Policy",
      receipt.policy === undefined
        ? "none"
        : `a score needs at least ${countText(receipt.policy.leastEvaluable, "signal")} that could be judged`,
    ],
    ["Enriched with", Object.keys(receipt.enrichments).sort().join(", ") || "none"],
    ["Hidden", `${countText(receipt.withheld.count, "researcher")}, at their request`],
  ];
  return html`<section aria-labelledby="made-of"><h2 id="made-of">How it was built</h2>
<details><summary>Digest, licence, rules and inputs</summary><dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></details>
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
