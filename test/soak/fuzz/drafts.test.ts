/** The door of drafts: whatever a file for `evaluate` holds, it is scored or refused in words, and nothing is asked. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandHost } from "../../support/command-host.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { samples } from "./corpus.ts";
import { mutated } from "./mutated.ts";
import { FUZZ_TIME, playRounds } from "./rounds.ts";

const SAMPLES = samples();
const ALL = SAMPLES.map(({ bytes }) => bytes);

/** Scored; refused; wrong usage; no score. */
const CODES = [0, 1, 2, 3];
const STEERS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

test("any draft is scored, or refused in words", { timeout: FUZZ_TIME }, async () => {
  await using made = await temporaryStore();
  await using host = commandHost(join(import.meta.dirname, "../../cli/share-release.ts"));
  const codes = new Map<number, number>();
  await playRounds(async (dice) => {
    const { source, bytes, name } = dice.of(SAMPLES);
    const path = join(made.folder, name);
    await writeFile(path, mutated(bytes, dice, ALL));
    const named = dice.oneIn(3) ? [] : ["--source", source];
    const json = dice.oneIn(2) ? ["--json"] : [];
    const { exitCode, stdout, stderr } = await host.run(["evaluate", path, ...named, ...json], {
      environment: { SHARE_STORE: made.store.root },
    });
    codes.set(exitCode ?? -1, (codes.get(exitCode ?? -1) ?? 0) + 1);
    expect(CODES).toContain(exitCode);
    // A stack is told where it is our fault.
    expect(stderr).not.toMatch(/^\s+at /m);
    for (const line of `${stdout}\n${stderr}`.split(/[\n\t]/)) expect(line).not.toMatch(STEERS);
  });
  expect(codes.size).toBeGreaterThan(0);
});
