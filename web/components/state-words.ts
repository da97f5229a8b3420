/** Words on the site for states of signals, tasks, efforts, buckets and the basis of an identity. */

import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import type { BucketId, SignalState } from "../../schemas/public/signal.ts";
import { foldLabel } from "../../schemas/public/spelling.ts";
import { type Html, html } from "../html.ts";
import { sign, t } from "../languages/translate.ts";

interface StateWords {
  readonly sign: string;
  readonly word: string;
  readonly meaning: string;
  /** The CSS class. Only `absent` looks like a fault. */
  readonly look: "passed" | "absent" | "none";
}

export const STATE_WORDS: Readonly<Record<SignalState, StateWords>> = {
  passed: { sign: "✓", word: "Yes", meaning: "The dataset passes: four points.", look: "passed" },
  absent: {
    sign: "✗",
    word: "No",
    meaning: "This is possible in the repository but missing in the dataset.",
    look: "absent",
  },
  unsupported: {
    sign: "–",
    word: "Not possible here",
    meaning:
      "The source of the metadata has no field for it, so no dataset read through it gets these points. This is not a fault of the dataset.",
    look: "none",
  },
  source_missing: {
    sign: "?",
    word: "Not known",
    meaning: "The repository did not publish it. This is not a fault of the dataset.",
    look: "none",
  },
  not_evaluable: {
    sign: "?",
    word: "Not known",
    meaning: "The metadata are not sufficient to judge it. This is not a fault of the dataset.",
    look: "none",
  },
  failed: {
    sign: "?",
    word: "Not known",
    meaning: "We could not read the metadata of the repository. This is not a fault of the dataset.",
    look: "none",
  },
};

/** Returns the text with a capital letter, as a sentence or a heading begins. */
export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export const JOB_WORDS: Readonly<Record<AdviceFor, string>> = {
  depositor: "Yours to do",
  repository: "For the repository to do",
  "data centre": "For the data centre to do",
};

export const EFFORT_WORDS: Readonly<Record<Effort, string>> = {
  record: "edit the record; no new version is needed",
  version: "publish a new version of the dataset",
  files: "publish new files",
};

/** The kinds of effort, from the least to the greatest. */
export const EFFORT_ORDER: readonly (Effort | null)[] = ["record", "version", "files", null];

export const BUCKET_NAMES: Readonly<Record<BucketId, string>> = {
  S: "Stewardship",
  H: "Harmonization",
  A: "Access",
  R: "Reusability",
  E: "Engagement",
};

/** Words for states of access that sources write as codes: whether a clinical trial plans to share individual data. */
export const ACCESS_WORDS: Readonly<Record<string, string>> = {
  yes: "individual data will be shared",
  no: "individual data will not be shared",
  undecided: "sharing of individual data is undecided",
};

/**
 * Returns the words for a state of access. A term such as `info:eu-repo/semantics/openAccess` becomes the word that
 * other sources use, such as `open`.
 */
export function accessWords(status: string): string {
  const folded = foldLabel(status);
  const words = ACCESS_WORDS[folded];
  return words === undefined ? (folded === status.toLowerCase() ? status : folded) : t(words);
}

export const BASIS_WORDS: Readonly<Record<ResearcherRow["identityBasis"], string>> = {
  orcid: "Identified by an ORCID iD",
  name_affiliation: "Identified by name and institution: two people with the same name there appear as one",
  name: "Identified by name in one dataset: one person can appear several times",
};

/** Explains who decides on the claim of a researcher's page. `hasOrcid` is true if users can sign in with ORCID. */
export function claimRule(hasOrcid: boolean): string {
  return t(
    hasOrcid
      ? "If you sign in with the ORCID iD of that page, your claim is approved immediately. Otherwise a moderator decides."
      : "A moderator then decides.",
  );
}

/** Returns yes or no and an explanation in one cell, so that a phone shows both. Field names are shown as code. */
export function yesOrNo(supported: boolean, words: string): Html {
  return html`<strong>${t(supported ? "Yes." : "No.")}</strong>${sign(" ")}${renderWords(words)}`;
}

/** Omits the remark that the label in the form is not known, which is for the maintainers of a source. */
export function withoutRemark(words: string): string {
  return words.replace(t("The form's label for it is unknown."), "").trimEnd();
}

/** Returns a text about a signal in a source, with code between backticks. */
export function renderWords(words: string): Html {
  const parts = withoutRemark(t(words)).split("`");
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
