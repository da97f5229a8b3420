/**
 * Reads a draft, the metadata of a dataset that is not published yet. Converts it to the payload that its source would
 * return after publication.
 */

import { hash } from "#hash";
import { type Document, recordsIn, splitPieces } from "../1-harvest/document.ts";
import { jsonFaultIn } from "../1-harvest/json-fault.ts";
import type { Objection } from "../1-harvest/objection.ts";
import { canRead, READER_OF_XML, sourcesThatKnow } from "../1-harvest/recognise.ts";
import { decodeText, withoutMark } from "../files/decode-text.ts";
import { asObject, asText, at } from "../reading/reader.ts";
import type { Source } from "../sources/adapter/source.ts";
import { isCitationFile } from "../sources/datacite/citation-file.ts";
import { schemaOrgIn } from "../sources/datacite/schema-org.ts";
import { SOURCES, sourceNamed } from "../sources/index.ts";
import { getPublicName } from "../sources/pledges.ts";
import { NoDraft } from "./evaluation-error.ts";
import type { ObtainedPayload } from "./obtain.ts";
import { describeOtherAnswer } from "./other-answer.ts";
import { parseFile } from "./parse-file.ts";

/** The id of a draft that does not contain one. */
export const UNNAMED = "draft";

/** Usual names of metadata files, each with the source whose format such a file has. */
const FILE_NAMES: readonly { readonly name: RegExp; readonly source: string }[] = [
  { name: /^\.zenodo\.json$/i, source: "zenodo" },
  { name: /^datacite\.json$/i, source: "datacite" },
  { name: /^dataset_description\.json$/i, source: "openneuro" },
  { name: /^eml\.xml$|\.eml(?:\.xml)?$/i, source: "edi" },
];

/** Returns the source whose metadata files usually have this name; null for other names. A path may precede the name. */
export function sourceOfFileName(path: string): Source | null {
  const fileName = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return sourceNamed(FILE_NAMES.find(({ name }) => name.test(fileName))?.source ?? "");
}

/**
 * Reads a file as metadata for a source, and returns the payload that the source would return after publication.
 * @param chosen the source that the user chose; if null, the format of the file decides
 * @throws NoDraft if the file does not contain exactly one record, clearly belongs to another source, or if it fits no
 * source or several
 */
export async function readDraft(file: Uint8Array, chosen: Source | null): Promise<ObtainedPayload> {
  const known = await parseFile(file, READER_OF_XML);
  const fitting = known.objection === null ? fittingIn(known) : [];
  const names = fitting.map(({ name }) => name);
  const shown = names.map((name) => `${getPublicName(name)} (${name})`).join(" or ");
  const [only = null, ...others] = fitting;
  if (chosen === null && others.length > 0) throw new NoDraft(`fits ${shown}; choose one of these sources`, names);
  const source = chosen ?? only;
  if (source === null) {
    const why =
      known.objection === null
        ? (unsupported(known) ?? describeOtherAnswer(known.document))
        : unreadable(file, known.objection);
    throw why === null
      ? new NoDraft("does not show which repository the dataset belongs to; choose the repository", [])
      : new NoDraft(why);
  }
  const name = getPublicName(source.name);
  if (fitting.length > 0 && !fitting.includes(source)) {
    throw new NoDraft(`is not metadata for ${name}: it fits ${shown}; choose that source`);
  }
  const parsed = known.objection === null && canRead(source, known) ? known : await parseFile(file, source);
  if (parsed.objection !== null) throw new NoDraft(unreadable(file, parsed.objection, ` for ${name}`));
  return buildDraft(parsed, source);
}

/**
 * Returns the sources that find exactly one record in the file; if there are none, the sources that accept the file as
 * a deposit. A source whose format is very general only counts if no other source recognises the file.
 */
function fittingIn(parsed: Document): Source[] {
  const published = sourcesThatKnow(parsed, (source) => recordsIn(parsed, source).records.length === 1);
  if (published.length > 0) return published;
  return SOURCES.filter((source) => canRead(source, parsed) && depositIn(parsed.document, source) !== null);
}

/** A parsed file: a response of the source's API, or metadata in its deposit format. */
type ParsedFile = Omit<Document, "objection">;

/** Makes the payload of a draft. */
export function buildDraft(parsed: ParsedFile, source: Source): ObtainedPayload {
  const { document, bytes, language } = parsed;
  const deposit = depositIn(document, source);
  const { value, text } = deposit === null ? recordIn(parsed, source) : { value: deposit, text: bytes };
  // Sources that read XML store it unchanged.
  const asXml = language === "xml" && (deposit === null || deposit === document);
  const payload = asXml ? decodeText(text) : JSON.stringify(value);
  return {
    ...{ source: source.name, sourceId: source.identify(value) ?? UNNAMED },
    ...{ payload, payloadDigest: hash("sha256", payload), status: 200, retrievedAt: null, isDraft: true },
  };
}

function depositIn(document: unknown, source: Source): unknown {
  return source.readDraft?.(document) ?? null;
}

/** Returns the record of a response. If the response is a list, its only entry is the record. */
function recordIn(parsed: ParsedFile, source: Source): { readonly value: unknown; readonly text: Uint8Array } {
  const shape = source.readShape(parsed.document);
  if (shape.kind === "rejected") throw other(parsed, source, shape.detail);
  const [first, second] = splitPieces(parsed, shape) ?? [];
  if (first === undefined) throw other(parsed, source, "a list without records");
  if (second !== undefined) throw other(parsed, source, "a list of several records; give a file with one of them");
  if (shape.kind !== "record" && source.identify(first.value) === null) {
    throw other(parsed, source, "a list with one entry, which is not a record");
  }
  return first;
}

function other(parsed: ParsedFile, { name }: Source, found: string): NoDraft {
  const expected = `the metadata of one record as ${getPublicName(name)} takes them`;
  return new NoDraft(unsupported(parsed) ?? `is not ${expected}: ${found}`);
}

/**
 * Returns a message for a file in a format that no source reads; null if the format is known but does not show which
 * source the file belongs to.
 */
function unsupported({ document, bytes, language }: ParsedFile): string | null {
  return language === "xml" ? unsupportedText(bytes) : unsupportedDocument(document);
}

/**
 * Explains why a file cannot be parsed as JSON or XML. For JSON, the message contains the line and the column of the
 * error.
 */
function unreadable(file: Uint8Array, { reason, detail }: Objection, by = ""): string {
  const text = withoutMark(file);
  const isJson = /^\s*[[{]/.test(decodeText(text, 0, HEAD));
  const format = isJson ? null : unsupportedText(text);
  if (format !== null) return format;
  const fault = isJson && (reason === "not-json" || reason === "truncated") ? jsonFaultIn(text) : null;
  const place = fault === null ? "" : `line ${fault.line}, column ${fault.column}: ${fault.problem}`;
  return `cannot be read as metadata${by}: ${fault === null ? detail : `JSON with a syntax error at ${place}`}`;
}

/** Advice at the end of messages about an unsupported format: the formats that are supported. */
const INSTEAD =
  "give datacite.json, .zenodo.json, dataset_description.json, CITATION.cff, EML, or RO-Crate, Croissant or schema.org JSON-LD of a dataset";

/** Number of bytes at the start of a file from which its format is recognised. */
const HEAD = 4096;

const TEXTS: readonly { readonly sign: RegExp; readonly is: string }[] = [
  {
    sign: /^@(?:article|book|data|dataset|inproceedings|misc|online|software|techreport)\s*\{/im,
    is: "is BibTeX, a citation",
  },
  { sign: /^TY {2}- /m, is: "is RIS, a citation" },
  { sign: /^@?prefix[ \t]+[\w-]*:[ \t]*</im, is: "is RDF as Turtle" },
  { sign: /<!doctype\s+html|<html[\s>]/i, is: "is an HTML page" },
  { sign: /<(?:\w+:)?M[DI]_Metadata[\s>]/, is: "is ISO 19115 metadata" },
  { sign: /<(?:\w+:)?DIF[\s>]/, is: "is a DIF of GCMD" },
  { sign: /<(?:\w+:)?dc[\s>]/, is: "is Dublin Core" },
  { sign: /<(?:\w+:)?codeBook[\s>]/, is: "is a DDI codebook" },
  { sign: /<(?:\w+:)?rdf:RDF[\s>]/i, is: "is RDF as XML" },
];

/** Returns a message for text in a format that no source reads, such as BibTeX; null if the format is unknown. */
function unsupportedText(bytes: Uint8Array): string | null {
  const head = decodeText(bytes, 0, HEAD);
  const known = TEXTS.find(({ sign }) => sign.test(head));
  return known === undefined ? null : `${known.is} and is not supported: ${INSTEAD}`;
}

/** Returns a message for a document in a format that no source reads; null if the format is unknown. */
function unsupportedDocument(document: unknown): string | null {
  if (isCitationFile(document)) return SOFTWARE_CITATION;
  const described = schemaOrgIn(document);
  if (described?.kind === "unclear") return described.problem;
  if (described?.kind === "other") return described.types.length === 0 ? null : ofTypes(described.types);
  const is = detectFormat(document);
  return is === null ? null : `${is} and is not supported: ${INSTEAD}`;
}

const SOFTWARE_CITATION =
  "describes software, and only datasets have a score: if it describes a dataset, add the line type: dataset, because the default is software";

function ofTypes(types: readonly string[]): string {
  const typeNames = types.slice(0, 3).join(", ").slice(0, 100);
  const isSoftware = types.some((type) => /^Software|^ComputationalWorkflow$/.test(type));
  return `describes ${isSoftware ? "software" : "something else than a dataset"} (${typeNames}), and only datasets have a score`;
}

function detectFormat(document: unknown): string | null {
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
