/** OpenNeuro's terms, README, ethics approvals, licence and funding as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { countDistinct } from "../../reading/distinct.ts";
import { readLicence } from "../../reading/licence.ts";
import { asText, type Reader } from "../../reading/reader.ts";
import { countTerms } from "../../reading/terms.ts";
import { cleanText } from "../../reading/text.ts";
import { textLength } from "../../reading/text-length.ts";
import { before } from "../../vocabularies/ends.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { foldSpace } from "../../vocabularies/keys.ts";

/** The parts of a dataset's answer that hold texts. */
export interface Parts {
  readonly description: Reader;
  readonly metadata: Reader;
  readonly snapshot: Reader;
  readonly summary: Reader;
}

export function textEvidence(parts: Parts, vocabularies: Vocabularies): Partial<Evidence> {
  return {
    keyword_count: terms(parts, vocabularies),
    ethics_length: ethics(parts, vocabularies),
    description_length: textLength(parts.snapshot.text("readme", ["description_length"]), vocabularies),
    ...licence(parts.description, vocabularies),
    ...funding(parts, vocabularies),
  };
}

/** Keywords of the description, and by what OpenNeuro finds a dataset: modality, task, species and domain of the study. */
function terms({ description, metadata, summary }: Parts, vocabularies: Vocabularies): number | null {
  const lists = [
    description.list("Keywords", ["keyword_count"]),
    summary.list("modalities", ["keyword_count"]),
    summary.list("tasks", ["keyword_count"]),
    metadata.list("modalities", ["keyword_count"]),
    metadata.list("tasksCompleted", ["keyword_count"]),
  ];
  const texts = ["species", "studyDomain"].map((key) => metadata.text(key, ["keyword_count"]));
  if ([...lists, ...texts].every((part) => part === null)) return null;
  return countTerms([...lists.flatMap((list) => list ?? []).map(asText), ...texts], vocabularies);
}

/** Approvals in words, or the uploader's word that those who took part consented. */
function ethics({ description, metadata }: Parts, vocabularies: Vocabularies): number | null {
  const approvals = description.list("EthicsApprovals", ["ethics_length"]);
  const lengths = (approvals ?? []).map((text) => textLength(asText(text), vocabularies) ?? 0);
  const consent = metadata.raw("affirmedConsent");
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total > 0) return total;
  return consent === true ? 1 : approvals === null ? null : 0;
}

/** How OpenfMRI, and OpenNeuro after it, put the licence into a sentence. */
const SENTENCE = /^this dataset is made available under (?:the )?/i;
const WHERE = ", whose full text can be found at ";

/** Licence and address of such a sentence; nothing of any other text. */
function licenceInSentence(text: string): readonly string[] {
  const opening = SENTENCE.exec(text)?.[0];
  if (opening === undefined) return [];
  const rest = text.slice(opening.length);
  const index = rest.toLowerCase().indexOf(WHERE);
  const address = index < 1 ? "" : before(rest.slice(index + WHERE.length), " ");
  return address === "" ? [rest.replace(/\.$/, "")] : [rest.slice(0, index), address.replace(/\.$/, "")];
}

function licence(description: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const columns = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;
  const stated = description.text("License", columns);
  if (stated === null) return {};
  // Line ends came escaped once too often.
  const text = foldSpace(cleanText(stated.replaceAll("\\n", " ")));
  if (text === "" || vocabularies.placeholders.isPlaceholder(text, "any")) return readLicence([], vocabularies);
  const spellings = [text, ...licenceInSentence(text)];
  return readLicence([{ text, spellings }], vocabularies);
}

/** Funding in lines of text, and one funder and grant in the form. */
function funding({ description, metadata }: Parts, vocabularies: Vocabularies): Partial<Evidence> {
  const lines = description.list("Funding", ["funder_count"]);
  const funder = metadata.text("grantFunderName", ["funder_count"]);
  const grant = metadata.text("grantIdentifier", ["award_count"]);
  const funders = countDistinct([...(lines ?? []).map(asText), funder], vocabularies);
  return {
    funder_count: lines === null && funder === null ? null : funders,
    award_count: grant === null ? null : countDistinct([grant], vocabularies),
  };
}
