/**
 * Tests the chain of releases, in which each receipt names its predecessor: `release log` shows it, and reports every change to
 * it.
 */

import { existsSync } from "node:fs";
import { appendFile, cp, readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeHistory, readJournal } from "../../pipeline/store/journal.ts";
import { activate, currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { releaseLog } from "../../releases/log.ts";
import { retract } from "../../releases/retract.ts";
import { rollback } from "../../releases/rollback.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { ask } from "../server/ask.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt } from "../support/forgery.ts";
import { startServing } from "../support/serving.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { at, signedWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01", "2026-11-02", "2026-11-03"]);
  await rm(world.store.work(""), { recursive: true, force: true });
});

afterAll(() => world[Symbol.asyncDispose]());

const digestAt = (place: number) => at(world.digests, place);

/**
 * Returns the faults that `release log` finds, such as "2 the receipt differs from the one in the journal". The number is that
 * of the release: 0 is the oldest, and 2 the newest.
 */
async function findFaults(store: Store, head = digestAt(2), trusted = false): Promise<string[]> {
  const { chain, faults } = await releaseLog(store, head, trusted ? world.keys : null);
  const place = (digest: string) => world.digests.indexOf(digest);
  return [
    ...chain.flatMap((entry) => entry.faults.map((fault) => `${place(entry.releaseDigest)} ${fault}`)),
    ...faults,
  ];
}

test("release log lists every release with the key that signed it, the newest first", async () => {
  const { chain, faults } = await releaseLog(world.store, digestAt(2), world.keys);
  expect(
    chain.map(({ releaseDigest, signedBy, state, faults: own }) => ({ releaseDigest, signedBy, state, own })),
  ).toEqual(
    world.digests
      .toReversed()
      .map((releaseDigest) => ({ releaseDigest, signedBy: [world.key.kid], state: "here", own: [] })),
  );
  expect(faults).toEqual([]);
});

interface Tampering {
  readonly name: string;
  readonly tamper: (store: Store) => Promise<unknown>;
  /** Part of each expected fault, in the order of the log. */
  readonly faults: () => readonly string[];
}

const edit = (place: number, change: (receipt: Receipt) => Partial<Receipt>) => (store: Store) =>
  editReceipt(store.release(digestAt(place)), (receipt) => ({ ...receipt, ...change(receipt) }));

const SEEN = "the receipt differs from the one in the journal";

const TAMPERINGS: readonly Tampering[] = [
  {
    name: "a predecessor that is another release",
    tamper: edit(2, () => ({ previousReleaseDigest: digestAt(0) })),
    faults: () => [
      `2 ${SEEN}`,
      `2 the history continues ${digestAt(1)}, but according to the receipts it should continue ${digestAt(0)}`,
    ],
  },
  {
    name: "a missing predecessor",
    tamper: edit(1, () => ({ previousReleaseDigest: null })),
    faults: () => [
      `1 ${SEEN}`,
      `1 the history continues ${digestAt(0)}, but according to the receipts it should continue nothing`,
    ],
  },
  {
    name: "a chain that forms a loop",
    tamper: edit(0, () => ({ previousReleaseDigest: digestAt(2) })),
    faults: () => [`0 ${SEEN}`, "2 the chain contains a cycle"],
  },
  {
    name: "a release with an earlier date",
    tamper: edit(1, () => ({ publishedAt: "2026-10-01T12:00:00.000Z" })),
    faults: () => [
      "2 the history has another date or version of",
      `1 ${SEEN}`,
      "1 the history has another date or version of",
      "0 the release was published later than",
    ],
  },
  {
    name: "a changed version of the first release",
    tamper: edit(0, () => ({ scoreReleaseVersion: "2026.11.01.7" })),
    faults: () => [
      "2 the history has another date",
      "1 the history has another date",
      `0 ${SEEN}`,
      "0 the history has another date",
    ],
  },
  {
    name: "a receipt with another table",
    tamper: edit(1, ({ content }) => ({
      content: { ...content, tables: { ...content.tables, scores: `sha256:${"0".repeat(64)}` } },
    })),
    faults: () => ["1 the content of the receipt has the digest sha256:", `1 ${SEEN}`],
  },
  {
    name: "a replaced release",
    tamper: async (store) => {
      await rm(store.release(digestAt(1)), { recursive: true });
      await cp(store.release(digestAt(0)), store.release(digestAt(1)), { recursive: true });
    },
    faults: () => [
      "2 the history has another date or version of",
      `1 the receipt has the digest ${digestAt(0)}`,
      `1 the content of the receipt has the digest ${digestAt(0)}`,
      `1 ${SEEN}`,
    ],
  },
  {
    name: "a removed release",
    tamper: (store) => rm(store.release(digestAt(1)), { recursive: true }),
    faults: () => ["1 the release is missing, although the journal does not record that it was pruned"],
  },
  {
    name: "a damaged receipt",
    tamper: (store) => writeFile(join(store.release(digestAt(1)), "release.json"), "{"),
    faults: () => ["1 the receipt cannot be read"],
  },
  {
    name: "a changed history",
    tamper: (store) => writeFile(join(store.release(digestAt(1)), "data/history.json"), "[]\n"),
    faults: () => ["1 data/history.json does not match the manifest"],
  },
  {
    name: "a missing manifest",
    tamper: (store) => unlink(join(store.release(digestAt(2)), "manifest.ndjson")),
    faults: () => ["2 the manifest is missing", "2 data/history.json is missing"],
  },
  {
    name: "a changed line of the journal",
    tamper: (store) =>
      editJournal(store, (lines) => lines.map((line, i) => (i === 1 ? line.replace("activated", "found") : line))),
    faults: () => ["journal.ndjson:3 "],
  },
  {
    name: "a removed line of the journal",
    tamper: (store) => editJournal(store, (lines) => lines.filter((_, i) => i !== 2)),
    faults: () => ["journal.ndjson:3 "],
  },
  {
    name: "a truncated line of the journal",
    tamper: (store) => appendFile(store.journal, '{"event":"act'),
    faults: () => ["journal.ndjson ends with 13 bytes"],
  },
  {
    name: "a journal without its last line",
    tamper: (store) => editJournal(store, (lines) => lines.slice(0, -1)),
    faults: () => [`journal.ndjson does not record that ${digestAt(2)} is active`],
  },
  {
    name: "a journal without the lines of the last release",
    tamper: (store) => editJournal(store, (lines) => lines.slice(0, -2)),
    faults: () => [
      `journal.ndjson does not record the release ${digestAt(2)}`,
      `journal.ndjson does not record that ${digestAt(2)} is active`,
    ],
  },
  {
    name: "a retraction without its line in the journal",
    tamper: async (store) => {
      const change = { at: "2026-11-04T12:00:00.000Z", sleep: recordedEffects().sleep };
      await retract(store, { releaseDigest: digestAt(0), reason: "Counted twice." }, world.signer, change);
      await editJournal(store, (lines) => lines.slice(0, -1));
    },
    faults: () => [`journal.ndjson does not record the retraction of ${digestAt(0)}`],
  },
];

async function editJournal(store: Store, change: (lines: string[]) => string[]): Promise<void> {
  const lines = change((await readFile(store.journal, "utf8")).trimEnd().split("\n"));
  await writeFile(store.journal, lines.map((line) => `${line}\n`).join(""));
}

describe("tampering that release log finds without a key", () => {
  for (const { name, tamper, faults } of TAMPERINGS) {
    test(`release log reports ${name}`, async () => {
      await using copy = await temporaryStore(world.store);
      await tamper(copy.store);
      const found = await findFaults(copy.store);
      expect(found).toEqual(faults().map((part) => expect.stringContaining(part)));
    });
  }
});

test("release log finds a changed receipt by its signature, even if the journal was removed", async () => {
  await using copy = await temporaryStore(world.store);
  await edit(0, () => ({ publishedAt: "2026-10-01T12:00:00.000Z" }))(copy.store);
  await rm(copy.store.journal);
  const signature = `0 the signature by the key ${world.key.kid} does not match this receipt`;
  expect(await findFaults(copy.store, digestAt(2), true)).toContain(signature);
});

describe("share-release release log", () => {
  test("release log exits with 0 and prints each release of a valid chain, or exits with 1 and prints the faults", async () => {
    const good = await runHosted(["release", "log", "--json", "--store", world.store.root]);
    expect(good.exitCode).toBe(0);
    expect(jsonLines(good.stdout)).toMatchObject([
      ...world.digests.toReversed().map((releaseDigest) => ({ releaseDigest, state: "here" })),
      { releases: 3, faults: 0 },
    ]);
    await using copy = await temporaryStore(world.store);
    await rm(copy.store.release(digestAt(0)), { recursive: true });
    const bad = await runHosted(["release", "log", "--store", copy.store.root]);
    expect(bad.exitCode).toBe(1);
    expect(bad.stdout).toMatch(
      /\n {2}! the release is missing, although the journal does not record that it was pruned\n$/,
    );
  });
});

describe("share-release release rollback", () => {
  test("release rollback activates one earlier release after the other, and fails when there are no more", async () => {
    await using copy = await temporaryStore(world.store);
    expect(await rollback(copy.store)).toMatchObject({ from: digestAt(2), releaseDigest: digestAt(1), skipped: [] });
    expect(await rollback(copy.store)).toMatchObject({ from: digestAt(1), releaseDigest: digestAt(0) });
    await expect(rollback(copy.store)).rejects.toThrow("no release was active before");
    expect(await currentDigest(copy.store)).toBe(digestAt(0));
  });

  test("release rollback never activates a release from which the store was rolled back before", async () => {
    await using copy = await temporaryStore(world.store);
    await rollback(copy.store);
    await activate(copy.store, digestAt(0));
    await rollback(copy.store);
    expect(await currentDigest(copy.store)).toBe(digestAt(1));
    expect(activeHistory((await readJournal(copy.store)).entries)).toEqual([digestAt(0), digestAt(1)]);
  });

  test("release rollback skips a release that is missing, and lists it in its output", async () => {
    await using copy = await temporaryStore(world.store);
    await rm(copy.store.release(digestAt(1)), { recursive: true });
    const { exitCode, stdout } = await runHosted(["release", "rollback", "--json", "--store", copy.store.root]);
    expect({ exitCode, lines: jsonLines(stdout) }).toEqual({
      exitCode: 0,
      lines: [{ activated: digestAt(0), from: digestAt(2), skipped: [digestAt(1)], retracted: [], disowned: [] }],
    });
  });

  test("release rollback ignores an activation that is in the journal but was killed before it happened", async () => {
    await using copy = await temporaryStore(world.store);
    await activate(copy.store, digestAt(0));
    const lines = (await readFile(copy.store.journal, "utf8")).trimEnd().split("\n");
    // Restores the state after a kill: the line is in the journal, but the link was not moved.
    await using killed = await temporaryStore(world.store);
    await appendFile(killed.store.journal, `${at(lines, -1)}\n`);
    await rollback(killed.store);
    expect(await currentDigest(killed.store)).toBe(digestAt(1));
    const { entries, damaged } = await readJournal(killed.store);
    expect({ damaged, events: entries.slice(-3).map(({ event }) => event) }).toEqual({
      damaged: [],
      events: ["activated", "abandoned", "rolled-back"],
    });
  });

  test("release rollback rolls back correctly after the `current` link was moved by hand, which the journal then records", async () => {
    await using copy = await temporaryStore(world.store);
    await rm(copy.store.current);
    await symlink(copy.store.release(digestAt(0)), copy.store.current);
    await activate(copy.store, digestAt(1));
    await rollback(copy.store);
    expect(await currentDigest(copy.store)).toBe(digestAt(0));
    expect((await readJournal(copy.store)).entries.slice(-3).map(({ event }) => event)).toEqual([
      "found",
      "activated",
      "rolled-back",
    ]);
  });

  test.each(["", "\u00e9", "\ufffd"])(
    "release rollback continues a journal whose last line is incomplete%s, and keeps the line in journal.cut",
    async (more) => {
      await using copy = await temporaryStore(world.store);
      const cut = Buffer.from(`{"event":"activ${more}`).subarray(0, more === "" ? undefined : -1);
      await appendFile(copy.store.journal, cut);
      expect((await runHosted(["doctor", "--store", copy.store.root])).stdout).toContain(
        "the last line of journal.ndjson is cut off",
      );
      await rollback(copy.store);
      const { damaged, torn, entries } = await readJournal(copy.store);
      expect({ damaged, torn, last: entries.at(-1)?.event }).toEqual({ damaged: [], torn: 0, last: "rolled-back" });
      expect(await readFile(copy.store.journalCut)).toEqual(Buffer.concat([cut, Buffer.from("\n")]));
      const { stdout } = await runHosted(["doctor", "--store", copy.store.root]);
      expect(stdout).toContain("a last line of journal.ndjson was cut off and is in journal.cut");
    },
  );

  test("release rollback reads the last line of a journal even if it lacks its newline", async () => {
    await using copy = await temporaryStore(world.store);
    const before = await readFile(copy.store.journal, "utf8");
    await writeFile(copy.store.journal, before.slice(0, -1));
    expect(await findFaults(copy.store)).toEqual([]);
    await rollback(copy.store);
    const after = await readFile(copy.store.journal, "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(await readJournal(copy.store)).toMatchObject({ damaged: [], torn: 0 });
    expect(existsSync(copy.store.journalCut)).toBe(false);
  });
});

describe("unrecorded receipts", () => {
  test("a release whose receipt is not in the journal is activated only with a reason, and is served only after that", async () => {
    await using copy = await temporaryStore(world.store);
    const digest = digestAt(1);
    await editReceipt(copy.store.release(digest), (receipt) => ({
      ...receipt,
      publishedAt: "2026-11-02T13:00:00.000Z",
    }));
    const activation = ["release", "activate", digest, "--store", copy.store.root];
    const rejected = await runHosted(activation);
    expect({ exitCode: rejected.exitCode, active: await currentDigest(copy.store) }).toEqual({
      exitCode: 1,
      active: digestAt(2),
    });
    expect(rejected.stderr).toContain(`does not have the receipt of ${digest}`);
    // Moves the link as another program would.
    await rm(copy.store.current);
    await symlink(copy.store.release(digest), copy.store.current);
    const serving = await startServing(["--store", copy.store.root], {});
    try {
      expect((await ask(serving.port, "/records")).status).toBe(503);
      expect(serving.logged()).toContain("does not have the receipt");
      const forced = await runHosted([...activation, "--force", "restored from a copy"]);
      expect({ exitCode: forced.exitCode, stderr: forced.stderr }).toEqual({ exitCode: 0, stderr: "" });
      const status = () => ask(serving.port, "/records").then((response) => response.status);
      await expect.poll(status, { timeout: 60_000 }).toBe(200);
    } finally {
      await serving.end();
    }
  });
});
