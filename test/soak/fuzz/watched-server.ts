/**
 * Checks that a server which a fuzz test attacks still responds to other clients. rounds.ts measures how long the server
 * blocks.
 */

import { expect } from "vitest";
import { ask } from "../../server/ask.ts";

/** Runs `work` against the server on `port`, and checks that the server still responds. */
export async function answering<T>(port: number, work: () => Promise<T>): Promise<T> {
  const result = await work();
  const health = await ask(port, "/health");
  expect(health.status).toBe(200);
  return result;
}
