/** Test cases for a server whose active release changes: no request fails, and no response mixes two releases. */

import { existsSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { activate } from "../../pipeline/store/releases.ts";
import { createServer } from "../../server/index.ts";
import { ask } from "./ask.ts";
import { EFFECTS, makeRecordId, SPECIAL, UNLIMITED } from "./test-store.ts";
import type { World } from "./world.ts";

/**
 * Requests of several kinds with the expected status. Some responses are stored pages, others need the tables of the release.
 */
const LOAD = [
  { path: "/records", status: 200 },
  { path: "/authors?rubric=1.0", status: 200 },
  { path: "/metrics/live", status: 200 },
  { path: `/records/${makeRecordId(SPECIAL.winner)}`, status: 200 },
  { path: `/records/${makeRecordId(SPECIAL.loser)}`, status: 308 },
  { path: "/records/r000000000000000000000000", status: 404 },
  { path: "/authors/former-0000000000", status: 404 },
  { path: "/status", status: 200 },
] as const;

/** Waits until a condition holds. Throws after about two seconds. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error("the condition did not hold within two seconds");
}

export function switchingCases(world: () => World): void {
  describe("a server that follows the active release", () => {
    test("under load, each response comes completely from one release while the active release changes", async () => {
      const { full, next } = world();
      const store = world().copy(full, next);
      await activate(store, full.releaseDigest);
      const { port } = await world().serve(store);
      const seen = new Map<string, number>();
      const wrong: string[] = [];
      let running = true;
      const client = async (offset: number) => {
        for (let i = offset; running; i += 1) {
          const { path, status } = LOAD[i % LOAD.length] ?? LOAD[0];
          const reply = await ask(port, path);
          const digest = String(reply.headers["share-release"]);
          if (reply.status !== status) wrong.push(`${path}: ${reply.status}`);
          if (path === "/status") continue;
          seen.set(digest, (seen.get(digest) ?? 0) + 1);
          if (!reply.text.includes("_meta")) continue;
          const inside = JSON.parse(reply.text)._meta.scoreRelease.releaseDigest;
          if (inside !== digest) wrong.push(`${path}: ${inside} under ${digest}`);
        }
      };
      const clients = Array.from({ length: 8 }, (_, i) => client(i));
      for (let round = 0; round < 10; round += 1) {
        await activate(store, (round % 2 === 0 ? next : full).releaseDigest);
        await sleep(200);
      }
      running = false;
      await Promise.all(clients);
      expect(wrong).toEqual([]);
      expect([...seen.keys()].sort()).toEqual([full.releaseDigest, next.releaseDigest].sort());
      for (const requests of seen.values()) expect(requests).toBeGreaterThan(20);
    });

    test("a server that has not yet noticed a new active release still answers from the old one completely", async () => {
      const { full, next } = world();
      const store = world().copy(full, next);
      await activate(store, full.releaseDigest);
      const { port } = await world().serve(store, { pollMilliseconds: 60_000 });
      await activate(store, next.releaseDigest);
      const { headers, text } = await ask(port, "/records");
      expect(headers["share-release"]).toBe(full.releaseDigest);
      expect(JSON.parse(text)._meta.scoreRelease.releaseDigest).toBe(full.releaseDigest);
    });

    test("a server moves the link `serving` after `current` has moved, and shows both releases in the history", async () => {
      const { full, next } = world();
      const store = world().copy(full, next);
      await activate(store, full.releaseDigest);
      const { port } = await world().serve(store);
      const served = () => (existsSync(store.serving) ? basename(readlinkSync(store.serving)) : null);
      await until(() => served() === basename(store.release(full.releaseDigest)));
      await activate(store, next.releaseDigest);
      await until(async () => (await ask(port, "/records")).headers["share-release"] === next.releaseDigest);
      await until(() => served() === basename(store.release(next.releaseDigest)));
      const history: { releaseDigest: string }[] = JSON.parse((await ask(port, "/metrics/history")).text);
      expect(history.map(({ releaseDigest }) => releaseDigest)).toEqual([full.releaseDigest, next.releaseDigest]);
    });

    test("a server that cannot start or listen does not set the link `serving`", async () => {
      const { full } = world();
      const store = world().copy(full);
      await activate(store, full.releaseDigest);
      const { port } = await world().serve(world().store);
      const server = await createServer(store, { logger: false, quotas: UNLIMITED }, EFFECTS);
      await expect(server.app.listen({ port, host: "127.0.0.1" })).rejects.toThrow("EADDRINUSE");
      expect(readdirSync(store.queries(""))).toHaveLength(1);
      await server.close();
      expect([existsSync(store.serving), readdirSync(store.queries(""))]).toEqual([false, []]);
      rmSync(store.queries(""), { recursive: true });
      const misled = { logger: false, redisUrl: "https://localhost" } as const;
      await expect(createServer(store, misled, EFFECTS)).rejects.toThrow("REDIS_URL");
      // The server validates its options before it prepares anything.
      expect([existsSync(store.serving), existsSync(store.queries(""))]).toEqual([false, false]);
    });

    test("a server returns 503 until there is a release", async () => {
      const { full } = world();
      const store = world().copy(full);
      const { port } = await world().serve(store);
      for (const path of ["/records", `/records/${makeRecordId(SPECIAL.winner)}`, "/metrics/live", "/status"]) {
        const reply = await ask(port, path);
        expect([reply.status, JSON.parse(reply.text).type]).toEqual([503, "/problems/no-release"]);
        expect(reply.headers).toMatchObject({ "retry-after": "5", "cache-control": "no-store" });
      }
      expect(JSON.parse((await ask(port, "/health")).text)).toMatchObject({ status: "ok", release: null });
      expect((await ask(port, "/")).status).toBe(200);
      await activate(store, full.releaseDigest);
      await until(async () => (await ask(port, "/records")).status === 200);
    });

    test("a server keeps its release if the new one cannot be opened", async () => {
      const { full, next } = world();
      const store = world().copy(full, next);
      await activate(store, full.releaseDigest);
      const { port } = await world().serve(store);
      const still = async () => {
        await sleep(100);
        expect((await ask(port, "/records")).headers["share-release"]).toBe(full.releaseDigest);
      };
      rmSync(store.current);
      await still();
      symlinkSync(`releases/sha256-${"0".repeat(64)}`, store.current);
      await still();
      rmSync(store.release(next.releaseDigest), { recursive: true });
      rmSync(store.current);
      symlinkSync(`releases/${basename(store.release(next.releaseDigest))}`, store.current);
      await still();
    });
  });
}
