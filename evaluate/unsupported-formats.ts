/** Formats of metadata that people have beside their data and that are not read here, each called by its name. */

import { asObject, asText, at } from "../pipeline/reading/reader.ts";
import { schemaOrgIn } from "../pipeline/sources/datacite/schema-org.ts";

/** The advice that ends each message. */
const INSTEAD =
  "give datacite.json, .zenodo.json, dataset_description.json, EML, or RO-Crate, Croissant or schema.org JSON-LD of a dataset";

/** How much of a text is looked at. */
const HEAD = 4096;

const TEXTS: readonly { readonly sign: RegExp; readonly is: string }[] = [
  { sign: /^cff-version\s*:/m, is: "is CITATION.cff, which describes software" },
  {
    sign: /^@(?:article|book|data|dataset|inproceedings|misc|online|software|techreport)\s*\{/im,
    is: "is BibTeX, a citation",
  },
  { sign: /^TY {2}- /m, is: "is RIS, a citation" },
  { sign: /^\s*@?prefix\s+[\w-]*:\s*</im, is: "is RDF as Turtle" },
  { sign: /<!doctype\s+html|<html[\s>]/i, is: "is an HTML page" },
  { sign: /<(?:\w+:)?M[DI]_Metadata[\s>]/, is: "is ISO 19115 metadata" },
  { sign: /<(?:\w+:)?DIF[\s>]/, is: "is a DIF of GCMD" },
  { sign: /<(?:\w+:)?dc[\s>]/, is: "is Dublin Core" },
  { sign: /<(?:\w+:)?codeBook[\s>]/, is: "is a DDI codebook" },
  { sign: /<(?:\w+:)?rdf:RDF[\s>]/i, is: "is RDF as XML" },
];

/** Names the format of a text that no source reads; null if the format is unknown. */
export function unsupportedText(bytes: Buffer): string | null {
  const head = bytes.toString("utf8", 0, HEAD);
  const known = TEXTS.find(({ sign }) => sign.test(head));
  return known === undefined ? null : `${known.is} and is not supported: ${INSTEAD}`;
}

/** Names the format of a document that no source reads; null if the format is unknown. */
export function unsupportedDocument(document: unknown): string | null {
  const described = schemaOrgIn(document);
  if (described?.kind === "unclear") return described.problem;
  if (described?.kind === "other") return described.types.length === 0 ? null : ofTypes(described.types);
  const is = formatOf(document);
  return is === null ? null : `${is} and is not supported: ${INSTEAD}`;
}

function ofTypes(types: readonly string[]): string {
  const shown = types.slice(0, 3).join(", ").slice(0, 100);
  const isSoftware = types.some((type) => /^Software|^ComputationalWorkflow$/.test(type));
  return `describes ${isSoftware ? "software" : "something else than a dataset"} (${shown}), and only datasets have a score`;
}

function formatOf(document: unknown): string | null {
  const stated = (key: string) => at(document, key) !== undefined;
  if (["dependencies", "devDependencies", "scripts"].some(stated) && stated("name")) {
    return "is package.json, which describes software";
  }
  if (Array.isArray(at(document, "resources")) && stated("name")) return "is a data package of Frictionless";
  const [citation] = Array.isArray(document) ? document : [document];
  const dated = asObject(at(citation, "issued"));
  if (dated !== null && asText(at(citation, "type")) !== null) return "is CSL JSON, a citation";
  return null;
}
