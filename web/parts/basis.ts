/** What a score that was measured now rests on, for whoever wants to come to it again. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import { when } from "./figures.ts";

export function basisFacts({ asOf, contract, pledge, policy, reader, unreadable }: EvaluationBasis): Html {
  const rows: [string, Html | string | null][] = [
    ["As of", when(asOf)],
    ["Contract", html`<a href="/rubrics/${contract.id}">${contract.id}</a> <code>${contract.digest}</code>`],
    ["Pledge", html`${pledge.source} <code>${pledge.digest}</code>`],
    ["Reader", reader === null ? null : html`version ${reader.version} <code>${reader.digest}</code>`],
    ["Least for a total", `${policy.leastEvaluable} signals that could be judged`],
    ["Could not be read", unreadable.join(", ") || null],
  ];
  return html`<details><summary>What this score rests on</summary><p class="small">With the evidence of the signals above this is all it takes to come to the same score.</p>
<dl class="facts">${rows.map(([name, value]) => (value === null ? null : html`<dt>${name}</dt><dd>${value}</dd>`))}</dl></details>`;
}
