/** The view of an action that a user began without a session. Only its button carries the action out. */

import type { View } from "../components/document.ts";
import { buttonForm } from "../components/forms.ts";
import { html } from "../html.ts";

/** Actions that need no entry of the account, with their buttons. */
export const CONTINUED: Readonly<Record<string, { readonly title: string; readonly button: string }>> = {
  claim: { title: "Claim this researcher page?", button: "This is me" },
  visibility: { title: "Ask a moderator to change the visibility of your page?", button: "Send the request" },
  "save-record": { title: "Save this dataset?", button: "Save to your account" },
  "note-record": { title: "Save this note?", button: "Save note" },
  "save-author": { title: "Save this researcher?", button: "Save to your account" },
  "note-author": { title: "Save this note?", button: "Save note" },
  "save-repository": { title: "Save this repository?", button: "Save to your account" },
  submit: { title: "Ask to include this dataset in the next release?", button: "Submit" },
  measure: { title: "Check this dataset and save the result?", button: "Check and save" },
};

/** Names of the fields that the view shows. */
const SHOWN = [
  ["recordId", "Dataset"],
  ["authorSlug", "Researcher"],
  ["repository", "Repository"],
  ["identifier", "Dataset"],
  ["note", "Note"],
  ["reason", "Reason"],
] as const;

/** `fields` has the action as `do`, which is a name in CONTINUED, and its form. */
export function continueView(fields: Readonly<Record<string, string>>, isSignedIn: boolean): View {
  const { do: action = "", ...rest } = fields;
  const { title = "", button = "" } = CONTINUED[action] ?? {};
  const form =
    action === "measure" ? buttonForm("/me/measurements", rest, button, "") : buttonForm("/me", fields, button, "");
  return {
    title,
    description: "Continue what you began before you signed in.",
    unlisted: true,
    body: html`<h1>${title}</h1>
${isSignedIn ? null : html`<p class="lead">You are not signed in. <a href="/sign-in" target="_blank">Sign in in a new tab</a>. Then return to this page, and press the button.</p>`}
<dl class="facts">${SHOWN.filter(([name]) => (fields[name] ?? "") !== "").map(([name, label]) => html`<dt>${label}</dt><dd dir="auto">${fields[name] ?? ""}</dd>`)}</dl>
<div class="actions">${form}<a class="button quiet" href="/me">No, go to your account</a></div>`,
  };
}
