/**
 * Sends recorded responses of the services through harvest and normalisers, and counts the outcomes:
 * `node docs/write-recorded-answers.ts <folder>`. Writes the counts, and never the responses, to docs/recorded-answers.json.
 */

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { harvestFiles } from "../pipeline/1-harvest/index.ts";
import { parsePayload } from "../pipeline/reading/normalised.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../pipeline/sources/index.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import { listParts, readLines } from "../pipeline/store/raw-parts.ts";
import { openStore, type Store } from "../pipeline/store/store.ts";
import { loadVocabularies } from "../pipeline/vocabularies/index.ts";
import { envelope } from "../schemas/internal/rows.ts";
import type { RecordedRow } from "./generator/sources.ts";

/** The as-of date of the evidence that the normalisers make. */
const AS_OF = "2026-11-01";

/**
 * Folders whose names are not sources, because their responses are from other endpoints or protocols. Each has the
 * source that reads it.
 */
const OTHER_FOLDERS: Readonly<Record<string, string>> = {
  datacite_other: "datacite",
  errors: "datacite",
  invenio_other: "zenodo",
  oai: "datacite",
};

const QUIET: Effects = {
  fetch: () =>
    Promise.reject(new Error("a reader sent a request, but recorded responses must be read without a network")),
  now: () => new Date(0),
  sleep: () => Promise.resolve(),
  random: () => 0,
  log: () => {},
  progress: () => {},
};

/** Returns the number of records with each outcome. */
async function countOutcomes(store: Store, source: Source): Promise<RecordedRow["outcomes"]> {
  const vocabularies = await loadVocabularies();
  const outcomes = { record: 0, failed: 0, tombstone: 0, not_dataset: 0 };
  for (const part of await listParts(store.raw(source.name))) {
    for await (const line of readLines(part.path)) {
      const { payload, sourceId } = envelope.parse(JSON.parse(line));
      const document = payload === "" ? null : parsePayload(payload, source.xmlParts);
      outcomes[source.normalise(document, sourceId, { asOf: AS_OF, vocabularies }).outcome] += 1;
    }
  }
  return outcomes;
}

async function countFolder(path: string, folder: string, source: Source): Promise<RecordedRow> {
  const root = await mkdtemp(join(tmpdir(), "share-recorded-"));
  try {
    const store = openStore(root);
    const { files, rejected } = await harvestFiles(
      store,
      source,
      { paths: [path], retrievedAt: null, limit: null },
      QUIET,
    );
    const reasons = Object.fromEntries(Object.entries(rejected).filter(([, count]) => count > 0));
    return { folder, source: source.name, files, outcomes: await countOutcomes(store, source), rejected: reasons };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined || rest.length > 0) {
  process.stderr.write("usage: node docs/write-recorded-answers.ts <folder of recorded responses>\n");
  process.exitCode = 2;
} else {
  const rows: RecordedRow[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const source = SOURCES.find((each) => each.name === (OTHER_FOLDERS[name] ?? name));
    if (source !== undefined) rows.push(await countFolder(join(folder, name), name, source));
  }
  const made = new Date().toISOString().slice(0, 10);
  const path = new URL("recorded-answers.json", import.meta.url);
  await writeFile(path, `${JSON.stringify({ made, rows }, null, 2)}\n`);
  process.stdout.write(`${rows.length} folders; now run \`node docs/generate.ts\`\n`);
}
