/** Posting JSON to a server of the tests. */

import { ask, type Reply } from "../server/ask.ts";

export function post(port: number, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return ask(port, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The body of a reply; a body that is no JSON fails the test that asked. */
export function bodyOf({ text }: Reply): unknown {
  return JSON.parse(text);
}
