/** The commands activate, rollback and prune are killed at fifty random moments. */

import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { currentDigest, listReleases } from "../../pipeline/store/releases.ts";
import { verify } from "../../releases/verify/index.ts";
import { recordedEffects } from "../support/effects.ts";
import { startServing } from "../support/serving.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { expectMended, killCommand, measureDuration } from "../trust/killed.ts";
import { at, signedWorld, type World } from "../trust/world.ts";

const MOMENTS = 50;
const COMMANDS = ["activate", "rollback", "prune"] as const;

/** The same shares of a command in each run. The moments still differ, because the load of the machine varies. */
const random = new Random(29, 0, 0);

let world: World;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05"]);
  await rm(world.store.work(""), { recursive: true, force: true });
});

afterAll(() => world[Symbol.asyncDispose]());

test(`after ${MOMENTS} kills of commands, a complete release is active and served, and the next command repairs the store`, async () => {
  const durations = new Map<string, number>();
  let kills = 0;
  for (let i = 0; i < MOMENTS; i += 1) {
    await using copy = await temporaryStore(world.store);
    const name = at(COMMANDS, i % COMMANDS.length);
    const command = {
      activate: ["release", "activate", at(world.digests, i % 4)],
      rollback: ["release", "rollback"],
      prune: ["release", "prune", "--keep", "2"],
    }[name];
    if (!durations.has(name)) {
      await using measured = await temporaryStore(world.store);
      durations.set(name, await measureDuration(measured.store, command));
    }
    // A command spends most of its time starting up, and works in its last third.
    const share = 0.6 + 0.45 * random.unit();
    const due = share * (durations.get(name) ?? 0);
    if (await killCommand(copy.store, command, (elapsed) => elapsed >= due)) kills += 1;
    const left = (await listReleases(copy.store)).map(({ releaseDigest }) => releaseDigest);
    expect(left).toContain(await currentDigest(copy.store));
    await expectMended(copy.store, left);
    for (const digest of left) {
      const settings = { threads: 2, memory: "512MB", keys: world.keys };
      if (i % 10 === 0) expect((await verify(copy.store, digest, settings, recordedEffects())).findings).toEqual([]);
    }
  }
  expect(kills).toBeGreaterThan(MOMENTS / 4);
});

test("a server always has a complete release while activations are killed", async () => {
  await using copy = await temporaryStore(world.store);
  const server = await startServing(["--rate", "1000000", "--store", copy.store.root], { SHARE_LOG_LEVEL: "silent" });
  try {
    const duration = await measureDuration(copy.store, ["release", "activate", at(world.digests, 0)]);
    for (let i = 0; i < 10; i += 1) {
      const due = (0.6 + 0.45 * random.unit()) * duration;
      await killCommand(copy.store, ["release", "activate", at(world.digests, i % 5)], (elapsed) => elapsed >= due);
      const response = await fetch(`http://127.0.0.1:${server.port}/metrics/live`);
      expect(response.status).toBe(200);
      expect(world.digests).toContain(response.headers.get("share-release"));
      await response.body?.cancel();
    }
  } finally {
    await server.end();
  }
});
