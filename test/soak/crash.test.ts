/** A build is killed at thirty random moments, half of the times while an older release is active, and sometimes twice. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../../fixtures/generate/random.ts";
import { removeWork } from "../../pipeline/store/store.ts";
import { BUILD, type Expected, expectGoesOn, expectWhole, verifiedContent } from "../support/interrupted-build.ts";
import { filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { watchedBuild } from "../support/watched-build.ts";

const MOMENTS = 30;
const GENERATED = { datacite: 240, zenodo: 45, clinicaltrials: 15 } as const;

/** The same shares of a build in each run. The moments still differ, because the load of the machine varies. */
const random = new Random(23, 0, 0);

interface Start {
  readonly original: TemporaryStore;
  readonly expected: Expected;
  /** Milliseconds that an uninterrupted build takes in a process of its own. */
  readonly duration: number;
}

let empty: Start;
let older: Start;
let kills = 0;

beforeAll(async () => {
  empty = await start(null);
  older = await start("2026-10-01");
});

afterAll(async () => {
  for (const { original } of [empty, older]) await original[Symbol.asyncDispose]();
});

for (let i = 0; i < MOMENTS; i += 1) {
  const share = (i + random.unit()) / MOMENTS;
  const again = i % 3 === 0 ? random.unit() : null;
  const active = i % 2 === 1;
  const name = again === null ? percent(share) : `${percent(share)}, and again ${percent(again)} of the remaining time`;
  test(`a build killed ${name} leaves a valid store${active ? ", with an older release active" : ""}`, async () => {
    const { original, expected, duration } = active ? older : empty;
    await using copy = await temporaryStore(original.store);
    await kill(copy, share * duration);
    await expectWhole(copy.store, expected);
    if (again !== null) {
      await kill(copy, share * duration + again * (1 - share) * duration);
      await expectWhole(copy.store, expected);
    }
    await expectGoesOn(copy.store, expected);
  });
}

test("a running build was killed more than 15 times", () => {
  expect(kills).toBeGreaterThan(MOMENTS / 2);
});

/** Kills a build after this many milliseconds, unless it has ended. */
async function kill({ store }: TemporaryStore, after: number): Promise<void> {
  const watched = await watchedBuild(store, BUILD, ({ elapsed }) => elapsed >= after);
  expect(watched.currents.filter((current) => current.startsWith("broken"))).toEqual([]);
  if (watched.signal === "SIGKILL") kills += 1;
}

function percent(share: number): string {
  return `at ${(100 * share).toFixed(1)} %`;
}

async function start(olderDay: string | null): Promise<Start> {
  const builds = olderDay === null ? [] : [{ asOf: olderDay, now: "2026-10-02T08:00:00.000Z" }];
  const original = await filledStore({ bundled: true, generated: { ...GENERATED, seed: 7 }, builds });
  await removeWork(original.store);
  await using copy = await temporaryStore(original.store);
  const { currents, elapsed } = await watchedBuild(copy.store, BUILD);
  const digest = currents.at(-1) ?? "absent";
  const content = await verifiedContent(copy.store, digest);
  const active = original.digests[0] ?? null;
  const older = active === null ? null : await verifiedContent(copy.store, active);
  return { original, expected: { before: active ?? "absent", older, content }, duration: elapsed };
}
