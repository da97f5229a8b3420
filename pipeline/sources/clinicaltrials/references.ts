/** A study's references and links to shared data as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { isIdentifier } from "../../reading/identifiers.ts";
import { counted } from "../../reading/normalised.ts";
import { asText, at, firstText } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { Study } from "./normalise.ts";

/** References typed RESULT or DERIVED are articles from the trial; BACKGROUND ones are works it cites. */
const PUBLICATION_TYPES = new Set(["RESULT", "DERIVED"]);

export function referenceEvidence(study: Study, vocabularies: Vocabularies): Partial<Evidence> {
  const module = study.module("protocolSection", "referencesModule");
  const references = module.list("references", [
    "reference_count",
    "reference_pid_count",
    "publication_link_count",
    "related_identifier_count",
  ]);
  const shared = module.list("availIpds", ["data_link_count", "related_identifier_count"]);
  const stated = (references ?? []).filter((entry) => firstText(at(entry, "pmid"), at(entry, "citation")) !== null);
  const withPid = stated.filter((entry) => isIdentifier(asText(at(entry, "pmid")), "pmid"));
  for (const entry of stated.filter((each) => !withPid.includes(each)))
    vocabularies.noteUnidentified?.(firstText(at(entry, "citation"), at(entry, "pmid")) ?? "");
  const articles = stated.filter((entry) => PUBLICATION_TYPES.has(asText(at(entry, "type")) ?? ""));
  const data = (shared ?? []).filter((entry) => {
    const id = firstText(at(entry, "id"), at(entry, "url"));
    return id !== null && !vocabularies.placeholders.isPlaceholder(id, "any");
  });
  return {
    ...(references === null
      ? {}
      : {
          reference_count: stated.length,
          reference_pid_count: withPid.length,
          publication_link_count: articles.length,
        }),
    data_link_count: shared === null ? null : data.length,
    related_identifier_count: counted(withPid.length + data.length, [references, shared]),
  };
}
