/** A server under a fuzz test that must still respond to other clients; the rounds measure how long it blocks. */

import { expect } from "vitest";
import { ask } from "../../server/ask.ts";

/** Does `work` against the server on `port`, and checks that it still responds. */
export async function answering<T>(port: number, work: () => Promise<T>): Promise<T> {
  const result = await work();
  const health = await ask(port, "/health");
  expect(health.status).toBe(200);
  return result;
}
