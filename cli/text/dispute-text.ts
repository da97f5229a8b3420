/** Disputes for people: a table of them, and one in full with what the release says and what was done. */

import type { PublishedSignal } from "../../operations/disputes/index.ts";
import type { DisputeDetail, WaitingDispute } from "../../server/people/disputes/queue.ts";
import type { Applicant } from "../../server/people/moderation/queue.ts";
import { eventText } from "./moderation-text.ts";
import type { Paint } from "./terminal-text.ts";
import { textTable } from "./text-table.ts";
import { shown, wrapped } from "./wrapped.ts";

const WIDTH = 100;
const LABEL = 13;

export function disputesText(disputes: readonly WaitingDispute[], total: number, what: string, paint: Paint): string {
  if (total === 0) return `nothing ${what}`;
  const rows = disputes.map(({ createdAt, id, state, signal, contract, recordId, says, applicant }) => [
    createdAt.slice(0, 10),
    id,
    state,
    `${signal} ${contract}`,
    recordId,
    says,
    byWhom(applicant),
  ]);
  const rest = total > disputes.length ? [paint("dim", `and ${total - disputes.length} more; see --limit`)] : [];
  const table = textTable(["since", "id", "state", "signal", "of", "says", "by"], rows, paint);
  return [...table, ...rest].join("\n");
}

/** `now`: what the active release says; null where it says nothing of it. */
export function disputeText(dispute: DisputeDetail, now: PublishedSignal | null, paint: Paint): string {
  const { id, state, signal, contract, recordId, publishedState, says, release, answer, correctedAt, mendedIn } =
    dispute;
  const name = now === null ? "" : ` (${now.name})`;
  const facts: (readonly [string, string | null])[] = [
    ["signal", `${signal}${name} of ${recordId}, under ${contract}`],
    ["record", now === null ? "not in the active release" : recordOf(now, recordId)],
    ["published", `${wordOf(publishedState)}, in release ${release.scoreReleaseVersion}`],
    ["now", now === null ? null : nowOf(now, contract)],
    ["says", says],
    ["by", applicantInFull(dispute)],
    ["address", dispute.evidenceUrl],
    ["evidence", dispute.evidence],
    ["statement", dispute.statement],
    ["since", momentOf(dispute.createdAt)],
    ["state", state],
    ["answer", answer],
    ["corrected", correctedAt === null ? null : `${momentOf(correctedAt)}, which was another answer before`],
    ["mended", mendedIn === null ? null : `in release ${mendedIn.scoreReleaseVersion}, ${mendedIn.releaseDigest}`],
    ...dispute.others.map((each) => ["also", `${each.id}, ${each.state}, of ${momentOf(each.createdAt)}`] as const),
  ];
  const lines = facts.flatMap(([label, text]) => (text === null ? [] : factLines(label, text, paint)));
  const history = dispute.events.map((event) => eventText(event));
  return [
    paint("bold", id),
    ...lines,
    "",
    paint("bold", "what was done"),
    ...history,
    ...(state === "open" ? ["", ...nextSteps(id, paint)] : []),
  ].join("\n");
}

function recordOf({ recordId, title, repository, url }: PublishedSignal, disputed: string): string {
  const kept = recordId === disputed ? null : `gave way to ${recordId}`;
  return [title ?? "(no title)", repository, url, kept].filter((part) => part !== null).join(", ");
}

function nowOf(now: PublishedSignal, disputed: string): string {
  const under = now.contract === disputed ? "" : `, under ${now.contract}`;
  return `${wordOf(now.state)}${under}, by ${evidenceOf(now)}`;
}

function evidenceOf({ evidence, field }: PublishedSignal): string {
  const seen = Object.entries(evidence).map(([column, value]) => `${column} = ${value}`);
  return `${seen.join(", ")}${field === null ? "" : `, read at ${field}`}`;
}

function byWhom(applicant: Applicant | null): string {
  if (applicant === null) return "(nobody any more)";
  const { name, email, orcid } = applicant;
  return shown([name, email ?? orcid].filter((part) => part !== null).join(", "));
}

function applicantInFull({ applicant, role, claimed }: DisputeDetail): string {
  const speaks = role === "creator" ? "as a creator" : "for the repository, which nobody has checked";
  if (applicant === null) return `somebody who took it back or whose account is gone; ${speaks}`;
  const { id, name, email, orcid } = applicant;
  const known = [name ?? "no name", email ?? "no e-mail address", orcid === null ? "no ORCID iD" : `ORCID ${orcid}`];
  const claims = claimed.length === 0 ? "no approved claim" : `approved claims: ${claimed.join(", ")}`;
  return `${known.join(", ")}; account ${id}; ${speaks}; ${claims}`;
}

function nextSteps(id: string, paint: Paint): string[] {
  return [
    `${paint("dim", "$")} share-release disputes answer ${id} upheld --reason "…"`,
    `${paint("dim", "$")} share-release disputes answer ${id} rejected --reason "…"`,
    `${paint("dim", "$")} share-release disputes answer ${id} source_must_mend --reason "…"`,
  ];
}

function factLines(label: string, text: string, paint: Paint): string[] {
  const [first = "", ...rest] = wrapped(shown(text), WIDTH - LABEL);
  return [`  ${paint("dim", label.padEnd(LABEL - 2))}${first}`, ...rest.map((line) => " ".repeat(LABEL) + line)];
}

function wordOf(state: string): string {
  return state.replaceAll("_", " ");
}

/** To the minute, in UTC. */
function momentOf(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}
