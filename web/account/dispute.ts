/** The form by which somebody says that a signal is wrong, beside what the release says of it. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import type { DisputeForm } from "../../schemas/public/site/forms.ts";
import type { View } from "../components/document.ts";
import { area, choice, field } from "../components/forms.ts";
import { underVersion } from "../components/navigation.ts";
import { refusal } from "../components/refusal.ts";
import { STATE_WORDS } from "../components/words.ts";
import { type Html, html } from "../html.ts";
import { TRUTH_WORDS } from "../parts/disputes/dispute-words.ts";

export interface DisputePage {
  readonly record: Pick<RecordDetail, "id" | "title" | "doi" | "identifier" | "signals">;
  readonly version: PublicVersion;
  /** The fields as they were asked for or typed. */
  readonly typed: DisputeForm;
  /** The problem with the form that was sent; null where there is none. */
  readonly refused: Problem | null;
}

export function disputeView({ record, version, typed, refused }: DisputePage): View {
  const title = record.title ?? record.doi ?? record.identifier;
  const words = "Is a signal wrong?";
  return {
    title: refused === null ? words : `Error: ${words}`,
    description: "Say that a signal of a dataset is wrong, and what shows it.",
    unlisted: true,
    body: html`<p class="crumbs"><a href="/datasets">Datasets</a> › <a href="${underVersion(`/datasets/${record.id}`, version)}" dir="auto">${title}</a></p>
<h1>${words}</h1>
${refused === null ? null : refusal(refused)}
${published(record, typed.signal)}
<p>Somebody looks at what you say, and answers. No answer changes a score: what was judged wrongly is mended in how signals are read, and what the repository publishes wrongly has to be mended there. Beside the dataset stands what was answered, never your name or your words.</p>
<form method="post" action="/me/disputes"><input type="hidden" name="recordId" value="${record.id}">${version === PUBLIC_VERSIONS[0] ? null : html`<input type="hidden" name="rubricVersion" value="${version}">`}
<p>${choice({ name: "signal", label: "Signal", value: typed.signal }, [
      TO_CHOOSE,
      ...record.signals.map(({ id, name, state }) => [id, `${id} ${name}: ${STATE_WORDS[state].word}`] as const),
    ])}</p>
<p>${choice({ name: "says", label: "What is true", value: typed.says }, [TO_CHOOSE, ...Object.entries(TRUTH_WORDS)])}</p>
<p>${choice({ name: "role", label: "You speak", value: typed.role }, [
      TO_CHOOSE,
      ["creator", "as one of its creators, whose page you have claimed"],
      ["repository", "for its repository"],
    ])}</p>
<p>${field({ name: "evidenceUrl", label: "A page that shows it", hint: "Its address, with https:// or http://", type: "url", value: typed.evidenceUrl })}</p>
<p>${area({ name: "evidence", label: "What shows it, in words", hint: "This, or the address of a page; at most 2,000 characters", value: typed.evidence })}</p>
<p>${field({ name: "statement", label: "More for who looks at it", hint: "If you speak for the repository: how that can be checked", value: typed.statement })}</p>
<p><button>Say that it is wrong</button></p></form>`,
  };
}

/** The first of each list: nothing is chosen for who fills it in. */
const TO_CHOOSE = ["", "Choose one"] as const;

/** What was found, so that one sees what to speak against. */
function published({ signals }: DisputePage["record"], id: string): Html | null {
  const signal = signals.find((each) => each.id === id);
  if (signal === undefined) return null;
  const { sign, word, meaning, look } = STATE_WORDS[signal.state];
  return html`<p><span class="state ${look}">${sign} ${word}</span> <strong>${signal.id} ${signal.name}</strong>. ${meaning}${
    signal.field === null ? null : html` Read from <code>${signal.field}</code>.`
  }</p>`;
}
