/** The page for somebody whose signing in with a browser did not succeed: what happened, and how to go on. */

import { BRAND, page } from "../components/document.ts";
import { html } from "../html.ts";

export interface RefusalPage {
  readonly title: string;
  readonly status: number;
  /** What happened. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice: string;
  /** Of the problem. */
  readonly type: string;
}

export function refusalHtml({ title, status, detail, advice, type }: RefusalPage): string {
  return page({
    title: `${title} (${status})`,
    description: detail,
    body: html`<main class="plain" id="content" tabindex="-1">
${BRAND}
<h1>${title}</h1>
<p class="lead">${detail}</p>
<p>${advice}</p>
<ul class="links">
<li><a href="/auth/orcid/start">Begin again</a> <span>Sign in with ORCID.</span></li>
<li><a href="/">Beginning</a> <span>Without signing in.</span></li>
</ul>
<footer><a href="${type}">About this refusal</a> · <a href="/docs">Reference</a></footer>
</main>`,
  });
}
