/** No path makes the server redirect to another host. */

import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";

let released: ReleasedStore;
let server: Listening;
beforeAll(async () => {
  released = await releasedStore();
  server = await serve(released.store);
}, 300_000);
afterAll(async () => {
  await server?.close();
  await released?.[Symbol.asyncDispose]();
});

/** Requests a path exactly as it is written, which no HTTP client does, and returns the target of the redirect. */
async function fetchLocation(path: string): Promise<string | null> {
  const socket = connect(server.port, "127.0.0.1");
  socket.end(`GET ${path} HTTP/1.1\r\nHost: share.example\r\nConnection: close\r\n\r\n`);
  return /^location: *(.*)\r$/im.exec(await text(socket))?.[1] ?? null;
}

test.each([
  "/releases/latest/../..//evil.example",
  "/releases/latest/../../%2F/evil.example",
  "/releases/latest/..\\..\\\\evil.example",
  "/releases/latest/../../..///evil.example/x?y",
  "/releases/sha256:0000000000000000000000000000000000000000000000000000000000000000/../..//evil.example",
  "//evil.example/releases/latest",
])("a redirect for the path %s stays on this host", async (path) => {
  const location = (await fetchLocation(path)) ?? "/";
  for (const base of ["http://share.example/a/b", "https://share.example/"])
    expect(new URL(location, base).hostname).toBe("share.example");
});
