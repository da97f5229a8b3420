/** The web worker of the check page: scores a draft, and renders the result with the views of the server. */

import "./without-eval.ts";
import { buildDeposit, FORM_SOURCE, orcidFaults } from "../pipeline/evaluate/draft-fields.ts";
import type { DraftScore } from "../pipeline/evaluate/evaluation.ts";
import { NoDraft } from "../pipeline/evaluate/evaluation-error.ts";
import { getContractId, readContracts } from "../pipeline/rubrics/contracts.ts";
import { getPublicName } from "../pipeline/sources/pledges.ts";
import type { DraftFields } from "../schemas/public/site/forms.ts";
import { explanationsFor } from "../web/components/terms.ts";
import { html } from "../web/html.ts";
import { localLinks } from "../web/languages/paths.ts";
import { addTexts, followLanguage, isLanguage, t, translateIfKnown } from "../web/languages/translate.ts";
import { draftFile, draftScore, repairedFile } from "../web/views/draft-score.ts";
import { type RepairedDraft, repair } from "./index.ts";

/**
 * A draft that was entered on the page, or a file as text or bytes. If `source` is empty, the format of the file decides.
 */
type Draft =
  | { readonly fields: DraftFields }
  | { readonly file: string | Uint8Array; readonly source: string; readonly fileName: string | null };

/** The properties of the worker's global object that this file uses. */
declare const self: {
  readonly location: { readonly href: string; readonly hash: string };
  onmessage: ((event: { readonly data: Draft }) => void) | null;
  postMessage(message: { readonly status: string; readonly markup: string | null } | null): void;
};

// The page names the module with the texts of its language in the fragment of the worker's URL.
const [, module = "", named] = /^#(texts-([a-z]{2})-[0-9a-f]{16}\.js)$/.exec(self.location.hash) ?? [];
if (isLanguage(named)) {
  const { default: texts } = await import(new URL(module, self.location.href).href);
  addTexts(named, texts);
  followLanguage(() => named);
}

const VERSION = "2.0";
const SIGNALS = readContracts().get(getContractId(VERSION))?.signals ?? [];
const QUESTIONS = new Map(SIGNALS.map(({ id, question }) => [id, question]));

interface ScoredDeposit extends RepairedDraft {
  /** The source that the user selected, if the file has the format of another source; otherwise null. */
  readonly chosen: string | null;
}

async function scored(draft: Draft): Promise<ScoredDeposit> {
  if ("fields" in draft)
    return { ...(await repair(buildDeposit(draft.fields), { source: FORM_SOURCE })), chosen: null };
  const { file, fileName, source } = draft;
  if (source === "") return { ...(await repair(file, { fileName })), chosen: null };
  try {
    return { ...(await repair(file, { source })), chosen: null };
  } catch (error) {
    const found = error instanceof NoDraft ? await repair(file).catch(() => null) : null;
    if (found === null) throw error;
    return { ...found, chosen: source };
  }
}

function formatStatus({ record, improvements }: DraftScore): string {
  if (record.score === null) return t("No score yet: we can judge too few of the 25 signals.");
  const { least, most } = record.range ?? { least: record.score.total, most: record.score.total };
  const [next] = improvements;
  const points = least === most ? String(least) : t`${least} to ${most}`;
  const step =
    next === undefined || next.points === null ? "" : ` ${t`Next: ${t(next.advice[0] ?? "")} (+${next.points})`}`;
  return `${t`${points} of ${record.cap ?? ""} possible points.`}${step}`;
}

self.onmessage = async ({ data }) => {
  try {
    const faults = "fields" in data ? orcidFaults(data.fields) : [];
    const { draft, repaired, chosen } = await scored(data);
    const names = { source: getPublicName(draft.source), chosen: chosen === null ? null : getPublicName(chosen) };
    const warning = faults.length === 0 ? null : html`<p class="warn">Creators: ${faults.join("; ")}.</p>`;
    const fileName = "fields" in data ? null : data.fileName;
    const file = "fields" in data ? draftFile(buildDeposit(data.fields)) : null;
    const result = html`${warning}${repairedFile(repaired, fileName, draft.record)}${draftScore({ draft }, names, QUESTIONS)}${file}`;
    self.postMessage({
      status: formatStatus(draft),
      markup: localLinks(html`${result}${explanationsFor(result)}`.text),
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const status =
      error instanceof NoDraft
        ? t`No score: your text ${translateIfKnown(message)}.`
        : `${t`No score: ${translateIfKnown(message)}`}.`;
    self.postMessage({ status, markup: null });
  }
};

// The page waits for it before it counts the time of a draft.
self.postMessage(null);
