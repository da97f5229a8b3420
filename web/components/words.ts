/** Words for people: states of signals, the person for a task and its effort, and the basis of an identity. */

import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import type { AdviceFor, Effort } from "../../schemas/public/form.ts";
import type { BucketId, SignalState } from "../../schemas/public/signal.ts";
import { type Html, html } from "../html.ts";

interface StateWords {
  readonly sign: string;
  readonly word: string;
  readonly meaning: string;
  /** How it looks: only what is absent looks like a fault. */
  readonly look: "passed" | "absent" | "none";
}

export const STATE_WORDS: Readonly<Record<SignalState, StateWords>> = {
  passed: { sign: "✓", word: "Yes", meaning: "The deposit has it: four points.", look: "passed" },
  absent: { sign: "✗", word: "No", meaning: "The deposit could have it and does not.", look: "absent" },
  unsupported: {
    sign: "–",
    word: "Not possible here",
    meaning: "This repository has no place for it. It says nothing about the deposit.",
    look: "none",
  },
  source_missing: {
    sign: "?",
    word: "Not known",
    meaning: "The repository did not say. It says nothing about the deposit.",
    look: "none",
  },
  not_evaluable: {
    sign: "?",
    word: "Not known",
    meaning: "It could not be judged from what there is. It says nothing about the deposit.",
    look: "none",
  },
  failed: {
    sign: "?",
    word: "Not known",
    meaning: "What the repository said could not be read. It says nothing about the deposit.",
    look: "none",
  },
};

export const JOB_WORDS: Readonly<Record<AdviceFor, string>> = {
  depositor: "Yours to do",
  repository: "For the repository to do",
  "data centre": "For the data centre to do",
};

export const EFFORT_WORDS: Readonly<Record<Effort, string>> = {
  record: "edit the record, no new version needed",
  version: "needs a new version of the dataset",
  files: "needs new files",
};

/** Least effort first. */
export const EFFORT_ORDER: readonly (Effort | null)[] = ["record", "version", "files", null];

export const BUCKET_NAMES: Readonly<Record<BucketId, string>> = {
  S: "Stewardship",
  H: "Harmonization",
  A: "Access",
  R: "Reusability",
  E: "Engagement",
};

export const BASIS_WORDS: Readonly<Record<ResearcherRow["identityBasis"], string>> = {
  orcid: "Known by an ORCID iD",
  name_affiliation: "Known by name and institution: two people of the same name there would be one",
  name: "Known by a name within one dataset: one person can be several of these",
};

/** Whether a source has room for something, and where or why not: one cell, so that a phone shows both. */
export function yesOrNo(supported: boolean, words: string): Html {
  return html`<strong>${supported ? "Yes." : "No."}</strong> ${words}`;
}
