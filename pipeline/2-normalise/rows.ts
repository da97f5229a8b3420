/** Envelopes to capture rows: parse, normalise, append. */

import { hash } from "node:crypto";
import type { DuckDBAppender } from "@duckdb/node-api";
import type { Creator, Normalised, RecordFields } from "../../schemas/capture.ts";
import { type Envelope, envelope as envelopeSchema } from "../../schemas/envelope.ts";
import { EVIDENCE, evidenceBit } from "../../schemas/evidence.ts";
import { CAPTURE_TABLES } from "../../schemas/tables.ts";
import type { Database } from "../duckdb/open.ts";
import { instantOf } from "../reading/dates.ts";
import { bareFields } from "../reading/normalised.ts";
import { parsePayload } from "../reading/payload.ts";
import { at } from "../reading/reader.ts";
import { displayText } from "../reading/text.ts";
import { searchTerms } from "../search-terms.ts";
import type { NormaliseContext, Source } from "../sources/source.ts";
import { memoise } from "../vocabularies/memoise.ts";
import { institutionLabel } from "./institution-label.ts";

/** Names remembered: the people of a corpus come back. */
const NAMES = 50_000;

interface Appenders {
  readonly capture: DuckDBAppender;
  readonly creator: DuckDBAppender;
  readonly affiliation: DuckDBAppender;
  readonly facet: DuckDBAppender;
}

/** Appends the rows of one raw part. Nothing a payload holds makes it throw: what cannot be read becomes a failed row. */
export class CaptureRows {
  count = 0;
  readonly #appenders: Appenders;
  readonly #source: Source;
  readonly #part: number;
  readonly #context: NormaliseContext;
  readonly #name: (name: string) => { folded: string; slug: string };
  readonly #institution: (raw: string) => { label: string; folded: string; country: string | null };

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
    const row = this.count;
    this.count += 1;
    const envelope = parseEnvelope(line);
    const normalised = this.#normalise(envelope);
    this.#addCapture(row, envelope, normalised);
    if (normalised.outcome !== "record") return;
    normalised.creators.forEach((creator, position) => {
      this.#addCreator(row, position, creator);
    });
    normalised.facets.forEach((facet, place) => {
      const appender = this.#appenders.facet;
      this.#key(appender, row);
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
  #normalise(envelope: Envelope): Normalised {
    if (envelope.status === 404 || envelope.status === 410) {
      return this.#source.normalise(null, envelope.sourceId, this.#context);
    }
    try {
      return this.#source.normalise(
        parsePayload(envelope.payload, this.#source.xmlParts),
        envelope.sourceId,
        this.#context,
      );
    } catch (error) {
      const reason = `the payload cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      return {
        outcome: "failed",
        updated: null,
        reason: displayText(reason, 300),
        fields: bareFields({ versionFamily: this.#identifier(envelope) }),
      };
    }
  }

  #identifier(envelope: Envelope): string {
    return `${this.#source.name}/${envelope.sourceId}`;
  }

  #key(appender: DuckDBAppender, row: number): void {
    appender.appendInteger(this.#part);
    appender.appendInteger(row);
  }

  #addCapture(row: number, envelope: Envelope, normalised: Normalised): void {
    const appender = this.#appenders.capture;
    this.#key(appender, row);
    appender.appendVarchar(`r${hash("sha256", this.#identifier(envelope)).slice(0, 24)}`);
    appender.appendVarchar(this.#source.name);
    appender.appendVarchar(envelope.sourceId);
    appender.appendVarchar(normalised.outcome);
    text(appender, "reason" in normalised ? normalised.reason : null);
    text(appender, normalised.updated);
    // One spelling of instants, so that their order as text is their order in time.
    text(appender, instantOf(envelope.retrievedAt));
    appender.appendVarchar(envelope.payloadDigest);
    const fields = "fields" in normalised ? normalised.fields : null;
    for (const name of FIELDS) text(appender, fields?.[name] ?? null);
    text(
      appender,
      fields === null ? null : searchTerms(fields.title, fields.doi, this.#context.vocabularies.names).join(" "),
    );
    addEvidence(appender, normalised);
    appender.endRow();
  }

  #addCreator(row: number, position: number, creator: Creator): void {
    const appender = this.#appenders.creator;
    this.#key(appender, row);
    appender.appendInteger(position);
    appender.appendVarchar(creator.name.toWellFormed());
    appender.appendBoolean(creator.person);
    appender.appendBoolean(creator.fullName);
    text(appender, creator.orcid);
    const { folded, slug } = this.#name(creator.name);
    appender.appendVarchar(folded);
    appender.appendVarchar(slug);
    text(appender, creator.affiliations[0]?.text ?? null);
    appender.endRow();
    creator.affiliations.forEach((affiliation, place) => {
      this.#addAffiliation(row, position, place, affiliation.text, affiliation.ror);
    });
  }

  #addAffiliation(row: number, position: number, place: number, raw: string, ror: string | null): void {
    const appender = this.#appenders.affiliation;
    const { label, folded, country } = this.#institution(raw);
    this.#key(appender, row);
    appender.appendInteger(position);
    appender.appendInteger(place);
    appender.appendVarchar(raw.toWellFormed());
    appender.appendVarchar(label);
    appender.appendVarchar(folded);
    text(appender, ror);
    text(appender, country);
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
function parseEnvelope(line: string): Envelope {
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
