/**
 * Test cases for the end of a server: it finishes running requests, returns 503 for new ones, and ends even if a client never
 * reads.
 */

import { once } from "node:events";
import { appendFileSync, existsSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { activate } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { ask, keptConnection } from "./ask.ts";
import { serve } from "./test-store.ts";
import type { World } from "./world.ts";

/**
 * Size of a file in bytes. It exceeds the buffers between two sockets, so that a client that does not read delays the server.
 */
const LARGE = 48 * 1024 * 1024;

/** The folder in which Linux lists the open files of this process. Other systems do not have it. */
const DESCRIPTORS = "/proc/self/fd";

function isOpenOn(descriptor: string, file: string): boolean {
  try {
    return readlinkSync(join(DESCRIPTORS, descriptor)).endsWith(`/${file}`);
  } catch {
    return false;
  }
}

/** Adds a file of 48 MB to a release, whose download a client can leave unfinished. */
function addLargeFile(store: Store, digest: string): void {
  const folder = store.release(digest);
  writeFileSync(join(folder, "zeros"), "");
  truncateSync(join(folder, "zeros"), LARGE);
  // The path "zeros" is the last one, so that the manifest stays sorted.
  const line = { path: "zeros", bytes: LARGE, sha256: "0".repeat(64) };
  appendFileSync(join(folder, "manifest.ndjson"), `${JSON.stringify(line)}\n`);
}

export function closingCases(world: () => World): void {
  describe("a server that is closing", () => {
    const slowStore = async () => {
      const store = await world().altered(world().full);
      addLargeFile(store, world().full.releaseDigest);
      return { store, path: `/releases/${world().full.releaseDigest.replace(":", "-")}/zeros` };
    };

    /** Starts a client that sends a request and reads only the first bytes of the response. */
    async function slowClient(port: number, path: string) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      await once(socket, "readable");
      return socket;
    }

    test("a closing server finishes a running download, returns 503 for the next request on that connection, and then closes its port", async () => {
      const { store, path } = await slowStore();
      const server = await serve(store);
      const socket = await slowClient(server.port, path);
      const closed = server.close();
      socket.write("GET /records HTTP/1.1\r\nhost: x\r\n\r\n");
      await sleep(50);
      let bytes = 0;
      let tail = Buffer.alloc(0);
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        tail = Buffer.concat([tail, chunk]).subarray(-4096);
      });
      await once(socket, "end");
      await closed;
      expect(bytes).toBeGreaterThan(LARGE);
      expect(tail.toString("latin1")).toMatch(/HTTP\/1\.1 503 .*connection: close.*\/problems\/draining/is);
      await expect(ask(server.port, "/health")).rejects.toThrow(/ECONNREFUSED/);
    });

    test("a closing server returns 503 from every endpoint for a while before its port closes", async () => {
      const server = await serve(world().store, { noticeMilliseconds: 300 });
      const agent = keptConnection();
      expect((await ask(server.port, "/records", { agent })).status).toBe(200);
      const closed = server.close();
      for (const path of ["/records", "/health"]) {
        const reply = await ask(server.port, path, { agent });
        expect([reply.status, JSON.parse(reply.text).type]).toEqual([503, "/problems/draining"]);
        expect(reply.headers).toMatchObject({ connection: "close", "cache-control": "no-store", "retry-after": "1" });
      }
      await closed;
      agent.destroy();
      await expect(ask(server.port, "/health")).rejects.toThrow(/ECONNREFUSED/);
    });

    test("a server is ready once it serves a release, and neither ready nor healthy while it closes", async () => {
      const store = world().copy(world().full);
      const server = await serve(store, { noticeMilliseconds: 500 });
      server.operations.listen(0, "127.0.0.1");
      await once(server.operations, "listening");
      const address = z.object({ port: z.int() }).parse(server.operations.address());
      const probe = async (path: string) => {
        const { status, text } = await ask(address.port, path);
        return [status, JSON.parse(text).status];
      };
      expect([await probe("/health"), await probe("/ready")]).toEqual([
        [200, "ok"],
        [503, "no-release"],
      ]);
      await activate(store, world().full.releaseDigest);
      await expect.poll(() => probe("/ready")).toEqual([200, "ready"]);
      const closed = server.close();
      expect([await probe("/health"), await probe("/ready")]).toEqual([
        [503, "draining"],
        [503, "draining"],
      ]);
      await closed;
    });

    test("a closing server answers the requests that are running, and closes their connections", async () => {
      const server = await serve(world().store);
      const agent = new Agent({ keepAlive: true });
      // Each request waits for a query, so most are running or not yet accepted when the server begins to close.
      const path = "/records/r000000000000000000000000";
      const asked = Array.from({ length: 150 }, () => ask(server.port, path, { agent }));
      await Promise.race(asked);
      const closed = server.close();
      const answers = await Promise.all(asked);
      const after = answers.filter(({ headers }) => headers.connection === "close");
      expect(new Set(answers.map(({ status }) => status))).toContain(404);
      expect(after.filter(({ status }) => status === 404).length).toBeGreaterThan(0);
      expect(answers.every(({ status }) => status === 404 || status === 503)).toBe(true);
      await closed;
      agent.destroy();
    });

    test.runIf(existsSync(DESCRIPTORS))("an aborted download leaves no file of the release open", async () => {
      const { store, path } = await slowStore();
      const server = await serve(store);
      const open = () => readdirSync(DESCRIPTORS).filter((name) => isOpenOn(name, "zeros")).length;
      const clients = await Promise.all(Array.from({ length: 10 }, () => slowClient(server.port, path)));
      expect(open()).toBe(10);
      for (const client of clients) client.destroy();
      await expect.poll(open).toBe(0);
      await server.close();
    });

    test("a server closes without delay although a connection is idle and `close` is called twice", async () => {
      // A grace period longer than a test may take, so that waiting for it would fail the test.
      const server = await serve(world().store, { graceMilliseconds: 600_000 });
      const agent = keptConnection();
      await ask(server.port, "/records", { agent });
      await Promise.all([server.close(), server.close()]);
      agent.destroy();
    });

    test("a closing server disconnects a client that never reads at the end of the grace period", async () => {
      const { store, path } = await slowStore();
      const server = await serve(store, { graceMilliseconds: 200 });
      const socket = await slowClient(server.port, path);
      await server.close();
      socket.destroy();
    });
  });
}
