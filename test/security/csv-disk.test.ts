/** The server responds 503 to a request for a table as CSV while the disk is full, and needs no restart when there is space. */

import { symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { ask } from "../server/ask.ts";
import { releasedStore, serve } from "../server/test-store.ts";
import { MOUNTS, smallDisk } from "../support/small-disk.ts";

test.skipIf(!MOUNTS)(
  "GET of a table as CSV returns 503 on a full disk, and 200 when there is space again",
  async () => {
    await using released = await releasedStore();
    const { store, receipt } = released;
    using disk = smallDisk("64m");
    await rm(store.queries(""), { recursive: true, force: true });
    symlinkSync(disk.folder, store.queries(""));
    const server = await serve(store);
    try {
      const folder = `/releases/${receipt.releaseDigest.replace(":", "-")}/data`;
      const path = `${folder}/records.csv.gz`;
      // A server that finds the disk full when it makes its folder makes the folder elsewhere.
      expect((await ask(server.port, `${folder}/scores.csv.gz`)).status).toBe(200);
      disk.fill();
      for (let i = 0; i < 2; i += 1) {
        const { status, headers } = await ask(server.port, path);
        expect([status, headers["retry-after"]]).toEqual([503, "10"]);
      }
      expect((await ask(server.port, "/records?limit=3")).status).toBe(200);
      disk.clear();
      expect((await ask(server.port, path)).status).toBe(200);
    } finally {
      await server.close();
    }
  },
  120_000,
);
