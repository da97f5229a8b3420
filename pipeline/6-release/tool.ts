/** Which tool made a release. */

import { readFile } from "node:fs/promises";

/** Version of this package. */
export async function toolVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
