/** A server under fuzz, which answers everybody else meanwhile; how long it blocks is watched by the rounds. */

import { expect } from "vitest";
import { ask } from "../../server/ask.ts";

/** Does `work` against the server of `port`, and looks whether it still answers. */
export async function answering<T>(port: number, work: () => Promise<T>): Promise<T> {
  const result = await work();
  const health = await ask(port, "/health");
  expect(health.status).toBe(200);
  return result;
}
