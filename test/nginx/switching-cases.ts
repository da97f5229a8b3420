/** A release takes over while nginx runs: no reload, no failure, and no answer made of two releases. */

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { activate } from "../../pipeline/store/releases.ts";
import { ask, keptConnection } from "../server/ask.ts";
import { EFFECTS, rawStore } from "../server/test-store.ts";
import type { World } from "../server/world.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { front } from "./front.ts";

const LOAD = ["/records", "/metrics/live", "/authors", "/rubrics", "/records?rubric=1.0", "/records?limit=3"];

export function switchingCases(world: () => World): void {
  describe("a release that takes over", () => {
    test("under load, between two releases", async () => {
      const { full, next, store: original } = world();
      await using copy = await temporaryStore(original);
      const { store } = copy;
      await activate(store, full.releaseDigest);
      await using at = await front(store);
      const seen = new Map<string, number>();
      const wrong: string[] = [];
      let running = true;
      const client = async (offset: number) => {
        const agent = keptConnection();
        for (let i = offset; running; i += 1) {
          const target = LOAD[i % LOAD.length] ?? "/records";
          const { status, headers, text } = await ask(at.port, target, { agent });
          const digest = String(headers["share-release"]);
          if (status !== 200) wrong.push(`${target}: ${status}`);
          const inside: string = JSON.parse(text)._meta?.scoreRelease.releaseDigest ?? digest;
          if (inside !== digest) wrong.push(`${target}: ${inside} under ${digest}`);
          seen.set(digest, (seen.get(digest) ?? 0) + 1);
        }
        agent.destroy();
      };
      const clients = Array.from({ length: 4 }, (_, i) => client(i));
      for (const { releaseDigest } of [next, full, next, full]) {
        // The server may just be moving `serving`.
        await activate(store, releaseDigest, { sleep: EFFECTS.sleep });
        while ((await ask(at.port, "/metrics/live")).headers["share-release"] !== releaseDigest) await sleep(20);
      }
      running = false;
      await Promise.all(clients);
      expect(wrong).toEqual([]);
      expect([...seen.keys()].sort()).toEqual([full.releaseDigest, next.releaseDigest].sort());
    });

    test("what was kept of the one before is not given out", async () => {
      const { full, next, store: original } = world();
      await using copy = await temporaryStore(original);
      await activate(copy.store, full.releaseDigest);
      await using at = await front(copy.store);
      const releaseOf = async (target: string) => (await ask(at.port, target)).headers["share-release"];
      expect(await releaseOf("/authors")).toBe(full.releaseDigest);
      await activate(copy.store, next.releaseDigest);
      while ((await releaseOf("/metrics/live")) !== next.releaseDigest) await sleep(20);
      expect(await releaseOf("/authors")).toBe(next.releaseDigest);
    });

    test("before any release everything goes to the server, and a page taken away does too", async () => {
      const { store, remove } = rawStore();
      try {
        await using at = await front(store);
        const reply = await ask(at.port, "/records");
        expect([reply.status, JSON.parse(reply.text).type]).toEqual([503, "/problems/no-release"]);
      } finally {
        remove();
      }
      await using copy = await temporaryStore(world().store);
      await activate(copy.store, world().full.releaseDigest);
      await using at = await front(copy.store);
      const tree = copy.store.tree(world().full.releaseDigest);
      rmSync(`${tree}/api/2.0/metrics/live.json`);
      await ask(at.port, "/metrics/live");
      expect(at.seen.at(-1)?.target).toBe("/metrics/live");
      // A release that was published without its pages is the server's to answer for, all of it.
      await ask(at.port, "/rubrics");
      expect(at.seen.at(-1)?.target).toBe("/metrics/live");
      rmSync(tree, { recursive: true });
      const rubrics = await ask(at.port, "/rubrics");
      expect([rubrics.status, at.seen.at(-1)?.target]).toEqual([200, "/rubrics"]);
    });
  });
}
