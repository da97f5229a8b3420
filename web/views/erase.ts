/** Erasing an account: what goes, what stays, and a box to tick, so that nobody does it by accident. */

import type { Problem } from "../../schemas/public/problem.ts";
import type { View } from "../components/document.ts";
import { refusal } from "../components/forms.ts";
import { html } from "../html.ts";

export function eraseView(refused: Problem | null): View {
  return {
    title: "Erase your account",
    description: "Everything that is kept of you goes.",
    unlisted: true,
    body: html`<h1>Erase your account</h1>
${refused === null ? null : refusal(refused)}
<p class="lead">Everything that is kept of you goes, at once and for good, and every session ends.</p>
<p>Who is hidden stays hidden. A dataset that you submitted stays submitted, by nobody. <a href="/account/export" download>Download your data first</a> if you want to keep it.</p>
<form method="post" action="/me/erase"><p><label><input type="checkbox" name="sure" value="yes" required> Yes, erase everything that is kept of me</label></p><p><button class="danger">Erase my account</button> <a href="/me">No, go back</a></p></form>`,
  };
}

export function erasedView(): View {
  return {
    title: "Erased",
    description: "Your account is gone.",
    unlisted: true,
    body: html`<h1>Your account is gone</h1><p class="lead" role="status">Nothing is kept of you any more, and you are signed out.</p><p><a href="/">To the beginning</a></p>`,
  };
}
