/** Envelopes to capture rows: parse, normalise, append. */

import { hash } from "node:crypto";
import type { DuckDBAppender } from "@duckdb/node-api";
import type { Affiliation, Creator, Normalised, RecordFields } from "../../schemas/internal/capture.ts";
import { type Envelope, envelope as envelopeSchema } from "../../schemas/internal/envelope.ts";
import { EVIDENCE, evidenceBit } from "../../schemas/public/evidence.ts";
import { CAPTURE_TABLES } from "../../schemas/public/tables.ts";
import type { Database } from "../engine/open.ts";
import { instantOf } from "../reading/dates.ts";
import { bareFields } from "../reading/normalised.ts";
import { parsePayload } from "../reading/payload.ts";
import { at } from "../reading/reader.ts";
import { searchTerms } from "../reading/search-terms.ts";
import { displayText } from "../reading/text.ts";
import type { NormaliseContext, Source } from "../sources/adapter/source.ts";
import type { Countries } from "../vocabularies/countries.ts";
import { memoise } from "../vocabularies/memoise.ts";
import { displayed } from "./displayed.ts";
import { institutionLabel } from "./institution-label.ts";

/** Names remembered: the people of a corpus come back. */
const NAMES = 50_000;

interface Appenders {
  readonly capture: DuckDBAppender;
  readonly creator: DuckDBAppender;
  readonly affiliation: DuckDBAppender;
  readonly facet: DuckDBAppender;
}

/** Where a capture stands among all of them. */
export interface RowKey {
  readonly part: number;
  readonly row: number;
}

/** What of an envelope goes into a row, and which piece of its record it is; null = the whole of it. */
export interface Captured extends Pick<Envelope, "sourceId" | "retrievedAt" | "payloadDigest"> {
  readonly piece: string | null;
}

/** Appends the rows of one raw part. Nothing a payload holds makes it throw: what cannot be read becomes a failed row. */
export class CaptureRows {
  count = 0;
  readonly #appenders: Appenders;
  readonly #source: Source;
  readonly #part: number;
  readonly #context: NormaliseContext;
  readonly #name: (name: string) => { folded: string; slug: string };
  readonly #institution: (raw: string) => {
    label: string;
    folded: string;
    country: ReturnType<Countries["ofAffiliation"]>;
  };

  private constructor(appenders: Appenders, source: Source, part: number, context: NormaliseContext) {
    const { names, countries } = context.vocabularies;
    this.#name = memoise((name) => {
      const folded = names.foldName(name);
      return { folded, slug: slugName(folded) };
    }, NAMES);
    this.#institution = memoise((raw) => {
      const label = institutionLabel(raw);
      return { label, folded: names.foldText(label), country: countries.ofAffiliation(label) };
    });
    this.#appenders = appenders;
    this.#source = source;
    this.#part = part;
    this.#context = context;
  }

  static async open(db: Database, source: Source, part: number, context: NormaliseContext): Promise<CaptureRows> {
    const appenders = {
      capture: await db.appender(CAPTURE_TABLES.capture),
      creator: await db.appender(CAPTURE_TABLES.capture_creator),
      affiliation: await db.appender(CAPTURE_TABLES.capture_affiliation),
      facet: await db.appender(CAPTURE_TABLES.capture_facet),
    };
    return new CaptureRows(appenders, source, part, context);
  }

  /** Adds the rows of one envelope line. */
  add(line: string): void {
    const key = { part: this.#part, row: this.count };
    this.count += 1;
    const envelope = parseEnvelope(line);
    const { normalised, piece } = this.#normalise(envelope);
    this.put(key, { ...envelope, piece }, normalised);
  }

  /** Adds the rows of one capture that is normalised already, under any key. */
  put(key: RowKey, captured: Captured, read: Normalised): void {
    const normalised = displayed(read);
    this.#addCapture(key, captured, normalised);
    if (normalised.outcome !== "record") return;
    normalised.creators.forEach((creator, position) => {
      this.#addCreator(key, position, creator);
    });
    normalised.facets.forEach((facet, place) => {
      const appender = this.#appenders.facet;
      this.#key(appender, key);
      appender.appendVarchar(facet.kind);
      appender.appendInteger(place);
      appender.appendVarchar(facet.value.toWellFormed());
      appender.endRow();
    });
  }

  /** Hands over what was added so far; more may follow. */
  flush(): void {
    for (const appender of Object.values(this.#appenders)) appender.flushSync();
  }

  close(): void {
    for (const appender of Object.values(this.#appenders)) appender.closeSync();
  }

  /** An HTTP 404 or 410 envelope has no payload, and no update of its own: the record was gone when it was retrieved. */
  #normalise(envelope: Envelope): { readonly normalised: Normalised; readonly piece: string | null } {
    if (envelope.status === 404 || envelope.status === 410) {
      return { normalised: this.#source.normalise(null, envelope.sourceId, this.#context), piece: null };
    }
    try {
      const payload = parsePayload(envelope.payload, this.#source.xmlParts);
      const normalised = this.#source.normalise(payload, envelope.sourceId, this.#context);
      return { normalised, piece: this.#source.pieces?.nameOf(payload) ?? null };
    } catch (error) {
      const reason = `the payload cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      const fields = bareFields({ versionFamily: this.#identifier(envelope) });
      return {
        normalised: { outcome: "failed", updated: null, reason: displayText(reason, 300), fields },
        piece: null,
      };
    }
  }

  #identifier({ sourceId }: Pick<Envelope, "sourceId">): string {
    return `${this.#source.name}/${sourceId}`;
  }

  #key(appender: DuckDBAppender, { part, row }: RowKey): void {
    appender.appendInteger(part);
    appender.appendInteger(row);
  }

  #addCapture(key: RowKey, captured: Captured, normalised: Normalised): void {
    const appender = this.#appenders.capture;
    this.#key(appender, key);
    appender.appendVarchar(`r${hash("sha256", this.#identifier(captured)).slice(0, 24)}`);
    appender.appendVarchar(this.#source.name);
    appender.appendVarchar(captured.sourceId);
    text(appender, captured.piece);
    appender.appendVarchar(normalised.outcome);
    text(appender, "reason" in normalised ? normalised.reason : null);
    text(appender, normalised.updated);
    // One spelling of instants, so that their order as text is their order in time.
    text(appender, instantOf(captured.retrievedAt));
    appender.appendVarchar(captured.payloadDigest);
    const fields = "fields" in normalised ? normalised.fields : null;
    for (const name of FIELDS) text(appender, fields?.[name] ?? null);
    text(
      appender,
      fields === null ? null : searchTerms(fields.title, fields.doi, this.#context.vocabularies.names).join(" "),
    );
    addEvidence(appender, normalised);
    appender.endRow();
  }

  #addCreator(key: RowKey, position: number, creator: Creator): void {
    const appender = this.#appenders.creator;
    this.#key(appender, key);
    appender.appendInteger(position);
    appender.appendVarchar(creator.name.toWellFormed());
    appender.appendBoolean(creator.person);
    appender.appendBoolean(creator.fullName);
    text(appender, creator.orcid);
    const { folded, slug } = this.#name(creator.name);
    appender.appendVarchar(folded);
    appender.appendVarchar(slug);
    // Shown beside the name, in one line; the institution it makes keeps the exact text.
    const [first] = creator.affiliations;
    text(appender, first === undefined ? null : displayText(first.text) || null);
    appender.endRow();
    creator.affiliations.forEach((affiliation, place) => {
      this.#addAffiliation(key, position, place, affiliation);
    });
  }

  #addAffiliation(key: RowKey, position: number, place: number, affiliation: Affiliation): void {
    const appender = this.#appenders.affiliation;
    const { text: raw, ror } = affiliation;
    const { label, folded, country } = this.#institution(raw);
    const stated = this.#context.vocabularies.countries.ofStatement(affiliation.country ?? "");
    this.#key(appender, key);
    appender.appendInteger(position);
    appender.appendInteger(place);
    appender.appendVarchar(raw.toWellFormed());
    appender.appendVarchar(label);
    appender.appendVarchar(folded);
    text(appender, ror);
    text(appender, stated ?? country?.alpha3 ?? null);
    text(appender, stated === null ? (country?.basis ?? null) : "field");
    appender.endRow();
  }
}

const FIELDS = [
  "doi",
  "repository",
  "title",
  "pubDate",
  "url",
  "recordKind",
  "accessStatus",
  "license",
  "version",
  "versionFamily",
] as const satisfies readonly (keyof RecordFields)[];

/** Raw parts are our own and were checked when they were written: only what this stage relies on is checked again. */
export function parseEnvelope(line: string): Envelope {
  const envelope: unknown = JSON.parse(line);
  if (typeof at(envelope, "sourceId") === "string" && typeof at(envelope, "payload") === "string") {
    return envelope as Envelope;
  }
  return envelopeSchema.parse(envelope);
}

/** ASCII of a folded name, hyphenated; '' where nothing is left (decisions.md, `slug`). */
function slugName(folded: string): string {
  // One at each end at most: runs have become one.
  return folded
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 120);
}

function text(appender: DuckDBAppender, value: string | null): void {
  if (value === null) appender.appendNull();
  else appender.appendVarchar(value.toWellFormed());
}

function addEvidence(appender: DuckDBAppender, normalised: Normalised): void {
  if (normalised.outcome !== "record") {
    for (let i = 0; i <= EVIDENCE.length; i += 1) appender.appendNull();
    return;
  }
  for (const { name } of EVIDENCE) {
    const value = normalised.evidence[name];
    if (value === null) appender.appendNull();
    else if (typeof value === "number") appender.appendInteger(value);
    else if (typeof value === "boolean") appender.appendBoolean(value);
    else appender.appendVarchar(value.toWellFormed());
  }
  let errors = 0n;
  for (const name of normalised.errors) errors |= evidenceBit(name);
  appender.appendBigInt(errors);
}
