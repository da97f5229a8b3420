/** Tests the commands with real stores and releases: their JSON output, their text output and their errors. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { rejection } from "../../schemas/public/problem.ts";
import { manifestLine } from "../../schemas/public/release.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, PAYLOADS, REPOSITORY } from "../support/bundled-corpus.ts";
import { runHosted } from "../support/command-host.ts";
import { type Ended, jsonLines, startCommand } from "../support/command-line.ts";
import { filledStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { listeningAddress } from "./listening-address.ts";

const JUNK = join(REPOSITORY, "fixtures/junk");
const AS_OF = ["--as-of", "2026-11-01"] as const;

/** A store with two sources of the bundled corpus and two releases: one with attribution, and then the active one without. */
let filled: TemporaryStore;
let first: string;
let second: string;

beforeAll(async () => {
  const made = await filledStore({
    bundled: ["zenodo", "clinicaltrials"],
    builds: [{ now: "2026-11-02T09:00:00.000Z" }, { attribution: false, now: "2026-11-02T10:00:00.000Z" }],
  });
  filled = made;
  [first = "", second = ""] = made.digests;
});

afterAll(() => filled[Symbol.asyncDispose]());

/** Runs a command with this store as the value of `--store`. */
function on({ store }: TemporaryStore, parameters: readonly string[]): Promise<Ended> {
  return runHosted([...parameters, "--store", store.root]);
}

/** Copies the harvested payloads of the store, without its releases. */
async function copyRaw({ store }: TemporaryStore): Promise<void> {
  await cp(filled.store.raw(""), store.raw(""), { recursive: true });
}

/** Overwrites the first file that the active release's manifest lists, and returns its path. */
async function changeFirstFile(store: Store): Promise<string> {
  const [line = ""] = (await readFile(join(store.current, "manifest.ndjson"), "utf8")).split("\n");
  const { path } = manifestLine.parse(JSON.parse(line));
  await writeFile(join(store.current, path), "something else");
  return path;
}

/** Returns the last line of an output that consists of JSON lines. */
function readSummary(stdout: string): unknown {
  return jsonLines(stdout).at(-1);
}

describe("--json prints only JSON on standard output, with the summary last", () => {
  const progressOnly = (stderr: string) =>
    jsonLines(stderr).every(
      (line) => typeof line === "object" && line !== null && ["time", "level", "event"].every((name) => name in line),
    );

  test("fixtures --json prints one summary", async () => {
    await using fresh = await temporaryStore();
    const ended = await on(fresh, ["fixtures", "--records", "40", "--seed", "7", "--json"]);
    expect(ended.exitCode).toBe(0);
    expect(jsonLines(ended.stdout)).toEqual([{ written: { datacite: 32, zenodo: 6, clinicaltrials: 2 }, seed: 7 }]);
    expect(progressOnly(ended.stderr)).toBe(true);
  });

  test("harvest --json prints its results, and the summary last", async () => {
    await using fresh = await temporaryStore();
    const ended = await on(fresh, ["harvest", "zenodo", "--from", join(PAYLOADS, "zenodo"), "--json"]);
    expect(ended.exitCode).toBe(0);
    expect(jsonLines(ended.stdout)).toHaveLength(1);
    expect(readSummary(ended.stdout)).toMatchObject({ source: "zenodo", requests: 0, complete: true });
    expect(progressOnly(ended.stderr)).toBe(true);
  });

  test("release list --json prints a line for each release, and the summary last", async () => {
    const ended = await on(filled, ["release", "list", "--json"]);
    const [one, other, summary, ...rest] = jsonLines(ended.stdout);
    expect(one).toMatchObject({ releaseDigest: first, scoreReleaseVersion: "2026.11.01", active: false });
    expect(other).toMatchObject({ releaseDigest: second, scoreReleaseVersion: "2026.11.01.1", active: true });
    expect({ summary, rest }).toEqual({ summary: { releases: 2, active: second }, rest: [] });
    expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("build of an existing release, activate and verify print a summary with --json", async () => {
    await using copy = await temporaryStore(filled.store);
    const built = await on(copy, ["build", ...AS_OF, "--no-activate", "--json"]);
    // The earlier harvest rejected input, but the build does not, so its exit code is not 3.
    expect(built.exitCode).toBe(0);
    expect(jsonLines(built.stdout)).toEqual([
      expect.objectContaining({ receipt: expect.objectContaining({ releaseDigest: first, asOf: "2026-11-01" }) }),
    ]);
    expect(readSummary(built.stdout)).toMatchObject({ created: false, activated: false });
    expect(progressOnly(built.stderr)).toBe(true);
    expect(await currentDigest(copy.store)).toBe(second);

    const activated = await on(copy, ["release", "activate", first.slice(0, "sha256:".length + 8), "--json"]);
    expect(jsonLines(activated.stdout)).toEqual([{ activated: first, scoreReleaseVersion: "2026.11.01" }]);
    expect({ ...activated, stdout: "" }).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await currentDigest(copy.store)).toBe(first);

    const whole = await on(copy, ["release", "verify", "--rebuild", "--json"]);
    expect(whole.exitCode).toBe(0);
    expect(jsonLines(whole.stdout)).toEqual([expect.objectContaining({ releaseDigest: first, findings: 0 })]);

    const changed = await changeFirstFile(copy.store);
    const damaged = await on(copy, ["release", "verify", "--json"]);
    expect(damaged.exitCode).toBe(1);
    const findings = jsonLines(damaged.stdout);
    expect(findings.pop()).toMatchObject({ releaseDigest: first, findings: findings.length });
    expect(JSON.stringify(findings)).toContain(changed);
  });
});

describe("the release that a command uses", () => {
  test.each([
    { name: "the active release if none is named", words: [], of: () => second },
    { name: "the active release by the word `active`", words: ["active"], of: () => second },
    { name: "the release to which rollback would return by the word `previous`", words: ["previous"], of: () => first },
    { name: "a release by its label", words: ["2026.11.01"], of: () => first },
  ])("release show selects $name", async ({ words, of }) => {
    const { stdout } = await on(filled, ["release", "show", ...words, "--json"]);
    expect(readSummary(stdout)).toMatchObject({ releaseDigest: of(), active: of() === second });
  });

  test("release show fails for a label that no release has", async () => {
    const { exitCode, stderr } = await on(filled, ["release", "show", "2026.10.01"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("no release 2026.10.01")]);
  });

  test("release verify previous fails if no other release was active before", async () => {
    await using copy = await temporaryStore();
    await copyRaw(copy);
    await buildRelease(copy.store, {}, "2026-11-02T09:00:00.000Z");
    const { exitCode, stderr } = await on(copy, ["release", "verify", "previous"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("no release was active before")]);
  });

  test("release diff compares the two named releases, or the previous release with the active one by default", async () => {
    const { stdout } = await on(filled, ["release", "diff"]);
    expect(stdout).toContain(`from        2026.11.01 ${first}\nto          2026.11.01.1 ${second}\n`);
    expect((await on(filled, ["release", "diff", "2026.11.01"])).stdout).toBe(stdout);
    expect((await on(filled, ["release", "diff", second, first])).stdout).toContain(
      `to          2026.11.01 ${first}\n`,
    );
  });

  test("release show prints the receipt as text for people", async () => {
    const { exitCode, stdout } = await on(filled, ["release", "show"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^release {5}2026\.11\.01\.1 \(active\)$/m)]);
  });

  test("release show rejects --index without --page", async () => {
    const { exitCode, stderr } = await on(filled, ["release", "show", "--index"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--index requires --page")]);
  });
});

describe("harvest of several sources", () => {
  test("harvest of several sources rejects an option that only one of them has", async () => {
    const { exitCode, stderr } = await on(filled, ["harvest", "zenodo", "datacite", "--from", JUNK]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--from is for one source")]);
  });
});

describe("text output", () => {
  test("release activate rejects the start of a digest that fits two releases, and names both", async () => {
    const { exitCode, stdout, stderr } = await on(filled, ["release", "activate", "sha256:"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^share-release: 2 releases begin with "sha256:": [^\n]+; give more of the digest\n$/);
    for (const digest of [first, second]) expect(stderr).toContain(digest);
  });

  test("release list shows the oldest release first, and marks the active one with a star", async () => {
    const { exitCode, stdout } = await on(filled, ["release", "list"]);
    const [one, other, ...rest] = stdout.split("\n");
    expect(one).toContain(`  2026.11.01    ${first} `);
    expect(other).toContain(`* 2026.11.01.1  ${second} `);
    expect({ exitCode, rest }).toEqual({ exitCode: 0, rest: [""] });
  });

  test("verify reports a valid release", async () => {
    const { exitCode, stdout } = await on(filled, ["release", "verify", first]);
    expect(stdout).toMatch(
      /^not covered by the release digest: .*report\.html.*\. Verify them with --rebuild or a trusted key\.$/m,
    );
    expect(stdout).toMatch(new RegExp(`^${first} is valid \\(\\d+ files, \\d+ bytes, \\d+ scores\\)$`, "m"));
    expect(exitCode).toBe(0);
  });

  test("harvest counts rejected input by reason, shows its location, and exits with 3", async () => {
    await using fresh = await temporaryStore();
    const { exitCode, stdout, stderr } = await on(fresh, ["harvest", "zenodo", "--from", JUNK]);
    const rejections = join(fresh.store.raw("zenodo"), "rejected.ndjson");
    expect(exitCode).toBe(3);
    const [first] = jsonLines(await readFile(rejections, "utf8"));
    const { file, line, detail } = rejection.parse(first);
    const place = line === null ? file : `${file}, line or item ${line}`;
    expect(stdout).toContain("  rejected 4 × truncated\n");
    expect(stdout).toContain(`  the first: ${place}: ${detail}\n`);
    expect(stdout).toContain(`  all: ${rejections}\n`);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
      /^No record is stored, and the exit code is 3 because \d+ items of the input were rejected: correct them, /,
    );
    expect(stdout).not.toContain("{");
    expect(jsonLines(await readFile(rejections, "utf8")).length).toBeGreaterThan(0);
    expect(jsonLines(stderr)).toContainEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: "info",
      event: "harvest-finished",
      source: "zenodo",
      records: 0,
    });

    // A build needs at least one valid payload.
    await harvestBundled(fresh.store, ["clinicaltrials"]);
    const built = await on(fresh, ["build", ...AS_OF]);
    expect(built.exitCode).toBe(0);
    expect(built.stdout).toMatch(/^rejected {4}.*4 truncated/m);
  });

  test("build names a damaged file of raw payloads in its error, and says how to repair it", async () => {
    await using copy = await temporaryStore();
    await copyRaw(copy);
    const part = join(copy.store.raw("zenodo"), "000001.ndjson.zst");
    const bytes = await readFile(part);
    await writeFile(part, bytes.subarray(0, bytes.length - 40));
    const { exitCode, stdout, stderr } = await on(copy, ["build", ...AS_OF]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    const [line = ""] = stderr.split("\n").filter((text) => text.startsWith("share-release: "));
    expect(line).toContain(`share-release: ${part}: `);
    expect(line).toContain("harvest its source again");
  });

  test("build uses today's date by default, and warns if the date of the active release is later", async () => {
    await using copy = await temporaryStore();
    await harvestBundled(copy.store, ["clinicaltrials"]);
    const today = await on(copy, ["build", "--json"]);
    const day = z
      .looseObject({ receipt: z.looseObject({ asOf: z.iso.date() }) })
      .parse(readSummary(today.stdout)).receipt;
    expect(Math.abs(Date.now() - Date.parse(day.asOf))).toBeLessThan(2 * 86_400_000);
    expect(today.stderr).not.toContain("build-before-active");
    const active = await currentDigest(copy.store);
    const { stdout, stderr } = await on(copy, ["build", ...AS_OF, "--reader-impact"]);
    expect(stdout).toContain(`Compared with the active release, ${active}:\nno reader changed\n`);
    expect(stdout).toContain(
      "The new release is not active. To activate it, run `share-release release activate sha256:",
    );
    expect(await currentDigest(copy.store)).toBe(active);
    expect(jsonLines(stderr)[0]).toMatchObject({
      level: "warn",
      event: "build-before-active",
      asOf: "2026-11-01",
      activeAsOf: day.asOf,
    });
  });

  test("build uses a date in the future only with --allow-future", async () => {
    await using copy = await temporaryStore();
    await harvestBundled(copy.store, ["clinicaltrials"]);
    const { stdout } = await on(copy, ["build", "--as-of", "2999-12-31", "--allow-future"]);
    expect(stdout).toContain("release     2999.12.31 (active)\n");
  });

  test.each([
    { contact: "", says: "SHARE_CONTACT is empty: give it a value, or unset it" },
    ...["Ada", "http://example.org/", "https://", "https://ada@example.org/", "javascript:alert(1)"].map((contact) => ({
      contact,
      says: "SHARE_CONTACT must be one plain email address, such as you@example.org, or an https URL without a user name",
    })),
  ])('every command that uses a contact rejects the contact "$contact"', async ({ contact, says }) => {
    for (const parameters of [
      ["harvest", "zenodo"],
      ["score", "zenodo/1"],
      ["serve", "--port", "0"],
    ]) {
      const options = { environment: { SHARE_CONTACT: contact, SHARE_STORE: filled.store.root } };
      expect(await runHosted(parameters, options)).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: `share-release: ${says}\n`,
      });
    }
  });

  test("build fails if the file for --ror is not a ROR dump, and the error names the file", async () => {
    await using copy = await temporaryStore();
    await copyRaw(copy);
    const dump = join(copy.folder, "ror.json");
    await writeFile(dump, "not JSON");
    const { exitCode, stderr } = await on(copy, ["build", ...AS_OF, "--ror", dump]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`share-release: ${dump} is not a ROR data dump: `);
    expect(stderr).not.toContain("    at ");
  });

  test("the error about a missing release contains its name and the command that lists releases", async () => {
    await using fresh = await temporaryStore();
    await mkdir(fresh.store.root, { recursive: true });
    for (const words of [
      ["release", "verify", "3f9c"],
      ["release", "activate", "sha256:3f9c"],
    ]) {
      const { exitCode, stderr } = await on(fresh, words);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`no release ${words[2]}`);
      expect(stderr).toContain("share-release release list");
    }
    const { exitCode, stderr } = await on(fresh, ["release", "verify"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("there is no release in");
  });

  test("verify uses the newest release if none is active, but publish then requires a name", async () => {
    await using copy = await temporaryStore(filled.store);
    await rm(copy.store.current);
    const verified = await on(copy, ["release", "verify"]);
    expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${second} is valid`) });
    expect(jsonLines(verified.stderr)[0]).toMatchObject({ level: "warn", event: "no-active-release", digest: second });
    const published = await on(copy, ["release", "publish", "--to", join(copy.folder, "published")]);
    expect(published).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`the newest is ${second}`) });
  });

  test("build reports that a store without harvested payloads has nothing to build", async () => {
    await using fresh = await temporaryStore();
    await mkdir(fresh.store.root, { recursive: true });
    const built = await on(fresh, ["build", ...AS_OF]);
    expect({ exitCode: built.exitCode, stdout: built.stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(built.stderr).toContain("share-release: nothing");
    expect((await on(fresh, ["release", "list"])).stdout).not.toContain("sha256");
    expect(existsSync(fresh.store.work(""))).toBe(false);
  });
});

describe("serve", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`serve prints its URL, responds to requests, and exits normally on ${signal}`, async () => {
      const child = startCommand(["serve", "--port", "0", "--json", "--store", filled.store.root]);
      if (child.stderr === null) throw new Error("the command has no output");
      const closed = once(child, "close");
      const logged = text(child.stderr);
      try {
        const { address, stdout } = await listeningAddress(child);
        const answer = await fetch(`${address}/metrics/live`);
        expect(answer.status).toBe(200);
        expect(await answer.json()).toMatchObject({ release: { releaseDigest: second } });
        child.kill(signal);
        expect(await closed).toEqual([0, null]);
        expect(jsonLines(await stdout)).toEqual([{ listening: address }]);
        for (const line of jsonLines(await logged)) expect(line).toHaveProperty("level");
      } finally {
        child.kill("SIGKILL");
      }
    });
  }

  test("serve ends with a one-line message if the port is in use", async () => {
    await using fresh = await temporaryStore();
    await mkdir(fresh.store.root);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    try {
      const address = other.address();
      if (address === null || typeof address === "string") throw new Error("no port was taken");
      const port = String(address.port);
      // The port is checked before anything else, so there are no log lines before the error, and no account store is made.
      const TAKEN = [
        { options: ["--port", port], give: "--port or --host" },
        { options: ["--port", "0", "--metrics-port", port], give: "--metrics-port" },
      ];
      for (const { options, give } of TAKEN) {
        const ended = await on(fresh, ["serve", ...options]);
        expect(ended).toEqual({
          exitCode: 1,
          stdout: "",
          stderr: `share-release: cannot listen on 127.0.0.1:${port} (EADDRINUSE); give another ${give}\n`,
        });
        expect(await readdir(fresh.store.root)).toEqual([]);
      }
    } finally {
      other.close();
    }
  });
});
