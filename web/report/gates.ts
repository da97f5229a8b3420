/** The gates before activation: those not passed first. */

import { GATES } from "../../schemas/public/gates.ts";
import { type Html, html } from "../html.ts";
import type { ReportData } from "./data.ts";
import { table } from "./table.ts";

export function gatesSection({ gates }: ReportData): Html {
  const failed = gates.filter(({ passed }) => !passed);
  const passed = gates.filter((gate) => gate.passed);
  return html`<section aria-labelledby="gates"><h2 id="gates">Gates</h2>
<p>What a release must hold to before it becomes the active one without anybody's word.</p>
${failed.length === 0 ? null : gateTable("Not passed", failed)}
<details><summary>${passed.length} passed</summary>${gateTable("Passed", passed)}</details>
</section>`;
}

function gateTable(caption: string, gates: ReportData["gates"]): Html {
  return html`<div class="left">${table(
    caption,
    ["Gate", "Of", "", "Found"],
    gates.map(({ gate, source, rubric, passed, detail }) => [
      html`${gate}<small>${GATES[gate]}</small>`,
      [source ?? "the release", rubric === null ? null : `SHARE ${rubric}`].filter((part) => part !== null).join(", "),
      passed ? html`<span class="ok">passed</span>` : html`<span class="no">not passed</span>`,
      detail,
    ]),
  )}</div>`;
}
