/** nginx's workers are somebody else than who builds: what they can read comes from files, and what they cannot is told of. */

import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { Writable } from "node:stream";
import { pino } from "pino";
import { beforeAll, describe, expect, test } from "vitest";
import { closedToOthers } from "../../operations/doctor/closed-to-others.ts";
import { activate } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { ask } from "../server/ask.ts";
import type { World } from "../server/world.ts";
import { makeTrees } from "../support/page-trees.ts";
import { front } from "./front.ts";

/** Who has nothing to do with the store, with a group of theirs; workers can be somebody else only where root starts them. */
const NOBODY = "nobody";
const READER = `${NOBODY} ${execFileSync("id", ["-gn", NOBODY], { encoding: "utf8" }).trim()}`;

export function readerCases(world: () => World): void {
  describe.skipIf(process.getuid?.() !== 0)("workers of another user", () => {
    let store: Store;
    let targets: string[];
    const release = () => store.release(world().full.releaseDigest);
    const tree = () => store.tree(world().full.releaseDigest);

    beforeAll(async () => {
      store = world().copy(world().full);
      await activate(store, world().full.releaseDigest);
      await makeTrees(store, world().full.releaseDigest);
      chmodSync(store.root, 0o755);
      const file = `/releases/${world().full.releaseDigest.replace(":", "-")}/release.json`;
      targets = ["/metrics/live", file];
    });

    /** What a server behind a proxy says of the release it begins to serve. */
    async function warnings(trustProxy: string[]): Promise<unknown[]> {
      const lines: string[] = [];
      const write = (chunk: Buffer, _encoding: string, done: () => void) => {
        lines.push(...chunk.toString("utf8").trim().split("\n"));
        done();
      };
      const server = await world().serve(store, { logger: pino(new Writable({ write })), trustProxy });
      await server.close();
      return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "release-closed-to-others");
    }

    test("what umask 022 leaves comes from nginx alone, and nothing is said", async () => {
      execFileSync("chmod", ["-R", "u=rwX,go=rX", release(), store.trees]);
      await using at = await front(store, {}, READER);
      for (const target of targets) expect((await ask(at.port, target)).status).toBe(200);
      expect(at.seen.map(({ target }) => target)).toEqual([]);
      expect(await closedToOthers(release(), tree())).toBeNull();
      expect(await warnings(["127.0.0.1"])).toEqual([]);
    });

    test("what umask 027 leaves is answered all the same, by the server, which says so", async () => {
      execFileSync("chmod", ["-R", "u=rwX,g=rX,o=", release(), tree()]);
      await using at = await front(store, {}, READER);
      for (const target of targets) expect((await ask(at.port, target)).status).toBe(200);
      expect(at.seen.map(({ target }) => target)).toEqual(targets);
      const told = {
        closed: release(),
        release: world().full.releaseDigest,
        advice: expect.stringContaining("umask 022"),
      };
      expect(await warnings(["127.0.0.1"])).toEqual([expect.objectContaining(told)]);
      // Nobody stands in front: nobody else has to read them.
      expect(await warnings([])).toEqual([]);
    });
  });
}
