/**
 * Fuzz test of mirrors: whatever files a mirror serves, `fetch` stores the original release or nothing. The test changes
 * the bytes of files, whatever their content.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fetchRelease } from "../../../releases/fetch/index.ts";
import { startMirror } from "../../security/mirror.ts";
import { recordedEffects } from "../../support/effects.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { pathsIn } from "../../support/tree.ts";
import { at, signedWorld } from "../../trust/world.ts";
import { mutated } from "./mutated.ts";
import { FUZZ_TIME, playRounds } from "./rounds.ts";

/** Matches the allowed error codes of a rejected fetch. */
const REJECTIONS = /^ERR_FETCH_(?:REJECTED|UNANSWERED|INTERRUPTED)$/;

test("a release that was changed anywhere is rejected", { timeout: FUZZ_TIME }, async () => {
  await using world = await signedWorld(["2026-11-01"]);
  const digest = at(world.digests, 0);
  const folder = world.store.release(digest);
  const paths = await pathsIn(folder);
  const same = async (there: string, path: string) =>
    (await readFile(join(there, path))).equals(await readFile(join(folder, path)));
  const others = await Promise.all(paths.slice(0, 50).map((path) => readFile(join(folder, path))));
  const outcomes = new Map<string, number>();
  await playRounds(async (dice, _round, unblocked) => {
    // Every fetch reads the receipt and the manifest; there are many other files.
    const [first = "release.json", second = "release.json"] = [0, 1].map(() =>
      dice.oneIn(3) ? dice.of(["release.json", "manifest.ndjson"]) : dice.of(paths),
    );
    const changed = new Map<string, Buffer>();
    for (const path of dice.oneIn(2) ? [first] : [first, second])
      changed.set(path, mutated(await readFile(join(folder, path)), dice, others));
    const visited: string[] = [];
    await using mirror = await startMirror(folder, digest, (path, _request, response) => {
      const bytes = changed.get(path);
      if (bytes === undefined) return false;
      if (dice.oneIn(10))
        response.writeHead(dice.of([200, 302, 404, 500]), { location: "http://127.0.0.1:1/elsewhere" });
      if (dice.oneIn(20)) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      else response.end(bytes);
      return true;
    });
    await using empty = await temporaryStore();
    const options = {
      url: mirror.url,
      apiKey: null,
      parallel: 8,
      keys: null,
      unproven: true,
      threads: 1,
      memory: "256MB",
    };
    const fetch: typeof globalThis.fetch = (input, init) => {
      visited.push(new URL(String(input instanceof Request ? input.url : input)).origin);
      return globalThis.fetch(input, init);
    };
    const effects = { ...recordedEffects(), fetch, sleep: async () => undefined };
    const outcome = await unblocked(() => fetchRelease(empty.store, options, effects)).then(
      () => "taken",
      (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const there = empty.store.release(digest);
    if (outcome === "taken") {
      // For an unsigned receipt, the mirror is trusted for the fields outside its digests only.
      const files = [...changed.keys()].filter((path) => path !== "release.json");
      for (const path of files) expect([path, await same(there, path)]).toEqual([path, true]);
      expect(await same(there, "manifest.ndjson")).toBe(true);
    } else {
      expect(outcome).toMatch(REJECTIONS);
      expect(existsSync(there)).toBe(false);
    }
    expect(visited.filter((origin) => origin !== mirror.origin && origin !== "http://127.0.0.1:1")).toEqual([]);
  });
  expect([...outcomes.keys()].some((outcome) => REJECTIONS.test(outcome))).toBe(true);
});
