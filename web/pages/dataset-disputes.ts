/** The signals of one dataset that were said to be wrong, and what was answered: without who said it. */

import type { RecordDisputes } from "../../schemas/public/api/record-disputes.ts";
import type { View } from "../components/document.ts";
import { when } from "../components/figures.ts";
import { pager, underVersion } from "../components/navigation.ts";
import { STATE_WORDS } from "../components/words.ts";
import { type Html, html } from "../html.ts";
import { corrected } from "../parts/disputes/corrected.ts";
import { DISPUTE_WORDS, TRUTH_WORDS } from "../parts/disputes/dispute-words.ts";
import { mendedIn } from "../parts/disputes/mended-in.ts";
import type { StillThere } from "../parts/disputes/still-there.ts";

export interface DatasetDisputesPage {
  readonly title: string;
  readonly disputes: RecordDisputes;
  readonly there: StillThere;
}

type Answered = RecordDisputes["data"][number];

export function datasetDisputesView({ title, disputes, there }: DatasetDisputesPage): View {
  const { recordId, data, pagination } = disputes;
  const path = `/datasets/${recordId}`;
  return {
    title: `Disputed signals: ${title}`,
    description: "Signals of this dataset that were said to be wrong, and what was answered.",
    twin: `/records/${recordId}/disputes`,
    unlisted: true,
    body: html`<p class="crumbs"><a href="/datasets">Datasets</a> › <a href="${path}" dir="auto">${title}</a></p>
<h1>Signals that were said to be wrong</h1>
<p>Those who deposit data, and repositories, can say that a signal is wrong. Somebody looks at what shows it, and answers. No answer changes a score: what was judged wrongly is mended in how signals are read, and shows in a later release.</p>
${data.length === 0 ? html`<p>Nothing of this dataset was answered so far.</p>` : data.map((dispute) => answered(dispute, there))}${pager(`${path}/disputes`, {}, pagination)}
<div class="actions"><a class="button quiet" rel="nofollow" href="/me/disputes?record=${recordId}">Say that a signal is wrong</a></div>`,
  };
}

function answered(dispute: Answered, there: StillThere): Html {
  const { signal, publishedState, release, says, state, answer, answeredAt, correctedAt } = dispute;
  const { sign, word } = STATE_WORDS[publishedState];
  const mended =
    dispute.mendedIn === null ? null : html`<dt>Mended</dt><dd>in release ${mendedIn(dispute.mendedIn, there)}</dd>`;
  return html`<h2>${signal}: ${DISPUTE_WORDS[state]}</h2>
<dl class="facts"><dt>Answer</dt><dd dir="auto">${answer}</dd><dt>Answered</dt><dd>${when(answeredAt)}</dd>${correctedAt === null ? null : html`<dt>Corrected</dt><dd>${corrected(correctedAt)}</dd>`}<dt>Said</dt><dd>${TRUTH_WORDS[says]}</dd><dt>Published</dt><dd>${sign} ${word}, in release ${release.scoreReleaseVersion}, ${contractOf(dispute, there)}</dd>${mended}</dl>`;
}

/** What a signal is under a contract that the release has no pages of, the contract itself says. */
function contractOf({ signal, contract }: Answered, { versions }: StillThere): Html {
  const version = versions.get(contract);
  return version === undefined
    ? html`under <a href="/rubrics/${contract}">${contract}</a>, of which the current release has no pages`
    : html`under ${contract}; <a href="${underVersion(`/signals/${signal}`, version)}">about ${signal}</a>`;
}
