/** The server as its clients see it: it listens on a port and serves real releases, which all its tests share to save time. */

import { afterAll, beforeAll, vi } from "vitest";
import { IS_FIRST } from "../tiers.ts";
import { badgeCases } from "./badge-cases.ts";
import { closingCases } from "./closing-cases.ts";
import { logCases } from "./log-cases.ts";
import { movedCases } from "./moved-cases.ts";
import { problemCases } from "./problem-cases.ts";
import { readingCases } from "./reading-cases.ts";
import { releaseFileCases } from "./release-file-cases.ts";
import { switchingCases } from "./switching-cases.ts";
import { World } from "./world.ts";

// This takes seconds on an idle machine, and longer beside other builds.
vi.setConfig({ testTimeout: 300_000 });

let built: World | null = null;

function world(): World {
  if (built === null) throw new Error("the releases are built by `beforeAll`: call `world` in a hook or test");
  return built;
}

beforeAll(async () => {
  built = await World.make();
}, 300_000);

afterAll(async () => {
  await built?.end();
});

readingCases(world);
problemCases(world);
badgeCases(world);
if (!IS_FIRST) {
  movedCases(world);
  releaseFileCases(world);
  switchingCases(world);
  closingCases(world);
  logCases(world);
}
