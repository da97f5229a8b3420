/** The drill: what docs/operations.md says to back up is copied while the server runs, the disk is lost, and all of it comes back. */

import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accountsBeside, hide, listed, untilStatus } from "../hidden/hidden-world.ts";
import { keyIn } from "../limits/test-app.ts";
import { ask } from "../server/ask.ts";
import { releasedStore } from "../server/test-store.ts";
import { runCommand } from "../support/command-line.ts";
import { startServing } from "../support/serving.ts";

const ENVIRONMENT = { DATABASE_URL: "", SHARE_SITE: "", SHARE_LOG_LEVEL: "silent" };

/** As docs/operations.md lists it, but for the accounts, which are not copied as a file. */
const COPIED = ["raw", "releases", "journal.ndjson"];

test("a store whose disk is lost comes back from its backups: the release, its pages, keys, and who is hidden", async () => {
  const { store, receipt, remove } = await releasedStore();
  const backups = await mkdtemp(join(tmpdir(), "share-backups-"));
  const serve = () => startServing(["--store", store.root, "--rate", "1000000"], ENVIRONMENT);
  const command = async (...parameters: string[]) => {
    const { exitCode, stderr } = await runCommand([...parameters, "--store", store.root], { environment: ENVIRONMENT });
    expect([parameters[0], exitCode, stderr.includes("share-release:")]).toEqual([parameters[0], 0, false]);
  };
  try {
    const first = await serve();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ name: "Reader", email: "reader@example.org" });
    const key = keyIn((await ask(first.port, "/api-keys/register", { method: "POST", headers, body })).text);
    const [gone] = await listed(first.port);
    if (gone === undefined) throw new Error("the release has no researchers");
    const accounts = await accountsBeside(store);
    await hide(accounts.db, [gone]);
    await accounts.close();
    await untilStatus(first.port, `/authors/${gone.slug}`, 404);
    const page = await ask(first.port, "/metrics/live");

    // Backed up while the server writes.
    await command("accounts", "backup", join(backups, "accounts.sqlite"));
    for (const name of COPIED)
      await cp(join(store.root, name), join(backups, name), {
        recursive: true,
        preserveTimestamps: true,
        verbatimSymlinks: true,
      }).catch((error: unknown) => {
        // A store of a test that nobody activated anything in by a command has no journal.
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
    await command("accounts", "restore", join(backups, "accounts.sqlite"));
    await command("activate", receipt.releaseDigest);
    await command("verify");
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
    await remove();
  }
}, 300_000);
