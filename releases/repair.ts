/** Writes repaired versions of the records of one repository, from the payloads with which a release was scored. */

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { openDuckDB, partsIn, quote } from "../pipeline/engine/open.ts";
import type { DraftInputs } from "../pipeline/evaluate/scorer.ts";
import { makeFolder, publishFile } from "../pipeline/files/durable.ts";
import { enrichmentLines, type Provenance } from "../pipeline/repair/enrichment.ts";
import { type RepairedRecord, repairRecord } from "../pipeline/repair/record.ts";
import { listParts, readBatches } from "../pipeline/store/raw-parts.ts";
import type { Store } from "../pipeline/store/store.ts";
import { envelope } from "../schemas/internal/rows.ts";
import { csvCell } from "../schemas/public/csv.ts";

export interface RepositoryRepairs {
  readonly repository: string;
  /** Number of datasets of the repository in the release. */
  readonly datasets: number;
  readonly repaired: number;
  /** Number of datasets whose payload is no longer in the store. */
  readonly missing: number;
  /** Number of points that all repairs together add. */
  readonly points: number;
  readonly files: readonly string[];
}

interface RepositoryOptions extends DraftInputs {
  readonly repository: string;
  readonly folder: string;
  /**
   * Origin to state in enrichment records for DataCite. If null, updates of the records are written instead of enrichments.
   */
  readonly provenance: Provenance | null;
}

const CSV_COLUMNS = [
  ...["identifier", "doi", "title", "field", "action", "before", "after", "found_in"],
  ...["score_before", "score_after", "possible_points"],
];

/**
 * Writes `updates.jsonl` or `enrichments.jsonl`, and `changes.csv` with a description of each change. Only repairs payloads
 * that the release scored. Returns null if the release has no dataset of the repository.
 */
export async function repairRepository(
  store: Store,
  release: string,
  { repository, folder, provenance, ...inputs }: RepositoryOptions,
): Promise<RepositoryRepairs | null> {
  const wanted = await readDatasets(store.release(release), repository);
  if (wanted.size === 0) return null;
  const name = provenance === null ? "updates.jsonl" : "enrichments.jsonl";
  await makeFolder(folder);
  await using lines = new Output(join(folder, name));
  await using table = new Output(join(folder, "changes.csv"));
  await table.write(row(CSV_COLUMNS));
  const counts = { datasets: wanted.size, repaired: 0, points: 0 };
  for (const source of new Set(Array.from(wanted.values(), (each) => each.source))) {
    for (const { path } of await listParts(store.raw(source))) {
      await readBatches(path, async (batch) => {
        for (const line of batch) {
          const captured = envelope.parse(JSON.parse(line));
          const key = `${source} ${captured.sourceId}`;
          if (wanted.get(key)?.digest !== captured.payloadDigest) continue;
          // The same payload can be in several parts.
          wanted.delete(key);
          const repaired = await repairRecord({ ...captured, source }, inputs);
          const written = provenance === null ? updateLines(repaired) : (enrichmentLines(repaired, provenance) ?? []);
          if (written.length === 0) continue;
          counts.repaired += 1;
          counts.points += (repaired.after.record?.score?.total ?? 0) - (repaired.before.record?.score?.total ?? 0);
          await lines.write(written.map((each) => `${each}\n`).join(""));
          await table.write(tableRows(repaired).map(row).join(""));
        }
      });
    }
  }
  const files = [await lines.publish(), await table.publish()];
  return { repository, ...counts, missing: wanted.size, files };
}

interface RepairedDataset {
  readonly source: string;
  readonly digest: string;
}

async function readDatasets(folder: string, repository: string): Promise<Map<string, RepairedDataset>> {
  const db = await openDuckDB();
  try {
    const found = await db.rows(
      `select source, source_id, payload_digest from read_parquet(${quote(partsIn(join(folder, "data", "records")))}) where repository = $repository order by source, source_id`,
      { repository },
    );
    return new Map(
      found.map(({ source, source_id: id, payload_digest: digest }) => [
        `${source} ${id}`,
        { source: String(source), digest: String(digest) },
      ]),
    );
  } finally {
    db.close();
  }
}

function updateLines({ before, after, repair, text }: RepairedRecord): string[] {
  if (text === null || repair === null) return [];
  const { identifier, record } = before;
  return [
    JSON.stringify({
      identifier,
      doi: record?.doi ?? null,
      format: repair.format.name,
      scoreBefore: record?.score?.total ?? null,
      scoreAfter: after.record?.score?.total ?? null,
      update: JSON.parse(text),
    }),
  ];
}

function tableRows({ before, after, repair }: RepairedRecord): unknown[][] {
  const { identifier, record } = before;
  const scores = [record?.score?.total ?? null, after.record?.score?.total ?? null, record?.cap ?? null];
  return (repair?.changes ?? []).map(({ field, action, original, repaired, foundIn }) => [
    ...[identifier, record?.doi ?? null, record?.title ?? null, field, action],
    ...[words(original), words(repaired), foundIn, ...scores],
  ]);
}

function words(value: unknown): string | null {
  if (value === undefined || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function row(cells: readonly unknown[]): string {
  return `${cells.map((cell) => `"${csvCell(cell).replaceAll('"', '""')}"`).join(",")}\r\n`;
}

/** An output file that has a temporary name until it is complete. */
class Output {
  readonly #path: string;
  readonly #stream: WriteStream;
  #isPublished = false;

  constructor(path: string) {
    this.#path = path;
    this.#stream = createWriteStream(`${path}.tmp`);
  }

  async write(text: string): Promise<void> {
    if (!this.#stream.write(text)) await once(this.#stream, "drain");
  }

  async publish(): Promise<string> {
    this.#stream.end();
    await finished(this.#stream);
    await publishFile(`${this.#path}.tmp`, this.#path);
    this.#isPublished = true;
    return this.#path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isPublished) return;
    this.#stream.destroy();
    await finished(this.#stream).catch(() => undefined);
  }
}
