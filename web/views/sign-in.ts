/** Views to sign in with ORCID or by a link in an email. They also work without scripts. */

import type { Problem } from "../../schemas/public/problem.ts";
import { standaloneDocument, standaloneMain, type View } from "../components/document.ts";
import { errorSummary, field } from "../components/forms.ts";
import { SIGNING_IN } from "../components/scripts.ts";
import { type Html, html } from "../html.ts";

export interface SignInPage {
  readonly returnTo: string;
  readonly email: string;
  readonly hasOrcid: boolean;
  readonly rejected: Problem | null;
}

const DESCRIPTION = "Sign in to claim your page, and to save datasets and checks.";

/** Returns a sentence about the action that continues after the sign-in, if the user began one; otherwise null. */
function afterwards(returnTo: string): string | null {
  if (returnTo === "/me/erase") return "After you sign in, we ask again before we erase your account.";
  if (!returnTo.startsWith("/me/continue?")) return null;
  return "After you sign in, one button continues what you began. Nothing you typed is lost.";
}

export function signInView({ returnTo, email, hasOrcid, rejected }: SignInPage): View {
  const next = afterwards(returnTo);
  return {
    title: rejected === null ? "Sign in" : "Error: Sign in",
    description: DESCRIPTION,
    unlisted: true,
    body: html`<h1>Sign in</h1>
<p class="lead">You can search and check datasets without an account.</p>
${rejected === null ? null : errorSummary(rejected)}
${next === null ? null : html`<p>${next}</p>\n`}<div class="thirds">${
      hasOrcid
        ? html`<section class="panel"><h2>With ORCID</h2><p>If your page has your ORCID iD, your claim is approved immediately.</p><p><a class="button" href="/auth/orcid/start?${new URLSearchParams({ returnTo }).toString()}">Sign in with ORCID</a></p></section>\n`
        : null
    }<section class="panel"><h2>By email</h2><p>We send you a link that works once, within 15 minutes. You need no password.</p>
<form method="post" action="/sign-in"><input type="hidden" name="returnTo" value="${returnTo}"><div class="row"><div class="grow">${field({ name: "email", label: "Email address", type: "email", value: email, required: true, autocomplete: "email" })}</div><button>Send me a link</button></div></form></section>
<section class="panel"><h2>With an account, you can</h2><ul><li>save datasets, researchers, repositories, institutions, funders and searches, and get one email when their scores change,</li><li>claim your page as a researcher, or ask to be hidden,</li><li>submit datasets that are missing here,</li><li>keep checks and API keys.</li></ul></section></div>
<p class="small">We set two cookies. One keeps you signed in, and one lets pages show what you saved. <a href="/privacy">Personal data that we store</a></p>`,
  };
}

export function linkSentView(email: string): View {
  return {
    title: "Check your email",
    description: DESCRIPTION,
    unlisted: true,
    body: html`<h1>Check your email</h1><p class="lead" role="status">We have sent a link to <bdi>${email}</bdi>. It works once, within 15 minutes. Open it in this browser and press the button there.</p>
${pastedLink()}
<p><a href="/sign-in">No email, or a wrong address? Request another link</a></p>`,
  };
}

export function rejectedLinkView(rejected: Problem): View {
  return {
    title: "Error: Sign in",
    description: DESCRIPTION,
    unlisted: true,
    body: html`<h1>That link did not work</h1>${errorSummary(rejected)}<div class="actions"><a class="button" href="/sign-in">Request another link</a></div>
${pastedLink()}`,
  };
}

function pastedLink(): Html {
  return html`<h2>Is JavaScript switched off in your browser?</h2><p>Copy the link from the email and paste it here.</p>
<form method="post" action="/sign-in/link"><div class="row"><div class="grow">${field({ name: "link", label: "Link from the email", required: true, autocomplete: "off" })}</div><button>Sign in</button></div></form>`;
}

/**
 * Returns the page that a link in an email opens. The token is in the fragment of the URL, which servers and email
 * scanners do not see, and is sent only when the user presses the button. `site` is the title of the site, and
 * `hasSite` is true if there is a view to request another link.
 */
export function signInPage(site: string, hasSite: boolean): string {
  return standaloneDocument(
    {
      title: `Sign in to ${site}`,
      description: "Finish signing in with the link that was sent to you.",
      body: standaloneMain(html`<h1>Sign in to ${site}</h1>
<p class="lead">Press the button to sign in with the link from your email. The link works once.</p>
<button type="button" id="sign-in" hidden>Sign in</button>
<p id="status" role="status"></p>
<p id="alert" role="alert"></p>
<noscript><p>This page needs JavaScript, so that email scanners do not use up your link.</p></noscript>
<footer>${hasSite ? html`<a href="/sign-in">Request another link</a> · ` : null}<a href="/">${hasSite ? "Home page" : "Start page"}</a></footer>`),
    },
    SIGNING_IN,
  );
}
