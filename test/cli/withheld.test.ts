/**
 * Tests that researchers who opted out are in no new release, and that a release with such a name is neither activated nor
 * published without a reason.
 */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { excludedIds, requireHiddenAbsent } from "../../cli/options/accounts.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { accountTarget, recordAccounts } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { examine } from "../../releases/doctor/index.ts";
import { AGGREGATE_TABLES } from "../../schemas/public/tables.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import { runHosted } from "../support/command-host.ts";
import { bundledRelease, linkedStore, temporaryStore } from "../support/temporary-store.ts";

const ANA = `a${"1".repeat(24)}`;
const BO = `a${"2".repeat(24)}`;
const CAS = `a${"3".repeat(24)}`;

beforeEach(() => {
  vi.stubEnv("DATABASE_URL", "");
  return () => vi.unstubAllEnvs();
});

async function hide(store: Store, ...ids: readonly string[]): Promise<void> {
  const accounts = await openAccounts(accountTarget(undefined, store));
  const since = "2026-11-01T00:00:00.000Z";
  await accounts.db
    .insertInto("hidden_researcher")
    .values(ids.map((id) => ({ researcher_id: id, slug: id, since })))
    .execute();
  await accounts.close();
}

test("a build leaves out people who are hidden in this store, and people in the --exclude-researchers list", async () => {
  await using at = await temporaryStore();
  const options = { store: at.store.root };
  expect(await excludedIds(options)).toEqual([]);
  await hide(at.store, ANA, BO);
  expect(await excludedIds(options)).toEqual([ANA, BO]);
  const withhold = join(at.folder, "withheld.txt");
  await writeFile(withhold, `${CAS}\n${BO}\n`);
  expect(await excludedIds({ ...options, excludeResearchers: withhold })).toEqual([ANA, BO, CAS]);
});

test("a build fails if its store has lost its accounts and no list of hidden people is given", async () => {
  await using at = await temporaryStore();
  const options = { store: at.store.root };
  const target = accountTarget(undefined, at.store);
  await hide(at.store, ANA);
  expect(await recordAccounts(at.store, target)).toBe(true);
  await rm(join(at.store.root, "accounts.sqlite"));
  await expect(excludedIds(options)).rejects.toThrow("accounts.sqlite is missing or empty");
  expect((await examine(at.store, new Date())).filter(({ check }) => check === "accounts")).toMatchObject([
    { state: "fault" },
  ]);
  const { exitCode, stderr } = await runHosted(["build", "--as-of", "2026-11-02", "--store", at.store.root]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("serve --new-accounts")]);
  const withhold = join(at.folder, "withheld.txt");
  await writeFile(withhold, `${BO}\n`);
  expect(await excludedIds({ ...options, excludeResearchers: withhold })).toEqual([BO]);
});

describe("accounts in PostgreSQL", () => {
  const URL = "postgresql://share:secret-word@db.example:5433/scores";

  test("a store records the host, port and database of its accounts, without user and password", async () => {
    await using at = await temporaryStore();
    await hide(at.store, ANA);
    expect(await recordAccounts(at.store, { postgres: URL })).toBe(true);
    const recorded = await readFile(join(at.store.root, "accounts.json"), "utf8");
    expect(JSON.parse(recorded)).toEqual({ postgres: { host: "db.example", port: "5433", database: "scores" } });
    expect(accountTarget(URL, at.store)).toEqual({ postgres: URL });
  });

  test("a store with accounts in PostgreSQL needs DATABASE_URL to be built, run, activated, published and served", async () => {
    await using at = await linkedStore((await bundledRelease()).store);
    await recordAccounts(at.store, { postgres: URL });
    const active = (await bundledRelease()).receipt.releaseDigest;
    for (const words of [
      ["build", "--as-of", "2026-11-02"],
      ["run", "zenodo"],
      ["release", "activate", active],
      ["release", "publish", "--to", join(at.folder, "published")],
      ["serve", "--port", "0"],
    ]) {
      const { exitCode, stderr } = await runHosted([...words, "--store", at.store.root]);
      expect([words, exitCode]).toEqual([words, 1]);
      expect(stderr).toContain("PostgreSQL database scores at db.example:5433");
      expect(stderr).toContain("Set DATABASE_URL");
    }
  });

  test("a store with accounts in PostgreSQL cannot be built if the database cannot be reached, and the message explains that", async () => {
    await using at = await temporaryStore();
    vi.stubEnv("DATABASE_URL", `postgresql:///share?host=${at.folder}&user=share`);
    await expect(excludedIds({ store: at.store.root })).rejects.toThrow(
      "(ENOENT); check that the server runs, and the user, password and database. Without them the release would name",
    );
  });

  test("a store with accounts in PostgreSQL can be built without DATABASE_URL if --exclude-researchers gives a list", async () => {
    await using at = await temporaryStore();
    await hide(at.store, ANA);
    await recordAccounts(at.store, { postgres: URL });
    const withhold = join(at.folder, "withheld.txt");
    await writeFile(withhold, `${BO}\n`);
    const options = { store: at.store.root };
    expect(await excludedIds({ ...options, excludeResearchers: withhold })).toEqual([BO]);
    await expect(excludedIds(options)).rejects.toThrow("--exclude-researchers");
  });
});

test("a release that names a hidden person is activated and published only with a reason", async () => {
  const bundled = await bundledRelease();
  await using at = await linkedStore(bundled.store);
  const { releaseDigest: digest } = bundled.receipt;
  const options = { store: at.store.root };
  await hide(at.store, CAS);
  await requireHiddenAbsent(options, digest);
  await hide(at.store, await someResearcher(bundled.folder));
  await expect(requireHiddenAbsent(options, digest)).rejects.toThrow("names 1 researcher who opted out");
  const publishing = ["release", "publish", "--to", join(at.folder, "published")];
  for (const words of [["release", "activate", digest], publishing]) {
    const { exitCode, stderr } = await runHosted([...words, "--store", at.store.root]);
    expect([words, exitCode, stderr]).toEqual([words, 1, expect.stringContaining("account hide")]);
    const forced = await runHosted([...words, "--force", "a mirror needs it", "--store", at.store.root]);
    expect([words, forced.exitCode, forced.stderr]).toEqual([words, 0, expect.anything()]);
  }
});

async function someResearcher(folder: string): Promise<string> {
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.input(AGGREGATE_TABLES.authorship, join(folder, "data/authorships"));
    const [row] = await db.rows("select min(researcher_id) as id from authorship");
    return String(row?.id);
  } finally {
    db.close();
  }
}
