/** Signing in: with ORCID, or by a link in a mail, with or without a script. */

import type { Problem } from "../../schemas/public/problem.ts";
import { mainAlone, standaloneDocument, type View } from "../components/document.ts";
import { field, refusal } from "../components/forms.ts";
import { html } from "../html.ts";
import { SIGNING_IN } from "../script/signing-in.ts";

export interface SignInPage {
  readonly returnTo: string;
  readonly email: string;
  readonly hasOrcid: boolean;
  readonly refused: Problem | null;
}

const DESCRIPTION = "Sign in to claim your page, save datasets and keep measurements.";

/** Whether a button of a page led here, which has to be pressed again. */
function isAsking(returnTo: string): boolean {
  return returnTo.startsWith("/datasets/") || returnTo.startsWith("/researchers/");
}

export function signInView({ returnTo, email, hasOrcid, refused }: SignInPage): View {
  return {
    title: refused === null ? "Sign in" : "Error: Sign in",
    description: DESCRIPTION,
    unlisted: true,
    body: html`<h1>Sign in</h1>
<p class="lead">To claim your page, to be hidden, to save datasets, or to keep measurements. Reading and checking need no account.</p>
${refused === null ? null : refusal(refused)}
${
  hasOrcid
    ? html`<h2>With ORCID</h2><p>Your page is yours at once if it has your ORCID iD.</p><p><a class="button" href="/auth/orcid/start?${new URLSearchParams({ returnTo }).toString()}">Sign in with ORCID</a></p>`
    : html`<p class="muted">Signing in with ORCID is not set up here.</p>`
}
<h2>By mail</h2><p>We send a link that works once, for 15 minutes. There is no password.</p>
<form method="post" action="/sign-in"><input type="hidden" name="returnTo" value="${returnTo}"><div class="row"><div class="grow">${field({ name: "email", label: "Mail address", type: "email", value: email, required: true, autocomplete: "email" })}</div><button>Send me a link</button></div></form>
${isAsking(returnTo) ? html`<p>Afterwards you are back on the page you came from. Press its button once more: nothing was done yet.</p>` : null}<p class="small">Signing in sets one cookie, which keeps you signed in. <a href="/privacy">What is held about you</a></p>`,
  };
}

/** The page after a link was asked for, or did not work when it was pasted. */
export function linkSentView(refused: Problem | null): View {
  return {
    title: refused === null ? "Look into your mail" : "Error: Sign in",
    description: DESCRIPTION,
    unlisted: true,
    body: html`${
      refused === null
        ? html`<h1>Look into your mail</h1><p class="lead" role="status">A link is on its way. It works once, for 15 minutes. Open it in this browser, and press the button there.</p>`
        : html`<h1>That link did not work</h1>${refusal(refused)}<div class="actions"><a class="button" href="/sign-in">Ask for another link</a></div>`
    }
<h2>No script in your browser?</h2><p>Copy the link from the message and paste it here.</p>
<form method="post" action="/sign-in/link"><div class="row"><div class="grow">${field({ name: "link", label: "Link from the message", required: true, autocomplete: "off" })}</div><button>Sign in</button></div></form>
${refused === null ? html`<p><a href="/sign-in">Nothing came? Ask for another link</a></p>` : null}`,
  };
}

/**
 * The page that the link in an email opens. The token is in the fragment, which no server and no scanner of emails sees. Only
 * the button sends it. `hasSite`: whether another link can be requested on a page.
 */
export function signInPage(hasSite: boolean): string {
  return standaloneDocument(
    {
      title: "Sign in to SHARE",
      description: "Finish signing in with the link that was sent to you.",
      body: mainAlone(html`<h1>Sign in to SHARE</h1>
<p class="lead">You have opened the link that was sent to you. It works once, in the browser you press the button in.</p>
<button type="button" id="sign-in" hidden>Sign in</button>
<p id="status" role="status"></p>
<p id="alert" role="alert"></p>
<noscript><p>This page needs JavaScript, so that programs which look into mails do not use up your link.</p></noscript>
<footer>${hasSite ? html`<a href="/sign-in">Ask for another link</a> · ` : null}<a href="/">${hasSite ? "To the first page" : "Beginning"}</a></footer>`),
    },
    SIGNING_IN,
  );
}
