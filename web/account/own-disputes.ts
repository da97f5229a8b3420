/** The signals that somebody says are wrong, on their own page: what they wrote, and what was answered. */

import type { AccountPage } from "../../schemas/public/account/me.ts";
import { when } from "../components/figures.ts";
import { press } from "../components/forms.ts";
import { pager, underVersion } from "../components/navigation.ts";
import { type Html, html } from "../html.ts";
import { corrected } from "../parts/disputes/corrected.ts";
import { DISPUTE_WORDS, TRUTH_WORDS } from "../parts/disputes/dispute-words.ts";
import { mendedIn } from "../parts/disputes/mended-in.ts";
import type { StillThere } from "../parts/disputes/still-there.ts";

type Own = AccountPage["disputes"];

export function ownDisputes({ data, pagination }: Own, there: StillThere): Html | null {
  if (pagination.total === 0) return null;
  return html`<h2 id="disputes">Signals you say are wrong</h2>${data.map((dispute) => one(dispute, there))}${pager("/me", {}, pagination, { name: "disputed", anchor: "disputes" })}`;
}

function one(dispute: Own["data"][number], there: StillThere): Html {
  const { id, signal, says, evidence, evidenceUrl, statement, state, answer, createdAt } = dispute;
  const fact = (name: string, value: Html | string | null) =>
    value === null ? null : html`<dt>${name}</dt><dd dir="auto">${value}</dd>`;
  return html`<div class="dispute"><h3>${signal} of ${recordOf(dispute, there)}</h3>
<dl class="facts">${[
    fact(
      "State",
      html`${DISPUTE_WORDS[state]}${dispute.answeredAt === null ? null : html`, ${when(dispute.answeredAt)}`}`,
    ),
    fact("Answer", answer),
    fact("Corrected", dispute.correctedAt === null ? null : corrected(dispute.correctedAt)),
    fact("Mended", dispute.mendedIn === null ? null : html`in release ${mendedIn(dispute.mendedIn, there)}`),
    fact("You said", html`${TRUTH_WORDS[says]}, ${when(createdAt)}`),
    fact("Shown by", evidenceUrl === null ? null : addressLink(evidenceUrl)),
    fact("In words", evidence),
    fact("Besides", statement),
  ]}</dl><p>${press("/me", { do: "withdraw-dispute", id }, "Take back")}</p></div>`;
}

/** The signal on the page of the record, where the release still has both. */
function recordOf({ recordId, record, signal, contract }: Own["data"][number], { versions }: StillThere): Html {
  if (record === null) return html`${recordId}, which the current release does not list`;
  const version = versions.get(contract);
  const page = `/datasets/${record.id}`;
  const at = version === undefined ? page : underVersion(`${page}#${signal}`, version);
  return html`<a href="${at}" dir="auto">${record.title ?? record.id}</a>`;
}

/** An address that somebody typed: nobody vouches for it, and it learns nothing of who follows it. */
function addressLink(address: string): Html {
  return html`<a href="${address}" rel="nofollow ugc noopener noreferrer external">${address}</a>`;
}
