/** The coded file of the hand-judged cases is what was judged, and its figures are what a release of the payloads gives. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readCoded } from "../../operations/judging/reading/read-judgements.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { handJudged as schema } from "../../schemas/internal/hand-judged.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { capturesAreThere, GOLDEN_CASES } from "./golden-cases.ts";
import { CODED, codedText, FIGURES, handJudged } from "./hand-judged.ts";

const kept = schema.parse(JSON.parse(await readFile(FIGURES, "utf8")));

test("the file is that of the cases, or `npm run hand-judged` is due", async () => {
  expect(await readFile(CODED, "utf8")).toBe(await codedText());
});

test("its figures count each of its words once", async () => {
  const db = await openDuckDB({ threads: 1 });
  try {
    const lines = await readCoded(db, CODED);
    expect(lines).toBe(2 * new Set(GOLDEN_CASES.map(({ source, sourceId }) => `${source}/${sourceId}`)).size);
    expect(kept.datasets).toBe(lines / 2);
    for (const { rubric, signal, ...own } of kept.signals) {
      const bit = SIGNAL_IDS.indexOf(signal);
      const [row] = await db.rows(
        `select count(*) filter (where present & (1 << ${bit}) <> 0) as present,
           count(*) filter (where absent & (1 << ${bit}) <> 0) as absent from given where rubric = $rubric`,
        { rubric },
      );
      expect({
        signal,
        present: own.presentPassed + own.presentAbsent + own.presentUnjudged,
        absent: own.absentPassed + own.absentAbsent + own.absentUnjudged,
      }).toEqual({ signal, present: Number(row?.present), absent: Number(row?.absent) });
    }
    expect(kept.signals).toHaveLength(PUBLIC_VERSIONS.length * SIGNAL_IDS.length);
  } finally {
    db.close();
  }
});

test.skipIf(!capturesAreThere)("a release of the payloads gives these figures", { timeout: 180_000 }, async () => {
  expect(await handJudged()).toEqual(kept);
});
