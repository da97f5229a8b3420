/** Tests that the text of a record page that is joined from cached parts equals the text that the page function makes. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { pageBytes, pageText } from "../../api-static/pages/read-page.ts";
import { recordDetail, recordText } from "../../api-static/pages/record.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { readExplanations, scoredRecords } from "../../pipeline/pages/keyed-pages.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";

let bundled: BundledRelease;

beforeAll(async () => {
  bundled = await bundledRelease();
});

afterAll(() => bundled[Symbol.asyncDispose]());

test("a record page joined from cached parts equals the complete page, even if a title looks like a placeholder", async () => {
  const explanations = await readExplanations(PUBLIC_VERSIONS);
  const db = await openTables(releaseTablePaths(bundled.folder), { threads: 1, memory: "256MB" });
  let records = 0;
  try {
    for await (const { bundle, scores } of scoredRecords(db, { from: "r", to: "s" }, PUBLIC_VERSIONS)) {
      const odd = { ...bundle, record: { ...bundle.record, title: '"signals":[] \\"signals\\":[]' } };
      for (const explanation of explanations) {
        const score = scores.get(explanation.version) ?? null;
        for (const each of [bundle, bundle, odd]) {
          expect(pageBytes(recordText(each, score, explanation)).toString()).toBe(
            pageText(recordDetail(each, score, explanation)),
          );
        }
      }
      records += 1;
    }
  } finally {
    db.close();
  }
  expect(records).toBeGreaterThan(50);
});
