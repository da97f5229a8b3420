/** Which tool and engine made a release. */

import { readFile } from "node:fs/promises";
import { version as duckdbVersion } from "@duckdb/node-api";

/** Version of this package. */
export async function toolVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return version;
}

/** The engine and its version, such as `DuckDB v1.5.6`. */
export function engineVersion(): string {
  return `DuckDB ${duckdbVersion()}`;
}
