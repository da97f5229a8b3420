/** A server under fuzz: how long it blocks, and whether it answers everybody else meanwhile. */

import { expect } from "vitest";
import { ask } from "../../server/ask.ts";
import { mostBlocked } from "../../support/blocked.ts";

/** Milliseconds of this thread's time between two turns of its event loop. */
const LONGEST_BLOCK = 200;

/** Does `work` against the server of `port`, and holds it to what it owes the others. */
export async function answering<T>(port: number, work: () => Promise<T>): Promise<T> {
  const { result, blocked } = await mostBlocked(work);
  expect(blocked).toBeLessThan(LONGEST_BLOCK);
  const health = await ask(port, "/health");
  expect(health.status).toBe(200);
  return result;
}
