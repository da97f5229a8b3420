/**
 * The program that containers.test.ts runs in a container. It holds the locks of a build, or writes to the journal many times.
 */

import { setTimeout as wait } from "node:timers/promises";
import { appendEvent } from "../../pipeline/store/journal.ts";
import { lockFolder, lockStore, withLinkLock } from "../../pipeline/store/locks.ts";
import { openStore } from "../../pipeline/store/store.ts";

const [root = "", task = "", digit = "0"] = process.argv.slice(2);
const store = openStore(root);

if (task === "build") {
  await lockStore(store, "a build");
  await lockFolder(store.work("0123456789abcdef"));
  console.log("held", process.pid);
  setInterval(() => {}, 1000);
} else {
  const sleep = (milliseconds: number) => wait(milliseconds);
  const entry = { event: "activated", releaseDigest: `sha256:${digit.repeat(64)}`, at: null } as const;
  for (let i = 0; i < 25; i++) await withLinkLock(store, sleep, () => appendEvent(store, entry));
}
