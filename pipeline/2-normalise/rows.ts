/** Turns envelopes into rows of the capture tables: parses and normalises payloads, and makes their texts safe to show. */

import { hash } from "#hash";
import type { Affiliation, Creator, Funding, Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import { type Envelope, envelope as envelopeSchema } from "../../schemas/internal/rows.ts";
import { evidenceBit } from "../../schemas/public/evidence.ts";
import { FIELD_COLUMNS, type FieldColumn } from "../../schemas/public/record-columns.ts";
import type { CAPTURE_TABLES, TableRow } from "../../schemas/public/tables.ts";
import type { RowSink } from "../engine/parquet.ts";
import { withoutNames } from "../reading/funding.ts";
import { blankEvidence } from "../reading/normalised.ts";
import { type ReadPayload, readPayload } from "../reading/read-payload.ts";
import { at } from "../reading/reader.ts";
import { searchTerms } from "../reading/search-terms.ts";
import { displayText, readInstant } from "../reading/text.ts";
import type { NormaliseOptions, Source } from "../sources/adapter/source.ts";
import type { Countries } from "../vocabularies/countries.ts";
import { withoutSpacedEnd, withoutSpacedStart } from "../vocabularies/ends.ts";
import { memoise } from "../vocabularies/read-table.ts";

/** Collects rows in memory. */
class RowList<Row> implements RowSink<Row> {
  readonly rows: Row[] = [];

  append(row: Row): void {
    this.rows.push(row);
  }
}

/** Returns lists that collect the rows of a few captures in memory, one for each table. */
export function captureLists(): { readonly [Name in keyof CaptureSinks]: RowList<CaptureRow<Name>> } {
  return {
    capture: new RowList(),
    capture_creator: new RowList(),
    capture_affiliation: new RowList(),
    capture_facet: new RowList(),
    capture_funding: new RowList(),
    capture_value: new RowList(),
  };
}

/**
 * Patterns to remove contacts from an affiliation. A match of `RUN` has no spaces and may contain an email address;
 * `ENDING` is the end of a domain, such as `.org`.
 */
const RUN = /[^\s,;<>()]+/g;
const ENDING = /\.[a-z]{2,}/gi;
const URL_TEXT = /\bhttps?:\/\/\S+|\bwww\.\S+/gi;
/** Brackets that became empty because the email address or URL in them was removed. */
const EMPTY = /\(\s*\)|\[\s*\]/g;

/** Characters other than ASCII letters, digits, spaces and harmless punctuation. */
const UNSAFE = /[^ !#-%'-;=?-[\]-~]/g;

export interface ReportedInstitution {
  /** sha256 of the exact text in UTF-8, in hexadecimal. */
  readonly id: string;
  /**
   * The exact text as a JSON string in ASCII, with unsafe characters as `\uXXXX`. Half a surrogate pair becomes U+FFFD,
   * because JSON parsers of other languages reject it.
   */
  readonly reported: string;
  readonly label: string;
}

/** Returns the institution of a published `reported` text; null if the text is not a JSON string. */
export function institutionIn(reported: string): ReportedInstitution | null {
  try {
    const text: unknown = JSON.parse(reported);
    return typeof text === "string" ? makeReportedInstitution(text) : null;
  } catch {
    return null;
  }
}

export function makeReportedInstitution(raw: string): ReportedInstitution {
  const text = raw.toWellFormed();
  return {
    id: hash("sha256", text),
    reported: `"${text.replace(UNSAFE, escapeCharacter)}"`,
    label: institutionLabel(raw),
  };
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Returns an affiliation that is safe to show: at most 240 characters, without control and bidirectional characters,
 * markup, email addresses and URLs.
 */
export function institutionLabel(raw: string): string {
  const cleanLabel = displayText(raw, 1000).replace(RUN, withoutEmail).replace(URL_TEXT, "").replace(EMPTY, "");
  const label = displayText(withoutSpacedEnd(withoutSpacedStart(cleanLabel, ",;:()[]-"), ",;:([-"), 240);
  return label === "" ? "(no name)" : label;
}

/** Removes an email address at the start of a word. The address ends after the last domain ending such as `.org`. */
function withoutEmail(run: string): string {
  // An address has characters on both sides of the `@`.
  const at = run.indexOf("@", 1);
  if (at < 0) return run;
  const domain = run.slice(at + 2);
  const last = [...domain.matchAll(ENDING)].at(-1);
  return last === undefined ? run : domain.slice(last.index + last[0].length);
}

/** Number of names whose folded form is cached. Caching pays because the same people occur many times. */
const NAMES = 50_000;

export type CaptureRow<Name extends keyof typeof CAPTURE_TABLES> = TableRow<(typeof CAPTURE_TABLES)[Name]>;

/** For each capture table, the object that receives its rows. */
export type CaptureSinks = { readonly [Name in keyof typeof CAPTURE_TABLES]: RowSink<CaptureRow<Name>> };

/** The position of a capture: the number of its raw part and its row in this part. */
export interface RowKey {
  readonly part: number;
  readonly row: number;
}

/**
 * Fields of an envelope that become columns. `piece` names the part of a record that the payload contains; null if it
 * contains the complete record.
 */
export interface CaptureOrigin extends Pick<Envelope, "sourceId" | "retrievedAt" | "payloadDigest" | "generated"> {
  readonly piece: string | null;
}

/** An affiliation with its text, institution and country. */
interface Institution extends ReportedInstitution {
  readonly shown: string | null;
  readonly folded: string;
  readonly country: ReturnType<Countries["ofAffiliation"]>;
}

/** Writes the rows of one raw part. For a payload that cannot be read, writes a row with the outcome "failed". */
export class CaptureRows {
  count = 0;
  readonly #sinks: CaptureSinks;
  readonly #source: Source;
  readonly #part: number;
  readonly #context: NormaliseOptions;
  readonly #name: (name: string) => { folded: string; slug: string };
  readonly #institution: (raw: string) => Institution;
  #retrieved: { readonly stated: string | null; readonly instant: string | null } = { stated: null, instant: null };

  constructor(sinks: CaptureSinks, source: Source, part: number, context: NormaliseOptions) {
    const { names, countries } = context.vocabularies;
    this.#name = memoise((name) => {
      const folded = names.foldName(name);
      return { folded, slug: slugName(folded) };
    }, NAMES);
    this.#institution = memoise((raw) => {
      const institution = makeReportedInstitution(raw);
      return {
        ...institution,
        shown: displayText(raw) || null,
        folded: names.foldText(institution.label),
        country: countries.ofAffiliation(institution.label),
      };
    });
    this.#sinks = sinks;
    this.#source = source;
    this.#part = part;
    this.#context = context;
  }

  /** Adds the rows of one line of a raw part. `isDraft` is true for metadata that are not published yet. */
  add(line: string, isDraft = false): void {
    const key = { part: this.#part, row: this.count };
    this.count += 1;
    const envelope = parseEnvelope(line);
    const context = isDraft ? { ...this.#context, isDraft } : this.#context;
    const { piece, ...read } = readPayload(this.#source, envelope, context);
    this.put(key, { ...envelope, piece }, read);
  }

  /** Adds the rows of a normalised capture under `key`. The texts must be safe to show. */
  put(key: RowKey, captured: CaptureOrigin, { normalised, values }: Omit<ReadPayload, "piece">): void {
    this.#addCapture(key, captured, normalised);
    if (normalised.outcome !== "record") return;
    normalised.creators.forEach((creator, position) => {
      this.#addCreator(key, position, creator);
    });
    normalised.facets.forEach(({ kind, value }, place) => {
      this.#sinks.capture_facet.append({ ...key, kind, place, value });
    });
    const funding = withoutNames(normalised.funding, normalised.creators, this.#context.vocabularies);
    funding.forEach((each, place) => {
      this.#addFunding(key, place, each);
    });
    values.forEach(({ foundIn, ...value }, place) => {
      this.#sinks.capture_value.append({ ...key, place, ...value, found_in: foundIn });
    });
  }

  #identifier({ sourceId }: Pick<Envelope, "sourceId">): string {
    return `${this.#source.name}/${sourceId}`;
  }

  #addCapture(key: RowKey, captured: CaptureOrigin, normalised: Normalised): void {
    const fields = "fields" in normalised ? normalised.fields : null;
    this.#sinks.capture.append({
      ...key,
      id: `r${hash("sha256", this.#identifier(captured)).slice(0, 24)}`,
      source: this.#source.name,
      source_id: captured.sourceId.toWellFormed(),
      piece: captured.piece,
      outcome: normalised.outcome,
      reason: "reason" in normalised ? normalised.reason : null,
      updated: normalised.updated,
      // All instants have the same format, so that they sort as text.
      retrieved_at: this.#readInstant(captured.retrievedAt),
      payload_digest: captured.payloadDigest,
      generated: captured.generated === true,
      ...(fields === null ? NO_CELLS : fieldCells(fields)),
      search_terms:
        fields === null ? null : searchTerms(fields.title, fields.doi, this.#context.vocabularies.names).join(" "),
      ...(normalised.outcome === "record" ? normalised.evidence : NO_EVIDENCE),
      evidence_errors: normalised.outcome === "record" ? errorBits(normalised) : null,
    });
  }

  #readInstant(stated: string | null): string | null {
    if (stated !== this.#retrieved.stated) this.#retrieved = { stated, instant: readInstant(stated) };
    return this.#retrieved.instant;
  }

  #addCreator(key: RowKey, position: number, creator: Creator): void {
    const { folded, slug } = this.#name(creator.name);
    const institutions = creator.affiliations.map(({ text }) => this.#institution(text));
    this.#sinks.capture_creator.append({
      ...key,
      position,
      name: creator.name,
      person: creator.person,
      full_name: creator.fullName,
      orcid: creator.orcid,
      folded_name: folded,
      slug_name: slug,
      // Shown as one line without unsafe characters. The exact text is in the table of institutions.
      affiliation: institutions[0]?.shown ?? null,
    });
    institutions.forEach((institution, place) => {
      const affiliation = creator.affiliations[place];
      if (affiliation !== undefined) this.#addAffiliation({ ...key, position, place }, affiliation, institution);
    });
  }

  #addFunding(key: RowKey, place: number, { funder, funderId, awardNumber, awardTitle, awardUrl }: Funding): void {
    const [, scheme = null, id = null] = SCHEME.exec(funderId ?? "") ?? [];
    this.#sinks.capture_funding.append({
      ...key,
      place,
      funder,
      funder_scheme: scheme,
      funder_id: id,
      award_number: awardNumber,
      award_title: awardTitle,
      award_url: awardUrl,
    });
  }

  #addAffiliation(
    key: RowKey & { readonly position: number; readonly place: number },
    { ror, otherIds = [], country: statement = null }: Affiliation,
    { id, reported, label, folded, country }: Institution,
  ): void {
    const stated = statement === null ? null : this.#context.vocabularies.countries.ofStatement(statement);
    this.#sinks.capture_affiliation.append({
      ...key,
      institution_id: id,
      reported_json: reported,
      label,
      folded,
      ror,
      other_ids: otherIds.join(" ") || null,
      country: stated ?? country?.alpha3 ?? null,
      country_basis: stated === null ? (country?.basis ?? null) : "field",
    });
  }
}

/** Matches an identifier such as `doi:10.1000/x`, and captures its scheme and id. */
const SCHEME = /^([a-z_]+):(.+)$/;

/** Parses an envelope. Only checks the fields that this stage needs, because the harvest has checked the others. */
export function parseEnvelope(line: string): Envelope {
  const envelope: unknown = JSON.parse(line);
  if (typeof at(envelope, "sourceId") === "string" && typeof at(envelope, "payload") === "string") {
    return envelope as Envelope;
  }
  return envelopeSchema.parse(envelope);
}

/**
 * Returns the ASCII letters and digits of a folded name, with hyphens between words; empty if there are none (decisions.md,
 * `slug`).
 */
function slugName(folded: string): string {
  // At this point each end has at most one hyphen.
  return folded
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 120);
}

const NO_EVIDENCE = blankEvidence();

/** Returns a bit mask of the evidence columns whose values could not be read. */
function errorBits({ errors }: Extract<Normalised, { outcome: "record" }>): bigint {
  let bits = 0n;
  for (const name of errors) bits |= evidenceBit(name);
  return bits;
}

/** The record columns that a normaliser fills, with their values. */
type FieldCells = { readonly [C in FieldColumn as C["name"]]: string | null };

const NO_CELLS: FieldCells = buildFieldCells(() => null);

function fieldCells(fields: RecordFields): FieldCells {
  return buildFieldCells(({ field }) => fields[field] ?? null);
}

function buildFieldCells(cell: (column: FieldColumn) => string | null): FieldCells {
  const cells: Record<string, string | null> = {};
  for (const column of FIELD_COLUMNS) cells[column.name] = cell(column);
  return cells as FieldCells;
}
