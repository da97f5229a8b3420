/** The page behind the type of a problem, for people: what it means and what to do. */

import type { ProblemPage } from "../../schemas/public/api/service.ts";
import { BRAND, page } from "../components/document.ts";
import { html } from "../html.ts";

export function problemHtml({ type, status, title, advice }: ProblemPage): string {
  return page({
    title: `${title} (${status})`,
    description: advice,
    body: html`<main class="plain" id="content" tabindex="-1">
${BRAND}
<h1>${title}</h1>
<p class="lead">${advice}</p>
<dl><dt>HTTP status</dt><dd>${status}</dd><dt>Type</dt><dd><code>${type}</code></dd></dl>
<footer><a href="/docs#refusals">All refusals</a> · <a href="/docs">Reference</a> · <a href="/">Beginning</a></footer>
</main>`,
  });
}
