/** Runs a suite with the counts in memory, and in Redis where it is installed. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { HAS_REDIS, type StartedRedis, startRedis } from "../support/redis.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "./test-app.ts";

/** A new server on a new account store, which ends with the test; its callers have asked nothing yet. */
export type Serve = (options?: Omit<TestAppOptions, "target" | "redisUrl">) => Promise<TestApp>;

export function describeEachCounter(name: string, suite: (serve: Serve) => void): void {
  describe(`${name}, in memory`, () => suite(server(() => null)));

  describe.skipIf(!HAS_REDIS)(`${name}, in Redis`, () => {
    let redis: StartedRedis | null = null;
    beforeAll(async () => {
      redis = await startRedis();
    });
    // Empty for the next test.
    afterEach(async () => {
      await redis?.kill();
      await redis?.start();
    });
    afterAll(async () => {
      await redis?.stop();
    });
    suite(server(() => redis?.url ?? null));
  });
}

function server(redisUrl: () => string | null): Serve {
  const open: TestApp[] = [];
  const folder = mkdtempSync(join(tmpdir(), "share-limits-"));
  let stores = 0;
  afterEach(async () => {
    for (const app of open.splice(0)) await app.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return async (options = {}) => {
    stores += 1;
    const target = { sqlite: join(folder, `${stores}.sqlite`) };
    const app = await startTestApp({ ...options, target, redisUrl: redisUrl() });
    open.push(app);
    return app;
  };
}
