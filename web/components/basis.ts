/** What a score rests on, measured now or published, for whoever wants to come to it again. */

import type { EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import { type Html, html } from "../html.ts";
import { UNKNOWN, when } from "./figures.ts";

/** Every member has its row, and says so where it is empty. */
export function basisFacts({ asOf, contract, pledge, policy, reader, unreadable }: EvaluationBasis): Html {
  const rows: [string, Html | string][] = [
    ["As of", when(asOf)],
    ["Contract", html`<a href="/rubrics/${contract.id}">${contract.id}</a> <code>${contract.digest}</code>`],
    ["Pledge", html`${pledge.source} <code>${pledge.digest}</code>`],
    ["Can never be carried there", columns(pledge.neverCarries)],
    ["Reader", reader === null ? UNKNOWN : html`version ${reader.version} <code>${reader.digest}</code>`],
    ["Least for a total", `${policy.leastEvaluable} signals that could be judged`],
    ["Could not be read", columns(unreadable)],
  ];
  return html`<details><summary>What this score rests on</summary><p class="small">With the evidence of the signals above and the contract this is all it takes to come to the same score.</p>
<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></details>`;
}

function columns(names: readonly string[]): string {
  return names.join(", ") || "nothing";
}
