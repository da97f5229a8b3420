/**
 * The view that asks whether to continue an action that a user began before the sign-in. Only its button carries the action
 * out.
 */

import type { AccountAction } from "../../schemas/public/account/items.ts";
import { ACCOUNT_ACTIONS } from "../../schemas/public/account/me.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import type { View } from "../components/document.ts";
import { buttonForm, textArea } from "../components/forms.ts";
import { addQuery } from "../components/navigation.ts";
import { type Html, html } from "../html.ts";
import { keyForm } from "./me.ts";

const GET_KEY: Continued = { title: "Get an API key", button: "Get a key" };

type Continued = NonNullable<AccountAction["continued"]>;

/**
 * Returns the title and the button of the view. Null if the action cannot be continued after a sign-in, because it
 * needs an item of the account, or if there is no such action.
 */
export function continuedAction(action: string): Continued | null {
  if (action === "get-key") return GET_KEY;
  const found: AccountAction | undefined = Object.entries(ACCOUNT_ACTIONS).find(([name]) => name === action)?.[1];
  return found?.continued ?? null;
}

/** Names of the fields that the view shows. */
const SHOWN = [
  ["recordId", "Dataset"],
  ["authorSlug", "Researcher"],
  ["repository", "Repository"],
  ["query", "Search"],
  ["identifier", "Dataset"],
  ["note", "Note"],
  ["reason", "Reason"],
] as const;

/**
 * Returns the view. `fields` has the action as `do`, the fields of its form, and perhaps a path of this site as `from`.
 * `continued` has the title and the button of the action. `dataset` is the title of the dataset, if known.
 */
export function continueView(
  fields: Readonly<Record<string, string>>,
  { title, button }: Continued,
  isSignedIn: boolean,
  dataset: string | null = null,
): View {
  const { do: action = "", ...rest } = fields;
  const no = fields.from
    ? html`<a class="button quiet" href="${fields.from}">No, go back</a>`
    : html`<a class="button quiet" href="/me">No, go to your account</a>`;
  const form =
    action === "measure" ? buttonForm("/me/measurements", rest, button, "") : buttonForm("/me", fields, button, "");
  return {
    title,
    description: "Continue what you began before you signed in.",
    unlisted: true,
    body: html`<h1>${title}</h1>
${isSignedIn ? null : html`<p class="lead">You are not signed in. <a href="/sign-in" target="_blank">Sign in in a new tab</a>. Then return to this page, and press the button.</p>`}
${
  action === "get-key"
    ? html`${keyForm(rest)}<p>${no}</p>`
    : html`<dl class="facts">${SHOWN.filter(([name]) => (fields[name] ?? "") !== "").map(([name, label]) => html`<dt>${label}</dt><dd dir="auto">${(name === "recordId" ? dataset : null) ?? fields[name] ?? ""}</dd>`)}</dl>
<div class="actions">${form}${no}</div>`
}`,
  };
}

/** A claim that the user can send, with the facts that decide about it. */
export interface PossibleClaim {
  readonly slug: string;
  /** The row of the researcher; null if the release does not list them. */
  readonly researcher: ResearcherRow | null;
  /** The ORCID iD of the account, or null. */
  readonly accountOrcid: string | null;
  /** True if another account has an approved claim. */
  readonly isTaken: boolean;
  /** True if the claim would be approved at once. */
  readonly isImmediate: boolean;
  /** True if users can add an ORCID iD to their accounts. */
  readonly hasOrcid: boolean;
}

export function claimView(claim: PossibleClaim): View {
  const { slug, researcher, accountOrcid, isTaken, isImmediate, hasOrcid } = claim;
  const { title, button } = ACCOUNT_ACTIONS.claim.continued;
  const orcid = researcher?.orcid ?? null;
  const again = addQuery("/me/continue", { do: "claim", authorSlug: slug });
  const add =
    hasOrcid && !isTaken && orcid !== null && accountOrcid === null
      ? html`<a class="button quiet" href="${addQuery("/auth/orcid/start", { add: "true", returnTo: again })}">Add your ORCID iD first</a>`
      : null;
  return {
    title,
    description: "Claim a researcher page.",
    unlisted: true,
    body: html`<h1>${title}</h1>
<dl class="facts"><dt>Researcher</dt><dd><a href="/researchers/${slug}"><bdi>${researcher?.name ?? slug}</bdi></a></dd>${orcid === null ? null : html`<dt>ORCID iD</dt><dd>${orcid}</dd>`}</dl>
<p>${decisionText(claim, orcid)}</p>
<form method="post" action="/me"><input type="hidden" name="do" value="claim"><input type="hidden" name="authorSlug" value="${slug}">${
      isImmediate
        ? null
        : html`<p>${textArea({ name: "evidence", label: "How can we see that this is you?", hint: "Optional. For example a page of your institution with your email address.", maxLength: 500 })}</p>`
    }<div class="actions"><button>${button}</button>${add}<a class="button quiet" href="/me">No, go to your account</a></div></form>`,
  };
}

/** Explains who decides on the claim. `orcid` is the iD on the researcher's page. */
function decisionText({ accountOrcid, isTaken, isImmediate, hasOrcid }: PossibleClaim, orcid: string | null): string {
  if (isImmediate) return "Your account has the ORCID iD of this page, so your claim is approved immediately.";
  const decides = "A moderator compares your account with the published information, and decides.";
  if (isTaken) return `Another account has already claimed this page. ${decides}`;
  if (orcid === null) return `This page has no ORCID iD. ${decides}`;
  if (accountOrcid !== null) return `Your account has another ORCID iD, ${accountOrcid}. ${decides}`;
  return hasOrcid
    ? `If you first add the ORCID iD of this page to your account, your claim is approved immediately. Otherwise a moderator decides.`
    : decides;
}

/** Returns the view of a claim that the rules do not allow; null for problems that are not about the claim. */
export function impossibleClaimView({ type }: Problem): View | null {
  const explained = IMPOSSIBLE[type];
  if (explained === undefined) return null;
  const { title, body } = explained;
  return { title, description: "Claim a researcher page.", unlisted: true, body: html`<h1>${title}</h1>\n${body}` };
}

/** Problems of a claim, by type, with what to do instead. */
const IMPOSSIBLE: Readonly<Record<string, { readonly title: string; readonly body: Html }>> = {
  "/problems/researcher-not-found": {
    title: "You cannot claim this page",
    body: html`<p class="lead">The current release has no such researcher page.</p>
<p>Pages are listed if they have at least one scored dataset, and are not hidden. If the page is hidden, only an account with its ORCID iD can claim it.</p>
<div class="actions"><a class="button" href="/researchers">Find your page</a><a class="button quiet" href="/me">Go to your account</a></div>`,
  },
  "/problems/duplicate": {
    title: "You have already claimed this page",
    body: html`<p class="lead">You need not claim it again.</p>
<p>Your account shows whether a moderator has decided. There you can also withdraw the claim, and ask to hide the page.</p>
<div class="actions"><a class="button" href="/me#claims">Show your claim</a></div>`,
  },
  "/problems/account-full": {
    title: "You cannot claim another page",
    body: html`<p class="lead">Your account has the maximum number of claims.</p>
<p>Withdraw a claim in your account first. Then claim this page again.</p>
<div class="actions"><a class="button" href="/me#claims">Show your claims</a></div>`,
  },
};
