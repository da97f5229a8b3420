/**
 * Parses an identifier that a user entered: as a DOI, as a record of a source, or as an error with a reason (decisions.md,
 * "Evaluation").
 */

import { hash } from "#hash";
import { countCodePoints, HIDDEN_CHARACTER, MAX_IDENTIFIER_LENGTH } from "../schemas/public/text.ts";
import { readDoi } from "./reading/identifiers.ts";
import type { Source } from "./sources/adapter/source.ts";
import { SOURCES, sourceNamed } from "./sources/index.ts";

export type Identifier =
  | { readonly kind: "doi"; readonly doi: string }
  | { readonly kind: "record"; readonly source: string; readonly sourceId: string };

/**
 * Explains why a text cannot be used: it is an identifier, but none of our sources contains it (`unsupported`), or it
 * is not an identifier at all (`malformed`).
 */
export interface IdentifierRejection {
  readonly kind: "rejected";
  readonly rejection: "malformed" | "unsupported";
  readonly reason: string;
  /** The reason without advice for users of the API, for forms that give their own. */
  readonly fault: string;
}

const QUALIFIED = /^([a-z][a-z0-9_]{0,39})\/(\S.*)$/i;
/**
 * Matches an id after the name of a service, such as `dans/123`. The name has at least two letters, so that "n/a" does not
 * match.
 */
const OF_A_SERVICE = /^([a-z][a-z0-9_-]{1,39})\/\S+$/i;
/**
 * Matches a compact identifier of identifiers.org, such as PDB:1ABC. The part after the colon begins with a letter or digit
 * and has no brackets or commas, so that scripts and URLs do not match.
 */
const COMPACT = /^(?!doi:)([a-z][a-z0-9._-]{1,39}):([a-z0-9][\w.:/~+-]*)$/i;
/** Matches the URL of identifiers.org, which resolves compact identifiers. */
const COMPACT_RESOLVER = /^https?:\/\/(?:www\.)?identifiers\.org\/(?=\S)/i;

/** Parses one identifier in any spelling. Does not send a request. */
export function parseIdentifier(text: string): Identifier | IdentifierRejection {
  if (countCodePoints(text) > MAX_IDENTIFIER_LENGTH)
    return malformed(`an identifier has at most ${MAX_IDENTIFIER_LENGTH} characters`);
  const objection = objectionTo(text.trim());
  if (objection !== null) return malformed(objection);
  const cleaned = unwrap(text);
  return (
    parseQualified(cleaned) ?? parseForSource(cleaned) ?? bareDoi(cleaned) ?? parseCompact(cleaned) ?? reject(cleaned)
  );
}

/** Returns an identifier as text: `<source>/<source-id>`, or `doi:10.…`. */
export function identifierKey(identifier: Identifier): string {
  return identifier.kind === "doi" ? `doi:${identifier.doi}` : `${identifier.source}/${identifier.sourceId}`;
}

/** Removes brackets or quotes around pasted text, and the URL of identifiers.org before a compact identifier. */
function unwrap(text: string): string {
  const trimmed = text.trim();
  const bare = /^<([^<>]*)>$/.exec(trimmed)?.[1]?.trim() ?? /^["'“”](.*)["'“”]$/.exec(trimmed)?.[1]?.trim() ?? trimmed;
  return bare.replace(COMPACT_RESOLVER, "");
}

function objectionTo(text: string): string | null {
  if (text === "") return "the identifier is empty";
  const hidden = HIDDEN_CHARACTER.exec(text)?.[0].codePointAt(0);
  if (hidden !== undefined) {
    const code = hidden.toString(16).toUpperCase().padStart(4, "0");
    return `the identifier contains an invisible character (U+${code}); type it instead of pasting it`;
  }
  if (/^https?:\/\/\S*\s/i.test(text)) return "a URL has no white space; enter only the URL";
  return null;
}

/** Parses `<source>/<source-id>`. Uses the source in the text, even if another source would be preferred. */
function parseQualified(text: string): Identifier | IdentifierRejection | null {
  const [, name = "", id = ""] = QUALIFIED.exec(text) ?? [];
  const source = sourceNamed(name.toLowerCase());
  return source === null ? null : findRecord(source, id);
}

/** Returns the record of `source` with this id, or the reason why the id is not valid. */
export function findRecord(source: Source, id: string): Identifier | IdentifierRejection {
  const spelling = doiIn(id.trim()) ?? id.trim();
  const found = source.canonicalId?.(spelling) ?? source.readSourceId(spelling);
  if (found === null)
    return malformed(
      `"${abbreviate(spelling)}" cannot be an id of ${source.name}; an id is, for example, ${source.example}`,
    );
  return { kind: "record", source: source.name, sourceId: found };
}

/**
 * Parses an accession, a landing page, or a DOI whose form shows its source. Skips DOI registries, because they do not
 * store datasets themselves.
 */
function parseForSource(text: string): Identifier | null {
  const spelling = doiIn(text) ?? text;
  for (const source of SOURCES) {
    const sourceId = source.heldBy === undefined ? source.readSourceId(spelling) : null;
    if (sourceId === null) continue;
    if (isElsewhere(source, spelling)) return bareDoi(sourceId);
    return { kind: "record", source: source.name, sourceId };
  }
  return null;
}

/** True for a page of the same software on another host, such as another Dataverse. Its URL can still contain a DOI. */
function isElsewhere(source: Source, text: string): boolean {
  if (source.installations !== true || !/^https?:/i.test(text) || !URL.canParse(text)) return false;
  return !source.hosts.includes(new URL(text).hostname);
}

/** Parses a compact identifier whose prefix or accession belongs to one of our sources, such as `geo:GSE12`. */
function parseCompact(text: string): Identifier | IdentifierRejection | null {
  const [, prefix = "", accession = ""] = COMPACT.exec(text) ?? [];
  const source = sourceNamed(prefix.toLowerCase());
  return source === null ? parseForSource(accession) : findRecord(source, accession);
}

function bareDoi(text: string): Identifier | null {
  const doi = doiIn(text);
  return doi === null ? null : { kind: "doi", doi };
}

function reject(text: string): IdentifierRejection {
  const service = findService(text);
  if (service !== null) {
    return unsupported(
      `"${abbreviate(text)}" is an identifier of ${service}, which is not a source; if the data have a DOI, use that`,
    );
  }
  const name = (OF_A_SERVICE.exec(text) ?? COMPACT.exec(text))?.[1];
  if (name !== undefined) {
    const sources = SOURCES.map((source) => source.name).join(", ");
    return unsupported(`there is no source called "${name}"; the sources are ${sources}`);
  }
  const fault = nearMiss(text);
  const advice = "use a DOI, an accession such as NCT01234567, <source>/<id>, or a landing page";
  return { ...malformed(fault), reason: `${fault}; ${advice}` };
}

function nearMiss(text: string): string {
  if (/^(?:doi:|https?:\/\/(?:dx\.|www\.)?doi\.org\/)?\s*10\./i.test(text)) {
    return `"${abbreviate(text)}" is not a complete DOI: 10. is followed by four to nine digits, a slash and a suffix without spaces`;
  }
  if (/^https?:\/\//i.test(text)) return `"${abbreviate(text)}" is not a landing page of a source`;
  return `"${abbreviate(text)}" is not a known identifier`;
}

function unsupported(reason: string): IdentifierRejection {
  return { kind: "rejected", rejection: "unsupported", reason, fault: reason };
}

function malformed(reason: string): IdentifierRejection {
  return { kind: "rejected", rejection: "malformed", reason, fault: reason };
}

function abbreviate(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

interface IdentifierForm {
  /** Name of the service for the message "an identifier of …". */
  readonly service: string;
  readonly pattern: RegExp;
  /** Name of our source that accepts these accessions, if there is one. */
  readonly source?: string;
}

const FORMS: readonly IdentifierForm[] = [
  { service: "GEO", pattern: /^GSE\d{1,9}$/i, source: "geo" },
  { service: "GEO's samples, platforms or curated sets (use the series, GSE…)", pattern: /^(?:GSM|GPL|GDS)\d{1,9}$/i },
  { service: "SRA", pattern: /^(?:PRJ(?:NA|EB|DB)\d{1,9}|[SED]RP\d{6,9})$/i, source: "sra" },
  { service: "SRA's runs, samples or experiments (use the study, SRP… or PRJ…)", pattern: /^[SED]R[RSXA]\d{6,9}$/i },
  { service: "BioSample", pattern: /^SAM(?:N|EA|D)\d{6,12}$/i },
  { service: "OpenNeuro", pattern: /^ds\d{6}$/i, source: "openneuro" },
  { service: "NASA Earthdata", pattern: /^C\d{1,18}-[A-Z0-9_]{1,40}$/i, source: "nasa_cmr" },
  { service: "NASA Earthdata's granules", pattern: /^G\d{1,18}-[A-Z0-9_]{1,40}$/i },
  { service: "EDI", pattern: /^(?:knb-lter-[a-z]{3}|edi|ecotrends|cos-spu)\.\d{1,9}\.\d{1,9}$/i, source: "edi" },
  { service: "dbGaP", pattern: /^phs\d{6}(?:\.v\d+(?:\.p\d+)?)?$/i },
  { service: "the European Genome-phenome Archive", pattern: /^EGA[DSCPR]\d{11}$/i },
  { service: "ArrayExpress and BioStudies", pattern: /^(?:E-[A-Z]{4}-\d{1,6}|S-[A-Z]{2,8}\d{1,8})$/i },
  { service: "ProteomeXchange", pattern: /^[PR]?PXD\d{6}$/i },
  { service: "MetaboLights", pattern: /^MTBLS\d{1,6}$/i },
  { service: "Metabolomics Workbench", pattern: /^ST\d{6}$/i },
  { service: "EMDB", pattern: /^EMD-\d{4,5}$/i },
  { service: "EMPIAR", pattern: /^EMPIAR-\d{5}$/i },
  { service: "the European Clinical Trials Register", pattern: /^(?:EUCTR)?\d{4}-\d{6}-\d{2}(?:-[A-Z]{2,3})?$/i },
  { service: "the ISRCTN registry", pattern: /^ISRCTN\d{8}$/i },
  { service: "arXiv", pattern: /^(?:arxiv:\s*)(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?$/i },
  { service: "PubMed", pattern: /^(?:pmid:\s*)\d{1,9}$/i },
  { service: "PubMed Central", pattern: /^PMC\d{3,9}$/i },
  {
    service: "ORCID, which identifies a person",
    pattern: /^(?:https?:\/\/orcid\.org\/)?\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/i,
  },
  { service: "the Handle system", pattern: /^(?:hdl:|https?:\/\/hdl\.handle\.net\/)(?!10\.)\d[\d.]*\/\S+$/i },
  { service: "ARK", pattern: /^(?:https?:\/\/n2t\.net\/)?ark:\/?\d{5,9}\/\S+$/i },
  { service: "the URN system", pattern: /^urn:(?!doi:)[a-z0-9][a-z0-9-]{1,31}:\S+$/i },
];

/** Names of services, by the domain of their landing pages. */
const SITES: Readonly<Record<string, string>> = {
  "arxiv.org": "arXiv",
  "b2share.eudat.eu": "B2SHARE",
  "data.gov": "Data.gov",
  "data.mendeley.com": "Mendeley Data",
  "ebi.ac.uk": "EMBL-EBI",
  "ega-archive.org": "the European Genome-phenome Archive",
  "gbif.org": "GBIF",
  "github.com": "GitHub",
  "huggingface.co": "Hugging Face",
  "icpsr.umich.edu": "ICPSR",
  "kaggle.com": "Kaggle",
  "pangaea.de": "PANGAEA",
  "physionet.org": "PhysioNet",
  "pubmed.ncbi.nlm.nih.gov": "PubMed",
  "rcsb.org": "the Protein Data Bank",
  "synapse.org": "Synapse",
  "ukdataservice.ac.uk": "the UK Data Service",
};

/**
 * Returns the service to which an identifier or landing page belongs. Returns null for other text, or if the service is one
 * of our sources.
 */
function findService(text: string): string | null {
  const form = FORMS.find(({ pattern }) => pattern.test(text));
  if (form === undefined) return findSite(text);
  return SOURCES.some(({ name }) => name === form.source) ? null : form.service;
}

function findSite(text: string): string | null {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { hostname, pathname, search } = new URL(text);
  if (pathname + search === "/") return null;
  const found = Object.entries(SITES).find(([domain]) => hostname === domain || hostname.endsWith(`.${domain}`));
  return found?.[1] ?? null;
}

/**
 * Matches the URL of a DOI. The query and the fragment are left out, because a `?` or `#` that belongs to the DOI would
 * be encoded as `%3F` or `%23`.
 */
const RESOLVER = /^(?:https?:\/\/)?(?:(?:dx|www)\.)?doi\.org\/([^?#]+)(?:[?#]\S*)?$/i;

const LABEL = /^(?:info:doi\/|urn:doi:|doi\s*(?:[:=]\s*)?(?=10\.))/i;

/** Returns the DOI in a text, in lower case; null if the text is not a DOI. */
export function doiIn(text: string): string | null {
  const path = RESOLVER.exec(text)?.[1];
  if (path !== undefined) return readDoi(`https://doi.org/${path}`);
  return readDoi(text.replace(LABEL, ""));
}

/** A range of researcher ids. Both ends are included. */
export interface SlugRange {
  /** The end of the slug from which the range follows, such as `0000-0002-1825-0097`. */
  readonly suffix: string;
  readonly from: string;
  readonly to: string;
}

const ORCID_SUFFIX = /(?:^|-)(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/;
const HEX_SUFFIX = /(?:^|-)([0-9a-f]{24}|[0-9a-f]{10})$/;

/**
 * Returns the range of researcher ids that the end of a slug stands for (decisions.md, "Identity of researchers"); null
 * if the slug has no such end. An ORCID iD stands for one id; ten or twenty-four hex digits stand for all ids that
 * begin with them. Tables are sorted by id, so that only one part of them has to be read.
 */
export function readIdRange(slug: string): SlugRange | null {
  const orcid = ORCID_SUFFIX.exec(slug)?.[1];
  if (orcid !== undefined) {
    const id = idOfOrcid(orcid);
    return { suffix: orcid, from: id, to: id };
  }
  const digits = HEX_SUFFIX.exec(slug)?.[1];
  return digits === undefined ? null : { suffix: digits, from: `a${digits}`, to: `a${digits}g` };
}

/**
 * Returns the researcher id of an ORCID iD. A test checks that `researcher_id` in pipeline/engine/duckdb-macros.sql returns
 * the same.
 */
export function idOfOrcid(orcid: string): string {
  return `a${hash("sha256", `orcid:${orcid}`, "hex").slice(0, 24)}`;
}
