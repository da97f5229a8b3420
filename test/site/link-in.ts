/** Finds the sign-in link in the email that a server without a mail server writes to a folder, a moment after its response. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";

/** Waits until `folder` has its only email, and returns the link with a token in it. */
export async function linkIn(folder: string): Promise<string> {
  const messages = () => readdirSync(folder).filter((name) => name.endsWith(".eml"));
  await vi.waitFor(() => expect(messages()).toHaveLength(1), { timeout: 60_000 });
  const text = readFileSync(join(folder, messages()[0] ?? ""), "utf8");
  return /http\S+#token=\S+/.exec(text)?.[0] ?? "";
}
