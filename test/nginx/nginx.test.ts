/** nginx in front of the server, as the command prints it: one file, so that the releases are built once. */

import { afterAll, beforeAll, describe, vi } from "vitest";
import { IS_FIRST } from "../rings.ts";
import { World } from "../server/world.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { makeTrees } from "../support/page-trees.ts";
import { configurationCases } from "./configuration-cases.ts";
import { downloadCases } from "./download-cases.ts";
import { pageCases } from "./page-cases.ts";
import { proxyCases } from "./proxy-cases.ts";
import { readerCases } from "./reader-cases.ts";
import { refusalCases } from "./refusal-cases.ts";
import { switchingCases } from "./switching-cases.ts";
import { tlsCases } from "./tls-cases.ts";
import { trapCases } from "./trap-cases.ts";

// Seconds on a machine that does nothing else; others may be building beside us.
vi.setConfig({ testTimeout: 300_000 });

describe.skipIf(!HAS_NGINX)("nginx", () => {
  let built: World | null = null;

  function world(): World {
    if (built === null) throw new Error("the releases are not built yet");
    return built;
  }

  beforeAll(async () => {
    built = await World.make();
    await makeTrees(built.store, built.full.releaseDigest, built.next.releaseDigest);
  }, 300_000);

  afterAll(async () => {
    await built?.end();
  });

  pageCases(world);
  if (IS_FIRST) return;
  configurationCases(world);
  trapCases(world);
  proxyCases(world);
  refusalCases(world);
  downloadCases(world);
  switchingCases(world);
  readerCases(world);
  tlsCases(world);
});
