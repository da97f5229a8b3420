/** The report of a release: one page that needs nothing but itself, to be read after every build. */

import { attributionText } from "../../api-static/pages/attribution.ts";
import { GATES } from "../../schemas/public/gates.ts";
import type { Coverage } from "../../schemas/public/release.ts";
import { VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { colourKey, stackedBar } from "../components/bars.ts";
import { standaloneDocument, standaloneMain } from "../components/document.ts";
import { change, fixed, integer, signedNumber } from "../components/figures.ts";
import { numberColumn, table } from "../components/table.ts";
import { type Html, html } from "../html.ts";
import type { ReportData } from "./data.ts";
import { movementSections } from "./movement.ts";
import { rubricSection } from "./rubric.ts";

export function reportPage(data: ReportData): string {
  const { receipt } = data;
  const title = `Release ${receipt.scoreReleaseVersion}`;
  return standaloneDocument({
    title: `${title}: report`,
    description: leadOf(data),
    body: standaloneMain(html`<h1>${title}</h1>
<p class="lead">${leadOf(data)}</p>
<p class="small"><code>${receipt.releaseDigest}</code></p>
${verdict(data)}
${tiles(data)}
${gatesSection(data)}
${movementSections(data)}
${data.rubrics.map((rubric) => rubricSection(rubric))}
${coverageSection(data)}
${provenanceSection(data)}
<p><a href="${VALIDATION_PAGE}">Whether these scores mean something</a>, in figures.</p>
<footer>Made from the release's own tables and receipt; it names no file that it is itself part of. Cite as: ${data.citation}</footer>`),
  });
}

/** What happened, in a sentence or two. */
function leadOf({ receipt, diff }: ReportData): string {
  const { scored, insufficient, failed } = receipt.coverage;
  const without = [
    insufficient > 0 ? `, ${integer(insufficient)} with too little evidence for a total` : "",
    failed > 0 ? `, ${integer(failed)} that could not be read` : "",
  ].join("");
  const scores = `Scores as of ${receipt.asOf}: ${integer(scored)} records scored${without}.`;
  if (diff.from === null) return `${scores} There is no release before it to compare with.`;
  const moved = diff.rubrics
    .map(({ rubric, moved: count }) => `${integer(count)} moved under SHARE ${rubric}`)
    .join(", ");
  return `${scores} Since ${diff.from.scoreReleaseVersion}, ${integer(diff.records.added)} came, ${integer(diff.records.removed)} went, ${moved}.`;
}

function verdict({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed).length;
  return failed === 0
    ? html`<p class="done">All ${gates.length} gates passed</p>`
    : html`<p class="warn">${failed} of ${gates.length} gates not passed: not activated unless forced</p>`;
}

function tiles({ diff, rubrics }: ReportData): Html {
  const { before, after } = diff.records;
  return html`<ul class="figures"><li><b>${integer(after)}</b> records${diff.from === null ? null : html` <span class="hint">${signedNumber(after - before)}</span>`}</li>${rubrics.map(
    ({ version, after: now, before: then }) =>
      html`<li><b>${fixed(now.mean)}</b> mean, SHARE ${version} <span class="hint">of a mean cap of ${fixed(now.cap)} ${change(then?.mean, now.mean)}</span></li>`,
  )}${diff.rubrics.map(
    ({ rubric, moved, up, down }) =>
      html`<li><b>${integer(moved)}</b> moved, SHARE ${rubric} <span class="hint">${integer(up)} up, ${integer(down)} down</span></li>`,
  )}</ul>`;
}

function gatesSection({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed);
  const passed = gates.filter((gate) => gate.passed);
  return html`<section aria-labelledby="gates"><h2 id="gates">Gates</h2>
<p>What a release must hold to before it becomes the active one without anybody's word.</p>
${failed.length === 0 ? null : gateTable("Not passed", failed)}
<details><summary>${passed.length} passed</summary>${gateTable("Passed", passed)}</details>
</section>`;
}

function gateTable(caption: string, gates: ReportData["gates"]): Html {
  return table(
    caption,
    ["Gate", "Of", "Result", "Found"],
    gates.map(({ gate, source, rubric, passed, detail }) => [
      html`${gate}<span class="hint">${GATES[gate]}</span>`,
      [source ?? "the release", rubric === null ? null : `SHARE ${rubric}`].filter((part) => part !== null).join(", "),
      passed ? html`<span class="state passed">passed</span>` : html`<span class="state absent">not passed</span>`,
      detail,
    ]),
  );
}

const KINDS = [
  ["scored", "scored"],
  ["insufficient", "insufficient evidence"],
  ["failed", "failed"],
  ["duplicates", "duplicates"],
  ["superseded", "superseded"],
  ["notDataset", "not datasets"],
  ["tombstones", "tombstones"],
] as const satisfies readonly (readonly [keyof Coverage, string])[];

function coverageSection({ receipt }: ReportData): Html {
  const { sources, coverage } = receipt;
  const harvested = sources.filter((source) => source.coverage.harvested > 0);
  const idle = sources.filter((source) => source.coverage.harvested === 0).map(({ source }) => source);
  return html`<section aria-labelledby="coverage"><h2 id="coverage">Coverage</h2>
<p>Every harvested payload is counted once: ${integer(coverage.harvested)} in all. ${idle.length === 0 ? "" : `Nothing was harvested of ${idle.join(", ")}.`}</p>
${colourKey(KINDS)}
${table(
  "Payloads by source and by what became of them",
  ["Source", numberColumn("Harvested"), ...KINDS.map(([, name]) => numberColumn(name)), { name: "Share", isBar: true }],
  [...harvested.map(({ source, coverage: counts }) => row(source, counts)), row("all", coverage)],
)}
${harvests(harvested)}
</section>`;
}

function row(name: string, coverage: Coverage) {
  const parts = KINDS.map(([kind]) => ({ kind, value: coverage[kind] }));
  return [
    name,
    integer(coverage.harvested),
    ...parts.map(({ value }) => integer(value)),
    stackedBar(parts, coverage.harvested),
  ];
}

/** Of harvests, what belongs to the payloads: how the last of them went is in the receipt and in /status. */
function harvests(sources: ReportData["receipt"]["sources"]): Html {
  return html`<h3>Harvests</h3>${table(
    "When sources were asked, and what was no record at all",
    ["Source", numberColumn("Refused"), "Oldest", "Newest"],
    sources.map(({ source, refused, oldestRetrieval, newestRetrieval, carriedFrom }) => [
      carriedFrom === undefined
        ? source
        : html`${source}<span class="hint">carried forward from ${carriedFrom.slice(0, 15)}</span>`,
      integer(Object.values(refused).reduce((sum, count) => sum + count, 0)),
      oldestRetrieval?.slice(0, 10) ?? "–",
      newestRetrieval?.slice(0, 10) ?? "–",
    ]),
  )}`;
}

function provenanceSection({ receipt }: ReportData): Html {
  const facts: [string, string][] = [
    ["As of", receipt.asOf],
    ["Published", receipt.publishedAt],
    ["Licence", receipt.license ?? "none named"],
    ["Made by", `${receipt.tool.name} ${receipt.tool.version}, ${receipt.tool.engine}`],
    ["Before it", receipt.previousReleaseDigest ?? "no release"],
    ["Rubrics", receipt.rubrics.map(({ version, contract }) => `${version} is ${contract}`).join(", ")],
    ["Attribution", attributionText(receipt.attribution, integer)],
    [
      "Policy",
      receipt.policy === undefined
        ? "none"
        : `a total takes ${receipt.policy.leastEvaluable} signals that could be judged`,
    ],
    ["Enriched with", Object.keys(receipt.enrichments).sort().join(", ") || "nothing"],
    ["Withheld", `${integer(receipt.withheld.count)} researchers, at their own wish`],
  ];
  return html`<section aria-labelledby="made-of"><h2 id="made-of">What it is made of</h2>
<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
<details><summary>Digests of inputs and tables</summary>${table(
    "Digests",
    ["What", "Digest"],
    [...Object.entries(receipt.content.inputs), ...Object.entries(receipt.content.tables).map(named)].map(
      ([name, value]) => [name, html`<code>${value}</code>`],
    ),
  )}</details>
</section>`;
}

function named([name, root]: [string, string]): [string, string] {
  return [`table ${name}`, root];
}
