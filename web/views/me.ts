/** Your account: profile, saved and submitted datasets, measurements, API keys, and how to erase it. */

import type { z } from "zod";
import type { AccountPage } from "../../schemas/public/account/me.ts";
import type { RegistrationResult } from "../../schemas/public/account/registration.ts";
import type { sessionList } from "../../schemas/public/account/sign-in.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { contactLink } from "../components/contact.ts";
import type { View } from "../components/document.ts";
import { counted, when } from "../components/figures.ts";
import { field, press, refusal } from "../components/forms.ts";
import { pager } from "../components/navigation.ts";
import { table } from "../components/table.ts";
import { type Html, html } from "../html.ts";

export type Sessions = z.infer<typeof sessionList>;

const STATES: Readonly<Record<string, string>> = {
  pending: "somebody looks at it",
  approved: "approved",
  rejected: "not approved",
  queued: "somebody looks at it",
  accepted: "accepted",
};

const act = (what: string, id: string, words: string) => press("/me", { do: what, id }, words);

/** A note as it is, to be changed or emptied. */
function noteForm(values: Readonly<Record<string, string>>, note: string | null): Html {
  const id = `note-${Object.values(values).join("-")}`;
  return html`<form class="row inline" method="post" action="/me">${Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<label class="visually-hidden" for="${id}">Note</label><input id="${id}" name="note" type="text" value="${note ?? ""}" placeholder="No note"><button class="quiet">Keep note</button></form>`;
}

/** The ways through one of the lists; `name` is its field of the address. */
function turning(name: string, anchor: string, pagination: OwnList["pagination"]): Html | null {
  return pager("/me", {}, pagination, { name, anchor });
}

type OwnList = AccountPage["savedRecords"];

export interface OwnPage {
  readonly me: AccountPage;
  readonly sessions: Sessions;
  /** Words for what was done just now; '' where nothing was. */
  readonly done: string;
  /** Whether an ORCID iD can be added. */
  readonly hasOrcid: boolean;
  /** The operator's email address or https URL; null if unset. */
  readonly contact: string | null;
  /** The problem with what was asked for; null where there is none. */
  readonly refused: Problem | null;
}

export function accountView({ me, sessions, done, hasOrcid, contact, refused }: OwnPage): View {
  const { user } = me;
  const name = user.name ?? user.email ?? user.orcid ?? user.id;
  return {
    title: refused === null ? "Your account" : "Error: Your account",
    description: "What is yours.",
    twin: "/account/me",
    unlisted: true,
    body: html`<h1>Your account</h1>
${refused === null ? null : refusal(refused)}
${done === "" ? null : html`<div class="done" role="status"><p>${done}</p></div>`}
<p>Signed in as <strong><bdi>${name}</bdi></strong>${user.orcid === null || user.orcid === name ? null : html` · ORCID iD ${user.orcid}`}${user.email === null || user.email === name ? null : html` · ${user.email}`}</p>
<div class="actions">${press("/sign-out", {}, "Sign out")}${user.orcid === null && hasOrcid ? html`<a class="button quiet" href="/auth/orcid/start?add=true&amp;returnTo=/me">Add your ORCID iD</a>` : null}</div>
${claims(me, contact)}
${visibility(me)}
${savedRecords(me)}
${savedAuthors(me)}
${submissions(me)}
${measurements(me)}
<h2 id="keys">API keys</h2>
<p>For programs that ask more than 100 times a minute. A key is shown once, and kept nowhere.</p>
<form method="post" action="/me/keys"><p>${field({ name: "name", label: "Name or organisation", value: user.name ?? "", required: true })}</p><p>${field({ name: "email", label: "Contact address", type: "email", value: user.email ?? "", required: true, autocomplete: "email" })}</p><p>${field({ name: "description", label: "What for", hint: "If you like" })}</p><p><button>Get a key</button></p></form>
${signedIn(sessions)}
<h2 id="data">Your data</h2>
<p>Everything that is kept of you, as one file, or gone at once and for good.</p>
<div class="actions"><a class="button quiet" href="/account/export" download>Download my data</a><a class="button quiet" href="/me/erase">Erase my account</a></div>`,
  };
}

/** For whom a claim waits, for how long, and what makes it go at once. */
function waiting(hasOrcid: boolean, contact: string | null): Html {
  return html`<p class="note">A claim waits for one of the people who run this service: they compare your account with what is published about the researcher. There is no fixed time; the state stands here, and you need not stay signed in.${
    hasOrcid
      ? null
      : " A claim of a page that has an ORCID iD is approved at once, without anybody looking, if you sign in with that iD."
  }${contact === null ? null : html` If it takes too long, write to ${contactLink(contact)}.`}</p>`;
}

function claims({ profileClaims: { data, pagination }, user }: AccountPage, contact: string | null): Html {
  const list = data.map(({ id, authorSlug, state, createdAt, decisionReason, researcher }) => [
    html`<a href="/researchers/${authorSlug}"><bdi>${researcher?.name ?? authorSlug}</bdi></a>`,
    html`${STATES[state] ?? state}${decisionReason === null ? null : `: ${decisionReason}`}${state === "pending" ? html`, since ${when(createdAt)}` : null}`,
    act("withdraw-claim", id, "Take back"),
  ]);
  const own = user.orcid === null ? "/researchers" : `/find?q=${user.orcid}`;
  return html`<h2 id="claims">Who you are</h2>${
    list.length === 0
      ? html`<p>You have claimed no page. <a href="${own}">Find yours</a>, and say “This is me” there.</p>`
      : table("Pages you claimed", [{ name: "Researcher" }, { name: "State" }, { name: "Change" }], list)
  }${data.some(({ state }) => state === "pending") ? waiting(user.orcid !== null, contact) : null}${turning("claims", "claims", pagination)}`;
}

function visibility({ profileClaims, visibilityRequests: { data, pagination }, hidden }: AccountPage): Html {
  const own = profileClaims.data.filter(({ state }) => state === "approved");
  const isHidden = (id: string) => hidden.some(({ authorId }) => authorId === id);
  return html`<h2 id="visibility">Whether you are shown</h2>${
    own.length === 0
      ? html`<p>${profileClaims.data.some(({ state }) => state === "pending") ? "Your claim is being looked at: once it is approved, you can have your page hidden here." : "Claim your page first: then you can have it hidden here."} <a href="/privacy#hide">How that goes</a></p>`
      : own.map(({ authorId, authorSlug, researcher }) => {
          const requestType = isHidden(authorId) ? "opt_in" : "opt_out";
          return html`<form method="post" action="/me"><h3><bdi>${researcher?.name ?? authorSlug}</bdi> is ${isHidden(authorId) ? "hidden" : "shown"}</h3><input type="hidden" name="do" value="visibility"><input type="hidden" name="authorSlug" value="${authorSlug}"><input type="hidden" name="requestType" value="${requestType}"><p>${field({ name: "reason", label: "Why, for who decides", hint: "If you like" })}</p><p><button class="quiet">${isHidden(authorId) ? "Ask to be shown again" : "Ask to be hidden"}</button></p></form>`;
        })
  }${
    data.length === 0
      ? null
      : table(
          "What you asked for",
          [{ name: "Researcher" }, { name: "Asked" }, { name: "State" }, { name: "Change" }],
          data.map(({ id, authorSlug, requestType, state, createdAt, decisionReason }) => [
            authorSlug,
            html`${requestType === "opt_out" ? "to be hidden" : "to be shown"}, ${when(createdAt)}`,
            html`${STATES[state] ?? state}${decisionReason === null ? null : `: ${decisionReason}`}`,
            act("withdraw-visibility", id, "Take back"),
          ]),
        )
  }${turning("requests", "visibility", pagination)}`;
}

function savedRecords({ savedRecords: { data, pagination } }: AccountPage): Html {
  return html`<h2 id="saved">Saved datasets</h2>${
    data.length === 0
      ? html`<p>None yet. Each <a href="/datasets">dataset</a> has a button for it.</p>`
      : table(
          `Saved datasets, newest first: ${counted(pagination.total, "dataset")}`,
          [{ name: "Dataset" }, { name: "Score", isNumber: true }, { name: "Note" }, { name: "Change" }],
          data.map(({ recordId, record, note }) => [
            html`<a href="/datasets/${recordId}" dir="auto">${record?.title ?? recordId}</a>`,
            record?.score?.total ?? "–",
            noteForm({ do: "note-record", recordId }, note),
            act("unsave-record", recordId, "Remove"),
          ]),
        )
  }${turning("saved", "saved", pagination)}`;
}

function savedAuthors({ savedAuthors: { data, pagination } }: AccountPage): Html | null {
  if (pagination.total === 0) return null;
  return html`<h2 id="people">Saved researchers</h2>${table(
    `Saved researchers, newest first: ${counted(pagination.total, "researcher")}`,
    [{ name: "Researcher" }, { name: "S-Index", isNumber: true }, { name: "Note" }, { name: "Change" }],
    data.map(({ authorId, authorSlug, researcher, note }) => [
      authorSlug === null
        ? "Hidden"
        : html`<a href="/researchers/${authorSlug}"><bdi>${researcher?.name ?? authorSlug}</bdi></a>`,
      researcher?.sIndex ?? "–",
      authorSlug === null ? note : noteForm({ do: "note-author", authorSlug }, note),
      act("unsave-author", authorId, "Remove"),
    ]),
  )}${turning("people", "people", pagination)}`;
}

function submissions({ datasetSubmissions: { data, pagination } }: AccountPage): Html {
  return html`<h2 id="submissions">Datasets you submitted</h2><p>A dataset that is missing here can join the next release.</p>
<form method="post" action="/me"><input type="hidden" name="do" value="submit"><div class="row"><div class="grow">${field({ name: "identifier", label: "DOI or accession number", required: true })}</div><button>Submit</button></div></form>${
    data.length === 0
      ? null
      : table(
          "Datasets you submitted",
          [{ name: "Dataset" }, { name: "State" }, { name: "Change" }],
          data.map(({ id, identifier, state, decisionReason, harvestOutcome }) => [
            identifier,
            html`${STATES[state] ?? state}${decisionReason === null ? null : `: ${decisionReason}`}${harvestOutcome === null ? null : `; harvested: ${harvestOutcome}`}`,
            act("withdraw-submission", id, "Take back"),
          ]),
        )
  }${turning("submitted", "submissions", pagination)}`;
}

function measurements({ measurements: { data, pagination } }: AccountPage): Html {
  return html`<h2 id="measurements">Measurements you kept</h2>
<form method="post" action="/me/measurements"><div class="row"><div class="grow"><label for="f-measure">DOI or accession number</label><input id="f-measure" name="identifier" type="text" required></div><button>Measure and keep</button></div></form>${
    data.length === 0
      ? null
      : table(
          "Measurements you kept",
          [{ name: "Dataset" }, { name: "Score", isNumber: true }, { name: "When" }, { name: "Change" }],
          data.map(({ id, identifier, title, total, createdAt }) => [
            html`<bdi>${title ?? identifier}</bdi>`,
            total ?? "–",
            when(createdAt),
            act("delete-measurement", id, "Delete"),
          ]),
        )
  }${turning("measured", "measurements", pagination)}`;
}

function signedIn({ data, pagination }: Sessions): Html {
  return html`<h2 id="sessions">Where you are signed in</h2>${table(
    counted(pagination.total, "place"),
    [{ name: "Browser" }, { name: "Last used" }, { name: "Change" }],
    data.map(({ id, agent, seenAt, current }) => [
      html`${agent === null ? "unknown" : html`<span title="${agent}">${browserName(agent) ?? agent}</span>`}${current ? html` <span class="tag">this one</span>` : null}`,
      when(seenAt),
      act("end-session", id, "Sign out there"),
    ]),
  )}${turning("places", "sessions", pagination)}`;
}

/** An API key, shown once. */
export function keyView({ key, message }: RegistrationResult): View {
  return {
    title: "Your API key",
    description: "A key, shown once.",
    unlisted: true,
    body: html`<h1>Your API key</h1><p class="lead" role="status">Copy it now: it is shown here and never again.</p><pre tabindex="0" aria-label="API key">${key}</pre><p>${message}</p><p><a href="/docs">How to use it</a> · <a href="/me">Back to your account</a></p>`,
  };
}

/** The form that erases an account. A box has to be ticked, so that nobody does it by accident. */
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

/** The browsers whose header names others as well come first, as most do. */
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

/** Common names of the browser and its system; null if the header User-Agent has neither. */
export function browserName(agent: string): string | null {
  const nameIn = (names: readonly (readonly [string, string])[]) => names.find(([mark]) => agent.includes(mark))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
