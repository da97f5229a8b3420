/** Neither a build of 200,000 records with the default memory limit nor its verification runs out of memory. */

import { expect, test } from "vitest";
import { writeGenerated } from "../../fixtures/write.ts";
import { runCommand } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const RECORDS = 200_000;

test("a build of 200,000 records succeeds with default memory, and the release passes verification", async () => {
  await using there = await temporaryStore();
  await writeGenerated(there.store, { source: "datacite", records: RECORDS, seed: 11 }, recordedEffects());
  const command = (...words: readonly string[]) => runCommand([...words, "--store", there.store.root]);
  const built = await command("build", "--as-of", "2026-11-01");
  expect([built.exitCode, built.stdout]).toEqual([0, expect.stringMatching(/^A new release\.\n/)]);
  const verified = await command("release", "verify", "--rebuild");
  expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining(" is valid (")]);
}, 3_600_000);
