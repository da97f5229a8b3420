/** A rehearsal of a lost disk, with the commands of docs/operate/backups.md that back up and restore the accounts. */

import { execFile, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Accounts } from "../../server/accounts/database.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { accountsBeside, claim, hide, listed, untilStatus } from "../hidden/hidden-world.ts";
import { keyIn } from "../limits/test-app.ts";
import { ask } from "../server/ask.ts";
import { releasedStore } from "../server/test-store.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";
import { startServing } from "../support/serving.ts";

const ENVIRONMENT = { DATABASE_URL: "", SHARE_SITE: "", SHARE_LOG_LEVEL: "silent" };

const SELF = "test/accounts/disk-lost.test.ts";
const [BACK_UP = "", RESTORE = "", ...further] = fencedBlocks(
  await readFile(join(REPOSITORY, "docs/operate/backups.md"), "utf8"),
)
  .filter(({ runBy }) => runBy === SELF)
  .map(({ text }) => text);

const missing = spawnSync("sqlite3", ["--version"]).status !== 0;
if (missing)
  console.warn("The backup test is skipped, because sqlite3 is not in the path. Install it (apt-get install sqlite3).");

/** The paths in a store that docs/operate/backups.md copies as files. A command backs up the accounts. */
const COPIED = ["raw", "releases", "journal.ndjson"];

test.skipIf(missing)(
  "a store that is restored from a backup has the same release, pages, API keys and hidden people",
  async () => {
    await using released = await releasedStore();
    const { store, receipt } = released;
    const backups = await mkdtemp(join(tmpdir(), "share-backups-"));
    const serve = () => startServing(["--store", store.root, "--rate", "1000000"], ENVIRONMENT);
    const command = async (...parameters: string[]) => {
      const { exitCode, stderr } = await runCommand([...parameters, "--store", store.root], {
        environment: ENVIRONMENT,
      });
      expect([parameters[0], exitCode, stderr.includes("share-release:")]).toEqual([parameters[0], 0, false]);
    };
    const shell = (script: string) =>
      promisify(execFile)("bash", [
        "-euo",
        "pipefail",
        "-c",
        script.replaceAll("/srv/share", store.root).replaceAll("/backup", backups),
      ]);
    expect(further).toEqual([]);
    try {
      const first = await serve();
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ name: "Reader", email: "reader@example.org" });
      const key = keyIn((await ask(first.port, "/api-keys/register", { method: "POST", headers, body })).text);
      const [gone] = await listed(first.port);
      if (gone === undefined) throw new Error("the release has no researchers");
      const accounts = await accountsBeside(store);
      await claim(accounts.db, [gone]);
      await hide(accounts.db, [gone]);
      await signIn(accounts.db);
      await accounts.close();
      await untilStatus(first.port, `/authors/${gone.slug}`, 404);
      const page = await ask(first.port, "/metrics/live");

      // The backup runs while the server writes.
      expect((await shell(BACK_UP)).stdout).toBe("ok\n");
      for (const name of COPIED)
        await cp(join(store.root, name), join(backups, name), {
          recursive: true,
          preserveTimestamps: true,
          verbatimSymlinks: true,
        }).catch((error: unknown) => {
          // This store may have no journal, because no command activated a release in it.
          if (name !== "journal.ndjson") throw error;
        });

      await first.end("SIGKILL");
      await rm(store.root, { recursive: true });

      await mkdir(store.root);
      await cp(backups, store.root, {
        recursive: true,
        preserveTimestamps: true,
        filter: (path) => !path.endsWith("accounts.sqlite"),
      });
      // A damaged account store is in place, which the restore must move to another folder.
      await writeFile(join(store.root, "accounts.sqlite"), "not a database");
      await writeFile(join(store.root, "accounts.sqlite-wal"), "nor this");
      await shell(RESTORE);
      expect((await readdir(join(store.root, "accounts-before"))).sort()).toEqual([
        "accounts.sqlite",
        "accounts.sqlite-wal",
      ]);
      expect(sessionsIn(join(backups, "accounts.sqlite"))).toBe(1);
      expect(sessionsIn(join(store.root, "accounts.sqlite"))).toBe(0);
      for (const path of [join(backups, "accounts.sqlite"), join(store.root, "accounts.sqlite")]) {
        expect((await stat(path)).mode & 0o777).toBe(0o600);
      }
      // The release still names the hidden person, because it was built before the decision, so activating it needs --force.
      await command("release", "activate", receipt.releaseDigest, "--force", "Restored from the backup.");
      await command("release", "verify");
      await command("doctor");

      const second = await serve();
      try {
        const again = await ask(second.port, "/metrics/live", { headers: { "x-api-key": key } });
        expect([again.status, again.headers["x-ratelimit-limit"]]).toEqual([200, "1000"]);
        expect(again.headers.etag).toBe(page.headers.etag);
        expect(again.body.equals(page.body)).toBe(true);
        expect((await ask(second.port, `/authors/${gone.slug}`)).status).toBe(404);
      } finally {
        await second.end();
      }
    } finally {
      await rm(backups, { recursive: true, force: true });
    }
  },
  300_000,
);

/** Inserts a session for the only account, because a restore must end all sessions. */
async function signIn(db: Accounts["db"]): Promise<void> {
  const { id } = await db.selectFrom("account").select("id").executeTakeFirstOrThrow();
  const [at, later] = ["2026-11-02T12:00:00.000Z", "2999-01-01T00:00:00.000Z"];
  const session = { id: `s${"1".repeat(24)}`, digest: "0".repeat(64), account_id: id, method: "mail" as const };
  await db
    .insertInto("session")
    .values({ ...session, agent: null, created_at: at, seen_at: at, expires_at: later })
    .execute();
}

function sessionsIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare("select count(*) as count from session").get()?.count);
  } finally {
    database.close();
  }
}
