/** The form to report a problem with a page, and its confirmation. */

import type { Problem } from "../../schemas/public/problem.ts";
import type { ReportForm } from "../../schemas/public/site/forms.ts";
import type { View } from "../components/document.ts";
import { errorSummary, field, textArea } from "../components/forms.ts";
import { html } from "../html.ts";

const TITLE = "Report a problem";

/** Returns the view. `rejected` is the problem with the form that the user sent; null if there is none. */
export function reportView({ page, text, email }: Omit<ReportForm, "website">, rejected: Problem | null): View {
  return {
    title: `${rejected === null ? "" : "Error: "}${TITLE}`,
    description: "Tell the operator of this service what is wrong with a page.",
    unlisted: true,
    body: html`<h1>${TITLE}</h1>
${rejected === null ? null : errorSummary(rejected)}
<p class="lead">Tell the operator of this service what is wrong with a page.</p>
<div class="beside"><form method="post" action="/report"><p>${field({ name: "page", label: "Page", hint: "Its address, for example /repositories/Zenodo.", value: page, required: true })}</p><p>${textArea({ name: "text", label: "What is wrong?", hint: "If it is about a signal, name it, for example S3. At most 2,000 characters.", value: text })}</p><p>${field({ name: "email", label: "Your email address", hint: "Optional. We use it only to answer.", type: "email", value: email, autocomplete: "email" })}</p>
<div class="visually-hidden" aria-hidden="true"><label for="f-website">Leave this field empty</label><input id="f-website" name="website" type="text" tabindex="-1" autocomplete="off"></div>
<p class="small muted">We delete a report when it is closed, at the latest after a year. <a href="/privacy">Privacy</a></p>
<p><button>Send the report</button></p></form>
<section class="panel"><h2>You can often correct it yourself</h2>
<ul><li>If metadata are wrong, correct them in the repository, because we only read them there. The score follows with the next release.</li><li>If a signal is judged wrongly, <a href="/signals">its page</a> says when that can happen.</li><li>If you do not want to be listed, see <a href="/privacy#hide">how to be hidden</a>.</li></ul></section></div>`,
  };
}

/**
 * Returns the view that confirms a report. `page` is the path of the reported page; null if the page does not belong to
 * this site.
 */
export function reportedView(page: string | null): View {
  return {
    title: "Report sent",
    description: "Your report was sent.",
    unlisted: true,
    body: html`<h1>Report sent</h1><p class="lead" role="status">Thank you. The operator of this service will read your report.</p>
<div class="actions">${page === null ? null : html`<a class="button" href="${page}">Back to the page</a>`}<a class="button quiet" href="/">Home page</a></div>`,
  };
}
