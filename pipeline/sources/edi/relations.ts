/** Works an EDI package cites, articles about it, the data it was made from, and the software it names. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { doiOf, webUrlOf } from "../../reading/identifiers.ts";
import { identifiedIn } from "../../reading/pid-in-text.ts";
import { asText, type Reader } from "../../reading/reader.ts";
import { countRelations, type StatedRelation } from "../../reading/relations.ts";
import { xmlTextOf } from "../../reading/xml-text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import { allAt, elementsOf } from "./elements.ts";

/** `recent`: the document is of EML 2.2, which brought cited literature and reference publications. */
export function relationEvidence(reader: Reader, recent: boolean, vocabularies: Vocabularies): Partial<Evidence> {
  const cited = citedWorks(reader);
  const articles = elementsOf(reader, "referencePublication", ["publication_link_count", "related_identifier_count"]);
  const usages = elementsOf(reader, "usageCitation", ["related_identifier_count"]);
  const steps = elementsOf(reader, "methods", [
    "data_link_count",
    "linked_code_count",
    "related_identifier_count",
  ]).flatMap((methods) => allAt(methods, "methodStep"));
  const sources = steps.flatMap((step) => allAt(step, "dataSource"));
  const software = steps.flatMap((step) => [...allAt(step, "software"), ...allAt(step, "subStep", "software")]);
  const {
    derivative_count: _,
    version: __,
    ...counts
  } = countRelations(
    [
      ...articles.flatMap((article) => related(article, "IsDocumentedBy", "JournalArticle")),
      // The work uses the data; what kind of work it is has no element.
      ...usages.flatMap((usage) => related(usage, "Other", "Other")),
      ...sources.flatMap((source) => related(source, "IsDerivedFrom", "Dataset")),
      ...software.flatMap((program) => related(program, "", "Software")),
      ...codeAddresses(reader, vocabularies),
    ],
    vocabularies,
  );
  const identified = identifiedIn(cited, vocabularies);
  const known = (count: number) => (count > 0 || recent ? count : null);
  return {
    ...counts,
    // A source without an address is a dataset all the same.
    data_link_count: Math.max(counts.data_link_count, sources.length),
    reference_count: known(cited.length),
    reference_pid_count: known(identified),
    publication_link_count: known(counts.publication_link_count),
    related_identifier_count: known(counts.related_identifier_count + identified),
  };
}

/** One text a work: a citation element's, or an entry of BibTeX. */
function citedWorks(reader: Reader): string[] {
  const literature = elementsOf(reader, "literatureCited", [
    "reference_count",
    "reference_pid_count",
    "related_identifier_count",
  ]);
  const entries = literature.flatMap((list) => allAt(list, "bibtex")).flatMap((text) => entriesOf(xmlTextOf(text)));
  const elements = literature
    .flatMap((list) => allAt(list, "citation"))
    .flatMap((citation) => {
      const nested = allAt(citation, "bibtex");
      return nested.length > 0 ? nested.flatMap((text) => entriesOf(xmlTextOf(text))) : [xmlTextOf(citation) ?? ""];
    });
  return [...entries, ...elements].filter((text) => text !== "");
}

function entriesOf(bibtex: string | null): string[] {
  return (bibtex ?? "").split(/(?=@\w+\s*\{)/).filter((entry) => entry.startsWith("@"));
}

/** The first identifier of the element: its DOI, an alternate identifier, or an address it is given out at. */
function related(element: unknown, type: string, relatedType: string): StatedRelation[] {
  const stated = [
    ...allAt(element, "DOI"),
    ...allAt(element, "alternateIdentifier"),
    ...allAt(element, "distribution", "online", "url"),
    ...allAt(element, "implementation", "distribution", "online", "url"),
    ...allAt(element, "bibtex").map((text) => /\b10\.\d{4,9}\/[^\s{},"]+/.exec(xmlTextOf(text) ?? "")?.[0]),
  ].map((identifier) => asText(identifier) ?? xmlTextOf(identifier));
  const identifier = stated.find((text) => doiOf(text) !== null || webUrlOf(text) !== null);
  return identifier === undefined || identifier === null
    ? []
    : [{ type, relatedType, identifier, identifierType: null }];
}

/** Addresses on source-code hosts at which the package says more can be had. */
function codeAddresses(reader: Reader, vocabularies: Vocabularies): StatedRelation[] {
  const addresses = allAt(reader.raw("distribution"), "online", "url").map(xmlTextOf);
  return addresses.flatMap((identifier) => {
    if (identifier === null || webUrlOf(identifier) === null) return [];
    if (!vocabularies.codeHosts.isCodeHost(identifier)) return [];
    return [{ type: "", relatedType: "Software", identifier, identifierType: "URL" }];
  });
}
