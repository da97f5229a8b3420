/**
 * The page that links in mails lead to. The token stands in the fragment, which no server and no scanner of mails sees;
 * only the button, pressed by somebody, sends it. Everything the page needs is in it.
 */

import { STYLE } from "../components/base-style.ts";
import { BRAND, page } from "../components/document.ts";
import { Html, html } from "../html.ts";

/** Rules of this page alone. */
const OWN_STYLE = new Html(`
.plain button { margin-top: 1.5rem; font: inherit; font-weight: 600; padding: .7rem 1.6rem; border: 0; border-radius: .5rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent) }
.plain button:disabled { cursor: progress; opacity: .6 }
[role=status]:empty, [role=alert]:empty { display: none }
[role=alert] { border-left: .25rem solid var(--word); padding-left: .75rem }
`);

/** The token leaves the address bar, and with it the history, before anything else; it is used up by the first answer. */
const SCRIPT = new Html(`
"use strict";
(() => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  history.replaceState(null, "", location.pathname);
  const [button, status, alert] = ["sign-in", "status", "alert"].map((id) => document.getElementById(id));
  const fail = (words) => { button.hidden = true; status.textContent = ""; alert.textContent = words; };
  if (!token) return fail("This address is not whole. Open the link in the message once more, or ask for a new one.");
  button.hidden = false;
  button.focus();
  button.addEventListener("click", async () => {
    button.disabled = true;
    status.textContent = "Signing in…";
    try {
      const answer = await window.fetch("/auth/magic/consume", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ token }),
      });
      const said = await answer.json();
      if (answer.status === 201) {
        status.textContent = "You are signed in as " + said.user.email + ".";
        return location.replace(said.returnTo);
      }
      if (answer.status < 500 && answer.status !== 429) return fail(said.detail);
      status.textContent = said.detail;
    } catch {
      status.textContent = "The service cannot be reached at the moment. Try again.";
    }
    button.disabled = false;
  });
})();
`);

/** The texts between the tags of the page's one style and one script: a policy names them by their digests. */
export const SIGN_IN_PAGE_PARTS = { style: `${STYLE.text}${OWN_STYLE.text}`, script: SCRIPT.text } as const;

/** `hasSite`: whether another link can be asked for on a page. */
export function signInPage(hasSite: boolean): string {
  return page({
    title: "Sign in to SHARE",
    description: "Finish signing in with the link that was sent to you.",
    style: OWN_STYLE,
    body: html`<main class="plain" id="content" tabindex="-1">
${BRAND}
<h1>Sign in to SHARE</h1>
<p class="lead">You have opened the link that was sent to you. It works once, in the browser you press the button in.</p>
<button type="button" id="sign-in" hidden>Sign in</button>
<p id="status" role="status"></p>
<p id="alert" role="alert"></p>
<noscript><p>This page needs JavaScript, so that programs which look into mails do not use up your link.</p></noscript>
<footer>${hasSite ? html`<a href="/sign-in">Ask for another link</a> · ` : null}<a href="/">${hasSite ? "To the first page" : "Beginning"}</a></footer>
</main>
<script>${SCRIPT}</script>`,
  });
}
