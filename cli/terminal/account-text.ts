/** Writes requests of users as text for moderators: as a table, one request in detail, and the log of decisions. */

import { hash } from "node:crypto";
import { z } from "zod";
import { sIndexWords } from "../../api-static/pages/researcher.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { getPageFile, type Route } from "../../api-static/routes/route.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type SIndexBasis, sIndexBasis } from "../../schemas/public/api/researcher.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import type { AuditDetail, AuditEvent } from "../../server/accounts/audit.ts";
import { USUAL_VERDICTS } from "../../server/accounts/moderated.ts";
import {
  findKind,
  type ModeratedSubject,
  type OtherClaim,
  type SubjectDetail,
} from "../../server/accounts/moderation.ts";
import { type Paint, shown, textTable, wrapped } from "./text.ts";

/**
 * The researcher and the dataset that a request is about, as the active release shows them. Each is null if the release
 * does not contain it.
 */
export interface PublishedSubject {
  readonly researcher: PublishedResearcher | null;
  readonly dataset: { readonly title: string | null; readonly shareScore: number | null } | null;
}

export interface PublishedResearcher {
  readonly name: string;
  readonly affiliation: string | null;
  readonly orcid: string | null;
  readonly sIndex: number;
  /** The numbers that accompany the S-Index; null if an old release lacks them. */
  readonly sIndexBasis: SIndexBasis | null;
  readonly datasetCount: number;
}

const WIDTH = 100;
const LABEL = 12;

export function queueText(subjects: readonly ModeratedSubject[], total: number, empty: string, paint: Paint): string {
  if (total === 0) return empty;
  const rows = subjects.map((subject) => [
    subject.createdAt.slice(0, 10),
    subject.id,
    subject.state,
    formatRequest(subject),
    formatObject(subject),
    formatApplicant(subject),
  ]);
  const rest = total > subjects.length ? [paint("dim", `and ${total - subjects.length} more; see --limit`)] : [];
  return [...textTable(["since", "id", "state", "request", "subject", "applicant"], rows, paint), ...rest].join("\n");
}

export function subjectText(subject: SubjectDetail, published: PublishedSubject, paint: Paint): string {
  const { id, reason, state, createdAt, decidedAt, decisionReason, hiddenSince, otherClaims } = subject;
  const decided = decidedAt === null ? [] : [["decided", formatMoment(decidedAt)] as const];
  const facts: (readonly [string, string])[] = [
    ["request", `${formatRequest(subject)} for ${formatObject(subject)}`],
    ["since", formatMoment(createdAt)],
    ["state", state],
    ...decided,
    ...(decisionReason === null ? [] : [["reason", shown(decisionReason)] as const]),
    ["applicant", applicantInFull(subject)],
    ...(reason === null ? [] : [["message", `“${shown(reason)}”`] as const]),
    ...(subject.page === undefined ? [["release", publishedText(subject, published)] as const] : []),
    ...identityHint(subject, published),
    ...(hiddenSince === null ? [] : [["hidden", `since ${formatMoment(hiddenSince)}`] as const]),
    ...otherClaims.map((claim) => ["claim", claimText(claim)] as const),
  ];
  const lines = facts.flatMap(([label, text]) => factLines(label, text, paint));
  const history = subject.events.map((event) => eventText(event));
  return [
    paint("bold", id),
    ...lines,
    ...(history.length === 0 ? [] : ["", paint("bold", "decisions"), ...history]),
    ...(state === "pending" || state === "queued" ? ["", ...nextSteps(id, paint)] : []),
  ].join("\n");
}

export function eventText({ number, at, actor, action, subjectId, detail }: AuditEvent): string {
  const { reason = null, ...facts } = detail;
  const because = reason === null ? "" : `: ${shown(reason)}`;
  const by = shown(actor);
  const details = factsText(facts);
  return `${String(number).padStart(6)}  ${formatMoment(at)}  ${subjectId}  ${action} by ${by}  ${details}${because}`;
}

/** Returns the ids in a log entry as text. */
function factsText(facts: AuditDetail): string {
  return Object.values(facts)
    .filter((value) => value !== null)
    .join(" ");
}

function formatRequest({ asks }: ModeratedSubject): string {
  return (
    { claim: "claim", opt_out: "opt out", opt_in: "opt in", submission: "harvest", report: "problem" }[asks] ?? asks
  );
}

function formatObject({ researcher, dataset, page }: ModeratedSubject): string {
  if (researcher !== null) return researcher.slug;
  if (page !== undefined) return shown(page);
  return dataset === null ? "" : shown(`${dataset.source}/${dataset.sourceId}`);
}

function formatApplicant({ applicant, page, replyTo }: ModeratedSubject): string {
  if (page !== undefined && applicant === null) return shown(replyTo ?? "(not signed in)");
  if (applicant === null) return "(account deleted)";
  const { name, email, orcid } = applicant;
  return shown([name, email ?? orcid].filter((part) => part !== null).join(", "));
}

function applicantInFull({ applicant, page, replyTo }: ModeratedSubject): string {
  if (page !== undefined && applicant === null) return shown(replyTo ?? "somebody who was not signed in");
  if (applicant === null) return "an account that was deleted";
  const { id, name, email, orcid, createdAt } = applicant;
  const known = [name ?? "no name", email ?? "no email address", orcid === null ? "no ORCID iD" : `ORCID ${orcid}`];
  return `${shown(known.join(", "))}; account ${id}, since ${formatMoment(createdAt)}`;
}

function publishedText({ researcher }: ModeratedSubject, published: PublishedSubject): string {
  if (researcher === null) {
    const { dataset } = published;
    return dataset === null
      ? "does not contain this record"
      : `already contains this record: ${shown(dataset.title ?? "(no title)")}`;
  }
  const page = published.researcher;
  if (page === null) return "does not list this researcher";
  const orcid = page.orcid === null ? "no ORCID iD" : `ORCID ${page.orcid}`;
  const basis = page.sIndexBasis === null ? [plural(page.datasetCount, "dataset")] : sIndexWords(page.sIndexBasis);
  const index = [`S-Index ${page.sIndex}`, ...basis].join(", ");
  return `${shown(page.name)}, ${shown(page.affiliation ?? "no affiliation")}, ${orcid}; ${index}`;
}

function claimText({ id, state, createdAt, own }: OtherClaim): string {
  return `${id} ${state}, by ${own ? "the same applicant" : "another user"}, since ${formatMoment(createdAt)}`;
}

/** Warns if the applicant and the researcher have different ORCID iDs, which shows that they are two people. */
function identityHint(
  { applicant }: ModeratedSubject,
  { researcher }: PublishedSubject,
): (readonly [string, string])[] {
  const [theirs, listed] = [applicant?.orcid ?? null, researcher?.orcid ?? null];
  if (theirs === null || listed === null || theirs === listed) return [];
  return [["warning", `the ORCID iD of the applicant is ${theirs}, and that of the researcher is ${listed}`]];
}

function nextSteps(id: string, paint: Paint): string[] {
  return [
    ...(findKind(id)?.verdicts ?? USUAL_VERDICTS).map((verdict) => {
      const reason = verdict === "reject" ? ' --reason "…"' : "";
      return `${paint("dim", "$")} share-release account decide ${id} ${verdict}${reason}`;
    }),
  ];
}

function factLines(label: string, text: string, paint: Paint): string[] {
  const [first = "", ...rest] = wrapped(text, WIDTH - LABEL);
  return [`  ${paint("dim", label.padEnd(LABEL - 2))}${first}`, ...rest.map((line) => " ".repeat(LABEL) + line)];
}

function formatMoment(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}

/**
 * The fields that the text needs from a researcher's page in a release. The text leaves them out if the release lacks
 * the page or has it in another format.
 */
const researcherPage = z.object({
  name: z.string(),
  affiliation: z.string().nullable(),
  orcid: z.string().nullable(),
  sIndex: z.number(),
  sIndexBasis: sIndexBasis.nullable().default(null),
  datasetCount: z.number(),
});
const recordPage = z.object({ title: z.string().nullable(), shareScore: z.number().nullable() });

export async function readPublishedSubject(
  { researcher, dataset }: ModeratedSubject,
  store: Store,
): Promise<PublishedSubject> {
  const digest = await currentDigest(store);
  if (digest === null) return { researcher: null, dataset: null };
  const pages = await PageStore.open(store.release(digest));
  const id = dataset === null ? null : `r${hash("sha256", `${dataset.source}/${dataset.sourceId}`).slice(0, 24)}`;
  try {
    return {
      researcher: researcher && pageIn(pages, "author", researcher.slug, researcherPage),
      dataset: id === null ? null : pageIn(pages, "record", id, recordPage),
    };
  } finally {
    pages.close();
  }
}

function pageIn<T>(pages: PageStore, name: string, key: string, schema: z.ZodType<T>): T | null {
  const route: Route = routeNamed(name);
  const page = pages.get(pageAddress(route, getPageFile(route, PUBLIC_VERSIONS[0]), key));
  return page === null ? null : (schema.safeParse(JSON.parse(page.bytes.toString("utf8"))).data ?? null);
}
