/** Posts JSON to a test server. */

import { ask, type Reply } from "../server/ask.ts";

/** Posts a body. Adds version 2.0 if the body names a dataset without a version; leaves out an `undefined` version. */
export function post(port: number, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const named = typeof body === "object" && body !== null && "identifier" in body;
  const whole = named ? { rubricVersion: "2.0", ...body } : body;
  return ask(port, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof whole === "string" ? whole : JSON.stringify(whole),
  });
}

/** Parses the body of a reply. Throws if it is not JSON. */
export function parseBody({ text }: Reply): unknown {
  return JSON.parse(text);
}
