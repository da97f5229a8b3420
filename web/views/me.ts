/** The view of an account, in parts: profile, saved items, submissions and checks, API keys, sessions and data. */

import type { z } from "zod";
import type { AccountPart } from "../../schemas/public/account/items.ts";
import type { AccountPage } from "../../schemas/public/account/me.ts";
import type { RegistrationResult } from "../../schemas/public/account/registration.ts";
import type { sessionList } from "../../schemas/public/account/sign-in.ts";
import type { SignalImprovements } from "../../schemas/public/api/improvements.ts";
import type { RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { Movement } from "../../schemas/public/site/queries.ts";
import { contactLink } from "../components/contact.ts";
import type { View } from "../components/document.ts";
import { averageText, countText, integer, timeElement } from "../components/figures.ts";
import { buttonForm, errorSummary, field, hiddenInputs } from "../components/forms.ts";
import { cheapestSteps, type SIndexIf } from "../components/improvements.ts";
import { largestList, movementSentences } from "../components/movement.ts";
import { pager } from "../components/navigation.ts";
import { datasetName } from "../components/record-rows.ts";
import { searchWords } from "../components/saving.ts";
import { snippets } from "../components/snippets.ts";
import { table } from "../components/table.ts";
import { type Html, html } from "../html.ts";

export type SessionList = z.infer<typeof sessionList>;

const STATES: Readonly<Record<string, string>> = {
  pending: "waiting for a moderator",
  approved: "approved",
  rejected: "not approved",
  queued: "waiting for a moderator",
  accepted: "accepted",
};

const button = (action: string, id: string, label: string) => buttonForm("/me", { do: action, id }, label);

function noteForm(values: Readonly<Record<string, string>>, note: string | null): Html {
  const id = `note-${Object.values(values).join("-")}`;
  return html`<form class="row inline" method="post" action="/me">${hiddenInputs(values)}<label class="visually-hidden" for="${id}">Note</label><input id="${id}" name="note" type="text" value="${note ?? ""}" placeholder="No note"><button class="quiet">Save note</button></form>`;
}

/** Returns the links to the other pages of one list. `name` is the query parameter with the number of the page. */
function listPager(part: AccountPart, name: string, anchor: string, pagination: OwnList["pagination"]): Html | null {
  return pager(ACCOUNT_PARTS[part].path, {}, pagination, { name, anchor });
}

type OwnList = AccountPage["savedRecords"];

/** A researcher whom the user has claimed, if the release has their page. */
export interface OwnResearcher {
  readonly researcher: ResearcherRow;
  /** Changes of the datasets in the last release; null if there are none. */
  readonly movement: Movement | null;
  readonly report: SignalImprovements;
  readonly sIndex: SIndexIf;
  /** Names of all sources. */
  readonly sources: ReadonlyMap<string, string>;
}

export interface OwnPage {
  readonly me: AccountPage;
  /** The researchers whom the user has claimed; empty in parts other than the profile. */
  readonly researchers: readonly OwnResearcher[];
  /** Figures of the repositories of the release by label; empty in parts other than the saved items. */
  readonly repositories: ReadonlyMap<string, RepositoryFigures>;
  readonly origin: string;
  /** The sessions; null in parts that do not show them. */
  readonly sessions: SessionList | null;
  /** The message after an action; empty if there was none. */
  readonly done: string;
  /** True if an ORCID iD can be added. */
  readonly hasOrcid: boolean;
  /** The operator's email address or https URL; null if unset. */
  readonly contact: string | null;
  readonly rejected: Problem | null;
  /** The rejected form of an API key; null if none was rejected. */
  readonly typed: Readonly<Record<string, string>> | null;
}

/** The parts of the view. Each has its own URL, with a tab that links to it. */
export const ACCOUNT_PARTS = {
  profile: { path: "/me", name: "Profile", heading: "Your profile" },
  saved: { path: "/me/saved", name: "Saved", heading: "Saved items" },
  submissions: { path: "/me/submissions", name: "Submissions", heading: "Submissions and checks" },
  keys: { path: "/me/keys", name: "API keys", heading: "API keys" },
  data: { path: "/me/data", name: "Data", heading: "Sessions and data" },
} as const satisfies Readonly<Record<AccountPart, object>>;

export function accountView(part: AccountPart, page: OwnPage): View {
  const { done, rejected } = page;
  const { user } = page.me;
  const { heading } = ACCOUNT_PARTS[part];
  const name = user.name ?? user.email ?? user.orcid ?? user.id;
  const tabs = Object.entries(ACCOUNT_PARTS).map(
    ([key, tab]) =>
      html`<li><a href="${tab.path}"${key === part ? html` aria-current="page"` : null}>${tab.name}${countOf(key, page.me)}</a></li>`,
  );
  return {
    title: `${rejected === null ? "" : "Error: "}${heading} – Your account`,
    description: "Your claims, saved datasets, checks and API keys.",
    apiPath: "/account/me",
    unlisted: true,
    body: html`<div class="signed-in"><p>Signed in as <strong><bdi>${name}</bdi></strong></p>${buttonForm("/sign-out", {}, "Sign out")}</div>
<nav class="parts" aria-label="Parts of your account"><ul>${tabs}</ul></nav>
<h1>${heading}</h1>
${rejected === null ? null : errorSummary(rejected)}
${done === "" ? null : html`<div class="done" role="status"><p>${done}</p></div>`}
${partBody(part, page)}`,
  };
}

function partBody(part: AccountPart, page: OwnPage): Html {
  const { me } = page;
  switch (part) {
    case "profile":
      return html`${page.researchers.map((own) => home(own, page.origin))}${profile(page)}
${me.profileClaims.pagination.total === 0 ? null : claims(page)}\n${visibility(me)}\n${firstSteps(page)}`;
    case "saved":
      if (countSaved(me) === 0 && me.changeMails === null) return NOTHING_SAVED;
      return html`${savedRecords(me)}\n${savedAuthors(me)}\n${savedRepositories(page)}\n${savedSearches(me)}\n<section class="panel">${changeMails(me)}</section>`;
    case "submissions":
      return html`<div class="halves"><section class="panel">${submissions(me)}</section>\n<section class="panel">${checks(me)}</section></div>`;
    case "keys":
      return keys(page);
    case "data":
      return html`${page.sessions === null ? null : sessionTable(page.sessions)}
<h2 id="data">Your data</h2>
<p>Download all data that we store about you as one file.</p>
<div class="actions"><a class="button quiet" href="/account/export" download>Download my data</a></div>
<h2 id="erase">Erase your account</h2>
<p>This erases all data that we store about you, immediately and permanently. We ask again before we do it.</p>
<div class="actions"><a class="button danger" href="/me/erase">Erase my account</a></div>`;
    default:
      return part satisfies never;
  }
}

/** Returns the number of items in a part of the account, for its tab; null if there are none. */
function countOf(part: string, me: AccountPage): Html | null {
  const counts: Readonly<Record<string, number>> = {
    saved: countSaved(me),
    submissions: me.datasetSubmissions.pagination.total + me.measurements.pagination.total,
    keys: me.apiKeys.filter(({ revokedAt }) => revokedAt === null).length,
  };
  const count = counts[part] ?? 0;
  return count === 0 ? null : html` <span class="count">${integer(count)}</span>`;
}

function countSaved({ savedRecords, savedAuthors, savedRepositories, savedSearches }: AccountPage): number {
  const lists = [savedRecords, savedAuthors, savedRepositories, savedSearches];
  return lists.reduce((sum, { pagination }) => sum + pagination.total, 0);
}

/** Returns what a user can do with an account but has not done yet, each with its first step; null if there is nothing. */
function firstSteps({ me }: OwnPage): Html | null {
  const steps = [
    me.profileClaims.pagination.total === 0 ? findOwnPage(me.user) : null,
    countSaved(me) === 0
      ? html`<h2>Follow scores</h2><p>Press “Save to your account” on the page of a dataset, researcher, repository, institution or funder, or of a search. After each release, you can get one email if a score has changed, and why.</p><div class="actions"><a class="button quiet" href="/datasets">Browse datasets</a></div>`
      : null,
    me.measurements.pagination.total === 0
      ? html`<h2>Check a dataset</h2><p>Get the score of a published dataset or of a draft, with the fields that would add points, and keep the result here.</p><div class="actions"><a class="button quiet" href="/check">Check a dataset</a></div>`
      : null,
  ].filter((step) => step !== null);
  return steps.length === 0
    ? null
    : html`${steps.length < 3 ? null : html`<p class="lead">Your account is ready. Begin with one of these:</p>`}<div class="thirds">${steps.map((step) => html`<section class="panel">${step}</section>\n`)}</div>`;
}

/** Returns the first section of a researcher's profile: the figures, the changes, the next steps, and the badge. */
function home({ researcher, movement, report, sIndex, sources }: OwnResearcher, origin: string): Html {
  const { name, slug, datasetCount, avgScore, meanCap } = researcher;
  const page = `/researchers/${slug}`;
  return html`<h2><a href="${page}"><bdi>${name}</bdi></a></h2>
<ul class="figures"><li><b>${researcher.sIndex}</b> S-Index</li><li><b>${integer(datasetCount)}</b> ${datasetCount === 1 ? "dataset" : "datasets"} with a score</li><li><b>${averageText(avgScore, meanCap)}</b> average score, of the average possible</li></ul>
<h3>Changes in the last release</h3>
${
  movement === null
    ? html`<p>None of your datasets changed.</p>`
    : html`<p>${movementSentences(movement).join(" ")}</p>\n<details><summary>Largest changes, with causes</summary>${largestList(movement, "")}</details>`
}
<h3>The steps that need the least work</h3>
${cheapestSteps(report, sources, sIndex)}
<p><a href="${page}#fix">All next steps</a></p>
<details><summary>Badge and picture</summary><p>Pages that link to your page can show <a href="${page}/card.png">its picture</a>.</p>
${snippets({ origin, version: PUBLIC_VERSIONS[0], page, badge: `S-Index ${researcher.sIndex}` })}</details>
`;
}

function profile({ me: { user }, hasOrcid }: OwnPage): Html {
  const facts = [
    ["Name", user.name],
    ["Email address", user.email],
    ["ORCID iD", user.orcid],
  ] as const;
  // The head of the page has the only fact of somebody who signed in by email.
  const hasMore = user.name !== null || user.orcid !== null;
  return html`${hasMore ? html`<dl class="facts">${facts.map(([name, value]) => (value === null ? null : html`<dt>${name}</dt><dd><bdi>${value}</bdi></dd>`))}</dl>` : null}${
    user.orcid === null && hasOrcid
      ? html`<div class="actions"><a class="button quiet" href="/auth/orcid/start?add=true&amp;returnTo=/me">Add your ORCID iD</a></div>`
      : null
  }`;
}

function keys({ me: { user, apiKeys }, typed }: OwnPage): Html {
  return html`<p>A key of your program has <a href="/terms#limits">its own rate limit</a>. We show the key once and do not store it. Erasing your account also ends the keys with your email address.</p>
${keyForm(typed ?? { name: user.name ?? "", email: user.email ?? "" })}
${
  apiKeys.length === 0
    ? html`<p class="muted">You have no keys. Keys with your email address are listed here, and you can revoke them.</p>`
    : html`<h2 id="own-keys">Your keys</h2>${table(
        "Keys with your email address, newest first",
        [{ name: "Name" }, { name: "Purpose" }, { name: "Created" }, { name: "Action" }],
        apiKeys.map(({ id, name, description, createdAt, revokedAt }) => [
          html`${name === null ? "Registered by somebody who was not signed in" : html`<bdi>${name}</bdi>`}<br><span class="muted small">${id}</span>`,
          description === null ? "–" : html`<bdi>${description}</bdi>`,
          timeElement(createdAt),
          revokedAt === null ? revokeForm(id) : html`revoked ${timeElement(revokedAt)}`,
        ]),
      )}`
}`;
}

/** Returns the button that revokes an API key. It is folded, so that nobody presses it by accident. */
function revokeForm(id: string): Html {
  return html`<details><summary>Revoke…</summary><p>Programs that use this key will stop working, and you cannot undo this.</p>${buttonForm("/me", { do: "revoke-key", id }, "Revoke this key", "danger")}</details>`;
}

/** Returns the form that registers an API key. `typed` has the values of its fields by name. */
export function keyForm(typed: Readonly<Record<string, string>>): Html {
  const value = (name: string) => typed[name] ?? "";
  return html`<form method="post" action="/me/keys"><p>${field({ name: "name", label: "Name or organisation", value: value("name"), required: true })}</p><p>${field({ name: "email", label: "Contact email", type: "email", value: value("email"), required: true, autocomplete: "email" })}</p><p>${field({ name: "description", label: "Purpose", hint: "Optional", value: value("description") })}</p><p><button>Get a key</button></p></form>`;
}

/** Explains who decides on a claim, how long this takes, and how to avoid the wait. */
function waitingNote(canAddOrcid: boolean, contact: string | null): Html {
  return html`<p class="note">A moderator of this service compares your account with the published information about the researcher. There is no fixed time. The state is shown here, and you do not need to stay signed in. After approval, you can ask here to <a href="/privacy#hide">hide your page</a>.${
    canAddOrcid
      ? " If the page has an ORCID iD and you sign in with that iD, your claim is approved immediately."
      : null
  }${contact === null ? null : html` If it takes too long, write to ${contactLink(contact)}.`}</p>`;
}

function findOwnPage({ orcid }: AccountPage["user"]): Html {
  return html`<h2 id="claims">Your researcher page</h2><p>Find your page, and press “This is me” there. Then you see your next steps here, and can <a href="/privacy#hide">ask to be hidden</a>.</p>${
    orcid === null
      ? html`<form action="/researchers" role="search"><div class="row"><div class="grow">${field({ name: "search", label: "Your name or ORCID iD", type: "search" })}</div><button>Find your page</button></div></form>`
      : html`<div class="actions"><a class="button" href="/find?q=${orcid}">Find your page</a></div>`
  }`;
}

function claims({ me: { profileClaims, user }, contact, hasOrcid }: OwnPage): Html {
  const { data, pagination } = profileClaims;
  const list = data.map(({ id, authorSlug, state, createdAt, decisionReason, researcher }) => [
    html`<a href="/researchers/${authorSlug}"><bdi>${researcher?.name ?? authorSlug}</bdi></a>`,
    html`${STATES[state] ?? state}${decisionReason === null ? null : `: ${decisionReason}`}${state === "pending" ? html`, since ${timeElement(createdAt)}` : null}`,
    button("withdraw-claim", id, "Withdraw"),
  ]);
  return html`<h2 id="claims">Your researcher page</h2>${table("Your claims", [{ name: "Researcher" }, { name: "State" }, { name: "Action" }], list)}${data.some(({ state }) => state === "pending") ? waitingNote(hasOrcid && user.orcid === null, contact) : null}${listPager("profile", "claims", "claims", pagination)}`;
}

/** Returns the forms that ask to hide or show the user's pages, and the requests; null if there are neither. */
function visibility({ profileClaims, visibilityRequests: { data, pagination }, hidden }: AccountPage): Html | null {
  const own = profileClaims.data.filter(({ state }) => state === "approved");
  if (own.length === 0 && pagination.total === 0) return null;
  const isHidden = (id: string) => hidden.some(({ authorId }) => authorId === id);
  return html`<h2 id="visibility">Visibility of your page</h2>${own.map(({ authorId, authorSlug, researcher }) => {
    const requestType = isHidden(authorId) ? "opt_in" : "opt_out";
    return html`<form method="post" action="/me"><h3><bdi>${researcher?.name ?? authorSlug}</bdi> is ${isHidden(authorId) ? "hidden" : "shown"}</h3>${hiddenInputs({ do: "visibility", authorSlug, requestType })}<div class="row"><div class="grow">${field({ name: "reason", id: `reason-${authorSlug}`, label: "Reason for the moderator", hint: "Optional" })}</div><button class="quiet">${isHidden(authorId) ? "Ask to be shown again" : "Ask to be hidden"}</button></div></form>`;
  })}${
    data.length === 0
      ? null
      : table(
          "Your requests",
          [{ name: "Researcher" }, { name: "Request" }, { name: "State" }, { name: "Action" }],
          data.map(({ id, authorSlug, requestType, state, createdAt, decisionReason }) => [
            authorSlug,
            html`${requestType === "opt_out" ? "hide" : "show"}, ${timeElement(createdAt)}`,
            html`${STATES[state] ?? state}${decisionReason === null ? null : `: ${decisionReason}`}`,
            button("withdraw-visibility", id, "Withdraw"),
          ]),
        )
  }${listPager("profile", "requests", "visibility", pagination)}`;
}

/** The part of the saved items while there is nothing to send emails about. */
const NOTHING_SAVED = html`<p class="lead">Nothing saved yet. Open one of these, and press “Save to your account”.</p>
<ul class="links"><li><a href="/datasets">Datasets</a> <span>One by one, or a whole search</span></li><li><a href="/researchers">Researchers</a> <span>By name or ORCID iD</span></li><li><a href="/repositories">Repositories</a> <span>With all their datasets</span></li><li><a href="/affiliations">Institutions</a> <span>With the datasets of their researchers</span></li><li><a href="/funders">Funders</a> <span>With the datasets of their grants</span></li></ul>
<p class="muted">Emails about changes are off. You can switch them on here when you have saved something.</p>`;

function savedRecords({ savedRecords: { data, pagination } }: AccountPage): Html {
  return html`<h2 id="saved">Saved datasets</h2>${
    data.length === 0
      ? html`<p>None yet. To save one, press “Save to your account” on the page of a <a href="/datasets">dataset</a>, researcher, repository, institution or funder, or of a search.</p>`
      : table(
          `Saved datasets, newest first: ${countText(pagination.total, "dataset")}`,
          [{ name: "Dataset" }, { name: "Score", isNumber: true }, { name: "Note" }, { name: "Action" }],
          data.map(({ recordId, record, note }) => [
            html`<a href="/datasets/${recordId}" dir="auto">${record === null ? recordId : datasetName(record)}</a>`,
            record?.score?.total ?? "–",
            noteForm({ do: "note-record", recordId }, note),
            button("unsave-record", recordId, "Remove"),
          ]),
        )
  }${listPager("saved", "saved", "saved", pagination)}`;
}

function savedAuthors({ savedAuthors: { data, pagination } }: AccountPage): Html | null {
  if (pagination.total === 0) return null;
  return html`<h2 id="people">Saved researchers</h2>${table(
    `Saved researchers, newest first: ${countText(pagination.total, "researcher")}`,
    [{ name: "Researcher" }, { name: "Datasets", isNumber: true }, { name: "Note" }, { name: "Action" }],
    data.map(({ authorId, authorSlug, researcher, note }) => [
      authorSlug === null
        ? "Hidden"
        : html`<a href="/researchers/${authorSlug}"><bdi>${researcher?.name ?? authorSlug}</bdi></a>`,
      researcher?.datasetCount ?? "–",
      authorSlug === null ? note : noteForm({ do: "note-author", authorSlug }, note),
      button("unsave-author", authorId, "Remove"),
    ]),
  )}${listPager("saved", "people", "people", pagination)}`;
}

function savedRepositories({
  me: {
    savedRepositories: { data, pagination },
  },
  repositories,
}: OwnPage): Html | null {
  if (pagination.total === 0) return null;
  return html`<h2 id="repositories">Saved repositories</h2>${table(
    `Saved repositories, newest first: ${countText(pagination.total, "repository", "repositories")}`,
    [{ name: "Repository" }, { name: "Average score", isNumber: true }, { name: "Saved" }, { name: "Action" }],
    data.map(({ repository, savedAt }) => [
      html`<a href="/repositories/${encodeURIComponent(repository)}"><bdi>${repository}</bdi></a>`,
      formatAverage(repositories.get(repository)),
      timeElement(savedAt),
      button("unsave-repository", repository, "Remove"),
    ]),
  )}${listPager("saved", "repositories", "repositories", pagination)}`;
}

function formatAverage(figures: RepositoryFigures | undefined): string {
  return figures === undefined ? "–" : averageText(figures.meanScore, figures.meanCap);
}

function savedSearches({ savedSearches: { data, pagination } }: AccountPage): Html | null {
  if (pagination.total === 0) return null;
  return html`<h2 id="searches">Saved searches</h2>${table(
    `Saved searches, with institutions and funders, newest first: ${countText(pagination.total, "search", "searches")}`,
    [{ name: "Search" }, { name: "Saved" }, { name: "Action" }],
    data.map(({ query, savedAt }) => [
      html`<a href="/datasets?${query}"><bdi>${searchWords(query)}</bdi></a>`,
      timeElement(savedAt),
      button("unsave-search", query, "Remove"),
    ]),
  )}${listPager("saved", "searches", "searches", pagination)}`;
}

function changeMails({ changeMails: mails, user }: AccountPage): Html {
  const label = mails === null ? "Send me emails" : "Stop these emails";
  return html`<h2 id="mails">Emails about changes</h2><p>${
    mails === null
      ? "After each release, we can send you one email if the score of something that you saved has changed, and why."
      : html`Since ${timeElement(mails.since)}, you get one email after each release if the score of something that you saved has changed.`
  }</p>${
    user.email === null
      ? html`<p>Your account has no email address, so we cannot send any. Every page that you can save also has a feed.</p>`
      : buttonForm("/me", { do: mails === null ? "start-change-mails" : "stop-change-mails" }, label)
  }`;
}

/**
 * Returns the view in which a user stops emails about changes. `id` is the ID in the link of an email. Opening the link
 * changes nothing, because mail programs open links in advance.
 */
export function unsubscribeView(id: string): View {
  return {
    title: "Stop emails about changes",
    description: "Stop emails about changes of saved items.",
    unlisted: true,
    body: html`<h1>Stop emails about changes?</h1>
<p>You then get no more emails about changes of what you saved. You can switch them on again in your account.</p>
${buttonForm(`/unsubscribe/${id}`, {}, "Stop these emails", "")}`,
  };
}

export function unsubscribedView(): View {
  return {
    title: "Emails stopped",
    description: "You get no more emails about changes.",
    unlisted: true,
    body: html`<h1>Emails stopped</h1><p class="lead" role="status">You get no more emails about changes. Your saved items stay in <a href="/me/saved">your account</a>.</p>`,
  };
}

function submissions({ datasetSubmissions: { data, pagination } }: AccountPage): Html {
  return html`<h2 id="submissions">Datasets you submitted</h2><p>If a dataset is missing on this site, ask to include it in the next release.</p>
<form method="post" action="/me"><input type="hidden" name="do" value="submit"><div class="row"><div class="grow">${field({ name: "identifier", label: "DOI or accession number", required: true })}</div><button>Submit</button></div></form>${
    data.length === 0
      ? html`<p class="muted">You have not submitted a dataset. Submitted datasets are listed here, with the decision on each.</p>`
      : table(
          "Datasets you submitted",
          [{ name: "Dataset" }, { name: "State" }, { name: "Action" }],
          data.map(({ id, identifier, state, decisionReason, harvestOutcome }) => [
            identifier,
            html`${STATES[state] ?? state}${decisionReason === null ? null : `: ${decisionReason}`}${harvestOutcome === null ? null : `; harvested: ${harvestOutcome}`}`,
            button("withdraw-submission", id, "Withdraw"),
          ]),
        )
  }${listPager("submissions", "submitted", "submissions", pagination)}`;
}

function checks({ measurements: { data, pagination } }: AccountPage): Html {
  return html`<h2 id="measurements">Saved checks</h2><p>Check a dataset now, also one that is missing on this site, and keep the result here.</p>
<form method="post" action="/me/measurements"><div class="row"><div class="grow"><label for="f-measure">DOI or accession number</label><input id="f-measure" name="identifier" type="text" required></div><button>Check and save</button></div></form>${
    data.length === 0
      ? html`<p class="muted">You have not saved a check. Saved checks are listed here, with the score on the day of the check.</p>`
      : table(
          "Saved checks",
          [{ name: "Dataset" }, { name: "Score", isNumber: true }, { name: "Checked" }, { name: "Action" }],
          data.map(({ id, identifier, title, total, createdAt }) => [
            html`<bdi>${title ?? identifier}</bdi>`,
            total ?? "–",
            timeElement(createdAt),
            button("delete-measurement", id, "Delete"),
          ]),
        )
  }${listPager("submissions", "measured", "measurements", pagination)}`;
}

function sessionTable({ data, pagination }: SessionList): Html {
  return html`<h2 id="sessions">Your sessions</h2>${table(
    countText(pagination.total, "session"),
    [{ name: "Browser" }, { name: "Last used" }, { name: "Action" }],
    data.map(({ id, agent, seenAt, current }) => [
      html`${agent === null ? "unknown" : html`<span title="${agent}">${browserName(agent) ?? agent}</span>`}${current ? html` <span class="tag">this browser</span>` : null}`,
      timeElement(seenAt),
      current ? "" : button("end-session", id, "Sign out"),
    ]),
  )}${listPager("data", "places", "sessions", pagination)}`;
}

export function keyView({ key, message }: RegistrationResult): View {
  return {
    title: "Your API key",
    description: "Your new API key.",
    unlisted: true,
    body: html`<h1>Your API key</h1><p class="lead" role="status">Copy the key now. We do not show it again.</p><pre tabindex="0" data-copy aria-label="API key">${key}</pre><p>${message}</p><p><a href="/docs">How to use the key</a> · <a href="/me/keys">Back to your account</a></p>`,
  };
}

/** Returns the form that erases an account. It has a check box, so that nobody sends it by accident. */
export function eraseView(rejected: Problem | null): View {
  return {
    title: "Erase your account",
    description: "Erase all data that we store about you.",
    unlisted: true,
    body: html`<h1>Erase your account</h1>
${rejected === null ? null : errorSummary(rejected)}
<p class="lead">This erases all data that we store about you, immediately and permanently, and ends all sessions and the API keys with your email address.</p>
<p>If your page is hidden, it stays hidden. Datasets that you submitted stay submitted, without your name. If you want a copy, <a href="/account/export" download>download your data first</a>.</p>
<form method="post" action="/me/erase"><p><label><input type="checkbox" name="sure" value="yes" required> Yes, erase all data about me</label></p><p><button class="danger">Erase my account</button> <a href="/me/data">No, go back</a></p></form>`,
  };
}

export function erasedView(): View {
  return {
    title: "Erased",
    description: "Your account is erased.",
    unlisted: true,
    body: html`<h1>Your account is erased</h1><p class="lead" role="status">We no longer store any data about you. You are signed out.</p><p><a href="/">Home page</a></p>`,
  };
}

/** Texts that identify browsers in the User-Agent header. Browsers whose header also names other browsers come first. */
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const SYSTEMS = [
  ["iPhone", "an iPhone"],
  ["iPad", "an iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS X", "a Mac"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** Returns the common names of the browser and its system; null if the User-Agent header names no known browser. */
export function browserName(agent: string): string | null {
  const nameIn = (names: readonly (readonly [string, string])[]) => names.find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
