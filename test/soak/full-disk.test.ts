/**
 * If the account store has no space, a server rejects writes with 503 until there is space, still reads, and needs no restart.
 */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everyWrite } from "../accounts/every-write.ts";
import {
  all,
  DONE,
  expectKept,
  expectReading,
  findSlug,
  ownThings,
  REJECTED,
  sent,
  served,
  submittedDuring,
} from "../accounts/faulty-store.ts";
import { type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { MOUNTS, smallDisk } from "../support/small-disk.ts";

let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
});

afterAll(() => raw?.[Symbol.asyncDispose]());

test.skipIf(!MOUNTS)(
  "every account write returns 503 while the disk is full and reading continues, and succeeds when there is space",
  async () => {
    using disk = smallDisk("4m");
    const server = await served(raw.store, { sqlite: join(disk.folder, "accounts.sqlite") });
    try {
      const [writes, reader, slug] = [await everyWrite(server), await server.person(), await findSlug(server)];
      const statuses = await submittedDuring(reader, () => disk.fill());
      expect(await sent(writes)).toEqual(all(writes, REJECTED));
      // Repeats the writes, to check that failed writes left nothing open.
      expect(await sent(writes)).toEqual(all(writes, REJECTED));
      await expectReading(server.port, slug);
      expect(await ownThings(reader)).toEqual([200, 200, 200, 200]);
      disk.clear();
      expect(await sent(writes)).toEqual(all(writes, DONE));
      await expectKept(reader, statuses);
    } finally {
      await server.close();
    }
  },
);
