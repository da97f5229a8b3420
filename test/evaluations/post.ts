/** Sends JSON to a test server by POST, and parses replies. */

import { ask, type Reply } from "../server/ask.ts";

/**
 * Sends a body by POST. If it has an `identifier` but no `rubricVersion`, adds "2.0". To send none, give `rubricVersion:
 * undefined`.
 */
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
