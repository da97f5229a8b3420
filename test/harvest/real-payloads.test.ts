/**
 * Tests imports of recorded responses of the real services, if these are on this machine: every file gives records or
 * rejections.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { listInputs } from "../../pipeline/1-harvest/inputs.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { readEnvelopes, readRejections, testEffects } from "./bench-store.ts";

const FOLDER = process.env.SHARE_REAL_PAYLOADS ?? join(import.meta.dirname, "../../../shared/data");
const there = existsSync(FOLDER);
if (!there) console.warn(`recorded responses are not tested: there is no folder ${FOLDER} (set SHARE_REAL_PAYLOADS)`);

const CASES = [
  { source: "datacite", folder: "datacite", least: 1150 },
  { source: "zenodo", folder: "zenodo", least: 19 },
  { source: "clinicaltrials", folder: "clinicaltrials", least: 8 },
  { source: "dataverse", folder: "dataverse", least: 3 },
  { source: "dryad", folder: "dryad", least: 13 },
  { source: "edi", folder: "edi", least: 1 },
  { source: "figshare", folder: "figshare", least: 50 },
  { source: "geo", folder: "geo", least: 2 },
  { source: "nasa_cmr", folder: "nasa_cmr", least: 37 },
  { source: "openaire", folder: "openaire", least: 1 },
  { source: "openneuro", folder: "openneuro", least: 1 },
  { source: "osf", folder: "osf", least: 19 },
  { source: "sra", folder: "sra", least: 5 },
  ...SOURCES.map(({ name }) => ({ source: name, folder: "errors", least: 0 })),
];

describe.skipIf(!there)("recorded responses of all services", () => {
  test.each(CASES)(
    "recorded responses in the folder $folder are imported as $source, and each gives a record or a rejection",
    async ({ source, folder, least }) => {
      await using bench = await temporaryStore();
      const known = sourceNamed(source);
      if (known === null) throw new Error(`there is no source ${source}`);
      const path = join(FOLDER, folder);
      const inputs = await listInputs([path]);
      const summary = await harvestFiles(
        bench.store,
        known,
        { paths: [path], retrievedAt: null, limit: null },
        testEffects(),
      );
      const records = await readEnvelopes(bench.store, source);
      const rejections = await readRejections(bench.store, source);
      expect(summary).toMatchObject({ files: inputs.length, records: records.length, complete: true });
      expect(records.length).toBeGreaterThanOrEqual(least);
      for (const { sourceId, payload } of records)
        expect(known.identify(parsePayload(payload, known.xmlParts))).toBe(sourceId);
      // Files are read one by one, so that a file without records is noticed.
      for (const input of inputs) {
        await using single = await temporaryStore();
        const options = { paths: [input.path], retrievedAt: null, limit: null };
        const alone = await harvestFiles(single.store, known, options, testEffects());
        const rejected = rejections.filter(({ file }) => file === input.path).length;
        expect(alone.records + rejected, input.path).toBeGreaterThan(0);
      }
    },
  );
});
