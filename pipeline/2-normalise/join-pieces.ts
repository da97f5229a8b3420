/** Joins the pieces of a record that arrived in several payloads, so that the normaliser reads one complete payload. */

import { createHash, type Hash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CAPTURE_TABLES, type Table } from "../../schemas/public/tables.ts";
import type { Cell, Engine } from "../engine/open.ts";
import { type Database, openDuckDB, partName, quote } from "../engine/open.ts";
import { ParquetFile } from "../engine/parquet.ts";
import { parsePayload } from "../reading/normalised.ts";
import { makeSafeToShow } from "../reading/safe-to-show.ts";
import { ValueCollector } from "../reading/values.ts";
import type { NormaliseOptions, PieceReader, Source } from "../sources/adapter/source.ts";
import { sourceNamed } from "../sources/index.ts";
import { readBatches } from "../store/raw-parts.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { CaptureFiles } from "./capture-files.ts";
import { CaptureRows, parseEnvelope } from "./rows.ts";

const PAYLOADS = {
  name: "piece_payload",
  grain: "one payload that is a piece of a record",
  key: ["part", "row"],
  columns: { part: "int", row: "int", payload: "text" },
  always: ["payload"],
} as const satisfies Table;

const PIECES = {
  name: "piece",
  grain: "one payload that is a piece of a record",
  key: ["id", "piece"],
  columns: {
    id: "text",
    source: "text",
    source_id: "text",
    piece: "text",
    part: "int",
    row: "int",
    payload_digest: "text",
    retrieved_at: "text",
    generated: "bool",
  },
} as const satisfies Table;

/** Number of records in one file of joined rows. */
const RECORDS_PER_FILE = 20_000;

export interface JoinTask {
  readonly folder: string;
  /** Path of each raw part. The key is the number of the part, which the rows of its captures contain. */
  readonly parts: ReadonlyMap<number, string>;
  readonly asOf: string;
  readonly threads: number;
  readonly memory: string;
}

/**
 * Joins records that arrived in pieces and writes their rows, one folder for each capture table. A joined record gets
 * the part and row number of one of its pieces. `engine` has the relation `parted_capture`. Returns the number of
 * records. DuckDB on this machine sorts the payloads on the disk, so memory holds only one record and one payload at a
 * time.
 */
export async function joinPieces(engine: Engine, task: JoinTask): Promise<number> {
  await engine.runFile(new URL("./pieces.sql", import.meta.url));
  const [found] = await engine.rows("select count(*) as pieces from piece");
  if (Number(found?.pieces) === 0) return 0;
  const pieces = join(task.folder, PIECES.name);
  await engine.output(PIECES, pieces);
  const db = await openDuckDB({ threads: task.threads, memory: task.memory, spill: join(task.folder, "spill") });
  try {
    await db.input(PIECES, pieces);
    return await joinAll(db, task);
  } finally {
    db.close();
    await rm(pieces, { recursive: true });
  }
}

async function joinAll(db: Database, task: JoinTask): Promise<number> {
  const parts = await db.rows("select distinct part from piece order by part");
  for (const name of [PAYLOADS.name, ...Object.keys(CAPTURE_TABLES)]) {
    await mkdir(join(task.folder, name), { recursive: true });
  }
  for (const { part } of parts) await collect(db, Number(part), task);
  const context = { asOf: task.asOf, vocabularies: loadVocabularies() };
  let records = 0;
  let files = 0;
  const nextName = () => {
    files += 1;
    return partName(files);
  };
  for (const { source } of await db.rows("select distinct source from piece order by source")) {
    records += await joinSource(db, String(source), task, context, nextName);
  }
  await rm(join(task.folder, PAYLOADS.name), { recursive: true });
  return records;
}

async function joinSource(
  db: Database,
  name: string,
  task: JoinTask,
  context: NormaliseOptions,
  nextName: () => string,
): Promise<number> {
  const source = sourceNamed(name);
  if (source?.pieces === undefined)
    throw new Error(`the source ${name} does not store its records in pieces, so they cannot be joined; report this`);
  const file = new JoinedFile(source, task.folder, context, nextName);
  let under: RecordInProgress | null = null;
  for await (const piece of sortedPieces(db, name, task)) {
    if (under?.first.sourceId !== piece.sourceId) {
      if (under !== null) await file.add(under);
      const collector = new ValueCollector();
      const watched = { ...context, vocabularies: collector.watch(context.vocabularies) };
      const gathering = source.pieces.openReader(piece.sourceId, watched);
      under = { first: piece, gathering, collector, digest: createHash("sha256"), retrievedAt: null, generated: false };
    }
    under.gathering.add(parsePayload(piece.payload, source.xmlParts));
    under.digest.update(`${piece.digest}\n`);
    if (piece.generated) under.generated = true;
    if ((piece.retrievedAt ?? "") > (under.retrievedAt ?? "")) under.retrievedAt = piece.retrievedAt;
  }
  if (under !== null) await file.add(under);
  return file.finish();
}

/** Copies the payloads of one raw part that are pieces of a record. */
async function collect(db: Database, part: number, { parts, folder }: JoinTask): Promise<void> {
  const path = parts.get(part);
  if (path === undefined)
    throw new Error(`the harvested part ${part}, which contains a piece of a record, is missing; report this`);
  const rowNumbers = new Set<number>();
  for await (const rows of db.stream("select row from piece where part = $part", { part })) {
    for (const [row] of rows) rowNumbers.add(Number(row));
  }
  const file = await ParquetFile.create(join(folder, PAYLOADS.name, `${part}.parquet`), PAYLOADS);
  let row = 0;
  await readBatches(path, (lines) => {
    for (const line of lines) {
      if (rowNumbers.has(row)) file.append({ part, row, payload: parseEnvelope(line).payload });
      row += 1;
    }
    return file.drain();
  });
  await file.close();
}

interface CapturedPiece {
  readonly sourceId: string;
  readonly part: number;
  readonly row: number;
  readonly digest: string;
  readonly retrievedAt: string | null;
  readonly payload: string;
  readonly generated: boolean;
}

/** Yields the pieces of a source, sorted by record and then by the name of the piece. */
async function* sortedPieces(db: Database, source: string, { folder }: JoinTask): AsyncGenerator<CapturedPiece> {
  const payloads = `read_parquet(${quote(join(folder, PAYLOADS.name, "*.parquet"))})`;
  const sorted = db.stream(
    `select source_id, piece.part, piece.row, payload_digest, retrieved_at, payload, generated
     from piece join ${payloads} as kept on kept.part = piece.part and kept.row = piece.row
     where piece.source = $source
     order by id, piece`,
    { source },
  );
  for await (const rows of sorted) yield* rows.map(readPiece);
}

function readPiece([sourceId, part, row, digest, retrievedAt, payload, generated]: readonly Cell[]): CapturedPiece {
  return {
    sourceId: String(sourceId),
    part: Number(part),
    row: Number(row),
    digest: String(digest),
    retrievedAt: typeof retrievedAt === "string" ? retrievedAt : null,
    payload: String(payload),
    generated: generated === true,
  };
}

/** A record that is being joined. Its row takes the position of its first piece in the order of captures. */
interface RecordInProgress {
  readonly first: CapturedPiece;
  readonly gathering: PieceReader;
  readonly collector: ValueCollector;
  readonly digest: Hash;
  retrievedAt: string | null;
  generated: boolean;
}

/** Writes the rows of joined records to several files of limited size. */
class JoinedFile {
  readonly #source: Source;
  readonly #folder: string;
  readonly #context: NormaliseOptions;
  #open: { readonly files: CaptureFiles; readonly rows: CaptureRows } | null = null;
  readonly #nextName: () => string;
  #records = 0;

  /** Takes `nextName`, which returns a file name that no other file has. */
  constructor(source: Source, folder: string, context: NormaliseOptions, nextName: () => string) {
    this.#nextName = nextName;
    this.#source = source;
    this.#folder = folder;
    this.#context = context;
  }

  async add({ first, gathering, collector, digest, retrievedAt, generated }: RecordInProgress): Promise<void> {
    this.#open ??= await this.#begin();
    const { sourceId, part, row } = first;
    const origin = { sourceId, retrievedAt, payloadDigest: digest.digest("hex"), piece: null };
    const capture = generated ? { ...origin, generated } : origin;
    const normalised = gathering.normalise();
    const values =
      normalised.outcome === "record" ? collector.values(normalised, null, this.#context.vocabularies) : [];
    this.#open.rows.put({ part, row }, capture, { normalised: makeSafeToShow(normalised), values });
    this.#records += 1;
    if (this.#records % RECORDS_PER_FILE === 0) await this.#write();
    else await this.#open.files.drain();
  }

  async finish(): Promise<number> {
    await this.#write();
    return this.#records;
  }

  async #begin() {
    const name = this.#nextName();
    const files = await CaptureFiles.create((table) => join(this.#folder, table, name));
    return { files, rows: new CaptureRows(files.sinks, this.#source, 0, this.#context) };
  }

  async #write(): Promise<void> {
    await this.#open?.files.close();
    this.#open = null;
  }
}
