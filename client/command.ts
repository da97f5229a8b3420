#!/usr/bin/env node
/** The command of the package. Only this file and mcp.ts need Node and the MCP SDK. */
/// <reference types="node" />

import process from "node:process";
import { parseArgs } from "node:util";

const USAGE = `Usage: share-release-client mcp --url URL

Runs an MCP server over standard input and output, which reads a SHARE scoring service.

  --url URL   base URL of the service, such as https://share.example.org

If the environment variable SHARE_API_KEY has an API key, the rate limits are higher.
`;

/** Returns the URL of the service; null if the arguments are not valid. */
function urlIn(words: readonly string[]): string | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { url: { type: "string" } },
      allowPositionals: true,
    });
    if (positionals.length !== 1 || positionals[0] !== "mcp" || values.url === undefined) return null;
    return /^https?:$/.test(new URL(values.url).protocol) ? values.url.replace(/\/+$/, "") : null;
  } catch {
    return null;
  }
}

const baseUrl = urlIn(process.argv.slice(2));
if (baseUrl === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const apiKey = process.env.SHARE_API_KEY;
  const { serveMcp } = await import("./mcp.ts");
  await serveMcp({ baseUrl, patience: 10, ...(apiKey === undefined ? {} : { apiKey }) });
}
