/**
 * Harvests files: recorded responses of a service, and dumps. Each item of a file is stored or rejected. An interrupted
 * import resumes at its last checkpoint.
 */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Envelope } from "../../schemas/internal/rows.ts";
import type { RejectionReason } from "../../schemas/public/problem.ts";
import { instant } from "../../schemas/public/scalars.ts";
import { asObject, asText, at } from "../reading/reader.ts";
import { lineText, plural } from "../reading/text.ts";
import type { Source } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import { appendHarvest } from "../store/harvest-log.ts";
import type { Store } from "../store/store.ts";
import { type CapturedRecord, findingsIn, type RejectedPart } from "./document.ts";
import { getSidecarPath, type Input, listInputs, type Position, type Unit, unitBatches } from "./inputs.ts";
import { PAYLOAD_BYTES } from "./limits.ts";
import type { Objection } from "./objection.ts";
import { sourcesOfPayload } from "./recognise.ts";
import type { FilesRun } from "./session.ts";
import {
  BadHarvestOption,
  countRejected,
  countRejection,
  type HarvestSummary,
  newTally,
  RawSession,
} from "./session.ts";

export interface FilesOptions {
  readonly paths: readonly string[];
  /**
   * Time at which the files were retrieved, for files without a recorded time in their headers; null if it is unknown.
   */
  readonly retrievedAt: string | null;
  readonly limit: number | null;
}

export async function harvestFiles(
  store: Store,
  source: Source,
  options: FilesOptions,
  effects: Effects,
): Promise<HarvestSummary> {
  if (options.retrievedAt !== null && !instant.safeParse(options.retrievedAt).success) {
    throw new BadHarvestOption(`"${options.retrievedAt}" is not an instant; write it as 2024-05-31T12:00:00Z`);
  }
  const inputs = await listInputs(options.paths);
  const session = await RawSession.open(store.raw(source.name));
  try {
    return await new Import(session, source, options, effects).run(inputs);
  } finally {
    await session.close();
  }
}

/** Longest name of an archive member in a rejection, in characters. File systems have the same limit. */
const MEMBER_NAME = 255;

/**
 * Number of items after which other tasks of the process may run, because one chunk of a file can have a hundred
 * thousand short items.
 */
const ITEMS_OF_A_TURN = 2000;

const BEGINNING: Position = { line: 0, offset: 0 };

class Import {
  private readonly session: RawSession;
  private readonly source: Source;
  private readonly options: FilesOptions;
  private readonly effects: Effects;
  private readonly key: string;
  private readonly state: FilesRun;
  private readonly resumed: boolean;
  private inputStep = "";
  private looked = 0;
  private inputOfOwner = "";
  private owners: readonly string[] = [];

  constructor(session: RawSession, source: Source, options: FilesOptions, effects: Effects) {
    this.session = session;
    this.source = source;
    this.options = options;
    this.effects = effects;
    const runOptions = [options.paths.map((path) => resolve(path)), options.retrievedAt, options.limit];
    this.key = hash("sha256", JSON.stringify(runOptions)).slice(0, 16);
    const interrupted = session.progress.files[this.key];
    this.resumed = interrupted !== undefined;
    this.state = interrupted === undefined ? { inputs: {}, counts: newTally() } : structuredClone(interrupted);
  }

  async run(inputs: readonly Input[]): Promise<HarvestSummary> {
    this.log(this.resumed ? "harvest-resumed" : "harvest-started", {});
    for (const [i, input] of inputs.entries()) {
      if (this.full) break;
      this.inputStep = `${i + 1}/${inputs.length}`;
      await this.read(input);
      if (this.session.due) await this.checkpoint();
    }
    return this.finish();
  }

  private get full(): boolean {
    return this.options.limit !== null && this.state.counts.records >= this.options.limit;
  }

  private async read(input: Input): Promise<void> {
    const start = this.findStart(input);
    if (start === null) return;
    if (input.fault === null) await this.readUnits(input, start);
    else this.reject(input, null, { reason: "unreadable", detail: input.fault });
    this.state.counts.files += 1;
    this.state.inputs[input.path] = { size: input.size, mtime: input.mtime, ...BEGINNING, done: true };
    this.report();
  }

  /**
   * Returns the position from which to read the file: its beginning if the file is new or has changed. Returns null if
   * the file was already read completely.
   */
  private findStart(input: Input): Position | null {
    const known = this.state.inputs[input.path];
    if (known === undefined || known.size !== input.size || known.mtime !== input.mtime) return BEGINNING;
    return known.done ? null : { line: known.line, offset: known.offset };
  }

  private async readUnits(input: Input, start: Position): Promise<void> {
    const recorded = await readSidecar(input.path);
    if (recorded.status !== null && recorded.status >= 400) {
      this.reject(input, null, {
        reason: "error-answer",
        detail: `an error response, recorded with HTTP status ${recorded.status}; request it again, or remove the file`,
      });
      return;
    }
    for await (const units of unitBatches(input, start, this.source)) {
      for (const unit of units) {
        await this.take(input, unit, recorded);
        if (this.full) return;
        if (unit.after !== null && this.session.due) await this.checkpoint(input, unit.after);
      }
      this.report();
    }
  }

  private async take(input: Input, unit: Unit, recorded: RecordedHeader): Promise<void> {
    if (this.isTurn()) await this.effects.sleep(0);
    if (unit.objection !== undefined) {
      this.reject(input, unit.line, await this.withOwner(unit.objection, input, unit), unit.member);
      return;
    }
    // A loose shape also accepts records of other sources.
    const known = this.source.looseShape === true ? await findOwners(input, unit) : [];
    if (known.length > 0 && !known.includes(this.source.name)) {
      this.reject(input, unit.line, { reason: "unknown-shape", detail: ofOthers("a record", known) }, unit.member);
      return;
    }
    for (const found of findingsIn(unit.bytes, this.source)) {
      if (this.full) return;
      if ("reason" in found) this.rejectItem(input, unit, { ...found, ...(await this.withOwner(found, input, unit)) });
      else await this.keep(found, recorded);
      if (this.isTurn()) await this.effects.sleep(0);
    }
  }

  /**
   * Adds to a rejection which source the item looks like, for example "it looks like a payload of zenodo". Examines
   * only the first rejected item of each file, because the items of a file are usually alike.
   */
  private async withOwner({ reason, detail }: Objection, input: Input, unit: Unit): Promise<Objection> {
    if (this.inputOfOwner !== input.path) {
      this.inputOfOwner = input.path;
      this.owners = IS_OF_OTHERS.has(reason) ? await findOwners(input, unit) : [];
    }
    if (this.owners.length === 0 || this.owners.includes(this.source.name) || !IS_OF_OTHERS.has(reason))
      return { reason, detail };
    return { reason, detail: ofOthers(detail, this.owners) };
  }

  private isTurn(): boolean {
    this.looked += 1;
    return this.looked % ITEMS_OF_A_TURN === 0;
  }

  private async keep(record: CapturedRecord, recorded: RecordedHeader): Promise<void> {
    this.state.counts.records += 1;
    this.state.counts.bytes += record.bytes;
    const slow = this.session.keep(this.buildEnvelope(record, recorded));
    if (slow !== null) await slow;
  }

  private buildEnvelope(record: CapturedRecord, recorded: RecordedHeader): Envelope {
    if (record.envelope !== null) return record.envelope;
    return {
      source: this.source.name,
      sourceId: record.sourceId,
      retrievedAt: recorded.retrievedAt ?? this.options.retrievedAt,
      url: null,
      status: recorded.status ?? 200,
      payloadDigest: record.payloadDigest,
      payload: record.payload,
    };
  }

  /**
   * Records a rejected item under its line number (JSON Lines), or under its position in the list (a single document).
   */
  private rejectItem(input: Input, unit: Unit, { item, reason, detail }: RejectedPart): void {
    const where = unit.line !== null && item !== null ? `item ${item}: ` : "";
    this.reject(input, unit.line ?? item, { reason, detail: `${where}${fromFileStart(detail, unit)}` }, unit.member);
  }

  private reject(input: Input, line: number | null, { reason, detail }: Objection, member?: string): void {
    const file = member === undefined ? input.path : `${input.path}#${lineText(member, MEMBER_NAME)}`;
    const rejected = { source: this.source.name, file, line, reason, detail };
    countRejection(this.state.counts, rejected);
    this.session.reject(rejected, input.path);
  }

  private async checkpoint(input?: Input, after?: Position): Promise<void> {
    if (input !== undefined && after !== undefined) {
      this.state.inputs[input.path] = { size: input.size, mtime: input.mtime, ...after, done: false };
    }
    const { files, http, last } = this.session.progress;
    await this.session.commit({ files: { ...files, [this.key]: structuredClone(this.state) }, http, last });
  }

  private async finish(): Promise<HarvestSummary> {
    // Writes a checkpoint before the log entry. If the process is killed in between, it does not import everything again.
    await this.checkpoint();
    const summary = this.summary();
    await appendHarvest(this.session.folder, {
      source: this.source.name,
      mode: "files",
      started: null,
      finished: null,
      since: null,
      limit: this.options.limit,
      records: summary.records,
      rejected: countRejected(this.state.counts),
      expected: null,
      got: summary.records,
      complete: summary.complete,
      missing: summary.missing ?? null,
    });
    const { [this.key]: _done, ...others } = this.session.progress.files;
    await this.session.settle({ ...this.session.progress, files: others });
    this.log("harvest-finished", { records: summary.records });
    return summary;
  }

  private summary(): HarvestSummary {
    const { files, records, bytes, rejected, first: firstRejected } = this.state.counts;
    const summary = {
      source: this.source.name,
      only: null,
      files,
      requests: 0,
      records,
      rejected,
      firstRejected,
      bytes,
      resumed: this.resumed,
      expected: null,
    };
    return this.full
      ? {
          ...summary,
          complete: false,
          missing: `stopped at the limit of ${plural(this.options.limit ?? 0, "record")}, which --limit set`,
        }
      : { ...summary, complete: true };
  }

  private report(): void {
    const done = this.state.counts.records;
    const step = `${this.source.name} ${this.inputStep}`;
    this.effects.progress({ stage: "harvest", step, done, total: null, unit: "records" });
  }

  private log(event: string, details: Record<string, unknown>): void {
    this.effects.log({ level: "info", event, source: this.source.name, ...details });
  }
}

/** Reasons for a rejection that can mean that the payload belongs to another source. */
const IS_OF_OTHERS: ReadonlySet<RejectionReason> = new Set(["unknown-shape", "no-identifier", "not-json"]);

/**
 * Returns the names of the sources whose format this unit has. Reads the whole file if the bytes of the unit are not
 * available. Returns none if there are more than {@link PAYLOAD_BYTES} bytes.
 */
async function findOwners({ path, size }: Input, { bytes, member }: Unit): Promise<string[]> {
  if (bytes !== undefined ? bytes.length > PAYLOAD_BYTES : size > PAYLOAD_BYTES || member !== undefined) return [];
  return sourcesOfPayload(bytes ?? (await readFile(path))).map(({ name }) => name);
}

function ofOthers(detail: string, owners: readonly string[]): string {
  return `${detail}; it looks like a payload of ${owners.join(" or ")}`;
}

function fromFileStart(detail: string, unit: Unit): string {
  if (unit.start === 0) return detail;
  return detail.replace(/ at byte (\d+)$/, (_match, offset: string) => ` at byte ${unit.start + Number(offset)}`);
}

interface RecordedHeader {
  readonly status: number | null;
  readonly retrievedAt: string | null;
}

const NOTHING: RecordedHeader = { status: null, retrievedAt: null };

/**
 * Reads the file with the headers of a recorded response. Status and time are null if the file is missing or is not
 * JSON.
 */
async function readSidecar(path: string): Promise<RecordedHeader> {
  let document: unknown;
  try {
    document = JSON.parse(await readFile(getSidecarPath(path), "utf8"));
  } catch (error) {
    const absent =
      error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENAMETOOLONG");
    if (absent || error instanceof SyntaxError) return NOTHING;
    throw error;
  }
  const status = Number(asText(at(document, "status")));
  return {
    status: Number.isInteger(status) && status >= 100 && status <= 599 ? status : null,
    retrievedAt: parseInstant(header(at(document, "headers"), "date")),
  };
}

/**
 * Returns the value of the header `name` (in lower case); the recorded name may have any case. Recorders store the
 * value as text or as a list, whose first element is returned.
 */
function header(headers: unknown, name: string): string | null {
  for (const [key, value] of Object.entries(asObject(headers) ?? {})) {
    if (key.toLowerCase() === name) return asText(Array.isArray(value) ? value[0] : value);
  }
  return null;
}

function parseInstant(date: string | null): string | null {
  const time = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
