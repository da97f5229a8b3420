/** Provides the version of this program. */

import { readFile } from "node:fs/promises";

export async function toolVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
