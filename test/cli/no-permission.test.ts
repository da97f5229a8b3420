/** Messages of commands about a store that belongs to another user, and that this user cannot read. */

import { spawnSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { accountTarget, recordAccounts } from "../../pipeline/store/account-target.ts";
import { SHARE_RELEASE } from "../support/command-line.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

/** User `nobody`, if this user can run programs as another one. */
const OTHER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

function runAsOther(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SHARE_RELEASE, ...words], {
    ...OTHER,
    env: { PATH: process.env.PATH, DATABASE_URL: "" },
    encoding: "utf8",
  });
  return { exitCode: status, stdout, stderr };
}

const canRun = runAsOther(["--version"]).exitCode === 0;

/** Creates a store with releases and accounts. With `closed`, only its owner can read the store, and not a part of it. */
async function closedStore(closed: "store" | "parts"): Promise<TemporaryStore> {
  const at = await temporaryStore();
  const { root, releases } = at.store;
  await mkdir(releases, { recursive: true });
  await recordAccounts(at.store, accountTarget(undefined, at.store));
  await chmod(dirname(root), 0o755);
  for (const path of closed === "store" ? [root] : [releases, join(root, "accounts.json")])
    await chmod(path, "uid" in OTHER ? 0o700 : 0);
  return { ...at, [Symbol.asyncDispose]: () => chmod(root, 0o700).then(() => at[Symbol.asyncDispose]()) };
}

const AS_OWNER = "; run `share-release doctor` as the owner of the store";

test.skipIf(!canRun)("doctor reports a store that this user cannot read as a fault", async () => {
  await using at = await closedStore("store");
  expect(runAsOther(["doctor", "--store", at.store.root])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(`fault    store        this user cannot read ${at.store.root}${AS_OWNER}`),
    stderr: "",
  });
});

test.skipIf(!canRun)("doctor reports parts of a store that this user cannot read, and the other checks", async () => {
  await using at = await closedStore("parts");
  const { stdout } = runAsOther(["doctor", "--store", at.store.root]);
  expect(stdout).toMatch(/^fault +permissions +EACCES: .*releases'; run `share-release doctor` as the owner/m);
  expect(stdout).toMatch(/^fault +accounts +cannot read .*accounts\.json.*; run `share-release doctor` as the owner/m);
  expect(stdout).toMatch(/^ok +locks/m);
});

test.skipIf(!canRun)(
  "a command that cannot read accounts.json for want of permission does not advise removing it",
  async () => {
    await using at = await closedStore("parts");
    const { exitCode, stderr } = runAsOther(["account", "list", "--store", at.store.root]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining("accounts of this store are (EACCES); this user has no permission. Run"),
    ]);
    expect(stderr).not.toContain("Remove");
  },
);

test("a command advises removing a damaged accounts.json", async () => {
  await using at = await temporaryStore();
  await mkdir(at.store.root);
  await writeFile(join(at.store.root, "accounts.json"), "{");
  expect(() => accountTarget(undefined, at.store)).toThrow("is damaged. Remove it");
});
