/**
 * Rate limits that one process counts in memory: the remaining time never exceeds the time window, however long the process has
 * run.
 */

import { afterEach, expect, test, vi } from "vitest";
import { MemoryStore } from "../../server/http/limits.ts";

const WINDOW = 60_000;

afterEach(() => {
  vi.restoreAllMocks();
});

test("a new time window of a rate limit always has its full length", () => {
  const store = new MemoryStore();
  const left: number[] = [];
  // Simulates times from one minute to two hours after the start, at which sums of fractions are not exact.
  const started = vi.spyOn(performance, "now");
  for (let i = 0; i < 20_000; i += 1) {
    started.mockReturnValue(60_000 + i * 357.123457);
    store.incr(`caller ${i}`, (_error, counted) => left.push(counted?.ttl ?? Number.NaN), WINDOW);
  }
  expect(left.length).toBe(20_000);
  expect(left.filter((ttl) => ttl !== WINDOW)).toEqual([]);
});
