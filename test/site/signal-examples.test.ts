/** The examples on the pages of the signals. The tests score each, so that an example cannot contradict the rules. */

import { expect, test } from "vitest";
import { scoreDraft } from "../../pipeline/evaluate/scorer.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { type ExampleDraft, SIGNAL_EXAMPLES } from "../../web/components/signal-examples.ts";

async function findState(id: string, { metadata = {}, files = [] }: ExampleDraft): Promise<string | undefined> {
  const deposit = {
    metadata: { title: "Tides", upload_type: "dataset", creators: [{ name: "Doe, Jane" }], ...metadata },
    files: files.map((key) => ({ key })),
  };
  const file = new TextEncoder().encode(JSON.stringify(deposit));
  const inputs = { contract: "2.0.0-beta.2", asOf: "2026-11-01", getReader } as const;
  const { record } = await scoreDraft(sourceNamed("zenodo"), file, inputs);
  return record?.signals.find((signal) => signal.id === id)?.state;
}

test("the page of every signal has examples", () => {
  expect(Object.keys(SIGNAL_EXAMPLES)).toEqual(SIGNAL_IDS);
});

test.each(SIGNAL_IDS)("the examples on the page of %s pass and fail as the page says", async (id) => {
  const examples = SIGNAL_EXAMPLES[id];
  if (examples === undefined)
    throw new Error(`the signal ${id} has no examples; add them where those of the other signals are`);
  const { passes, fails } = examples;
  expect([await findState(id, passes.draft), await findState(id, fails.draft)]).toEqual(["passed", "absent"]);
});
