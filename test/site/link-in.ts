/** Returns the link of the one message in a store, which is written a moment after the response. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";

/** Waits for the message in the folder of emails, and returns its link. */
export async function linkIn(folder: string): Promise<string> {
  const messages = () => readdirSync(folder).filter((name) => name.endsWith(".eml"));
  await vi.waitFor(() => expect(messages()).toHaveLength(1), { timeout: 60_000 });
  const text = readFileSync(join(folder, messages()[0] ?? ""), "utf8");
  return /http\S+#token=\S+/.exec(text.replaceAll("=\r\n", "").replaceAll("=3D", "="))?.[0] ?? "";
}
