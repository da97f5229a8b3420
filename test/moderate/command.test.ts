/**
 * The command `share-release account` for moderators: its output as text and with --json while a server runs, on every
 * database.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { readExcluded } from "../../cli/options/accounts.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { describeEachDatabase } from "../accounts/each-database.ts";
import { type ReleasedStore, releasedStore, SPECIAL } from "../server/test-store.ts";
import { commandHost } from "../support/command-host.ts";
import { type Ended, jsonLines } from "../support/command-line.ts";

const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));

const folder = mkdtempSync(join(tmpdir(), "share-moderate-"));
let raw: ReleasedStore;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
}, 300_000);

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await raw?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs commands in order, as an operator does: with DATABASE_URL for PostgreSQL, and otherwise with a store folder. */
function moderate(target: AccountTarget, commands: readonly (readonly string[])[]): Promise<Ended[]> {
  const environment = {
    SHARE_STORE: "sqlite" in target ? dirname(target.sqlite) : raw.store.root,
    DATABASE_URL: "postgres" in target ? target.postgres : "",
  };
  return Promise.all(commands.map((parameters) => host.run(["account", ...parameters], { environment })));
}

const row = z.looseObject({ id: z.string() });

describeEachDatabase("share-release account", (newTarget) => {
  let target: AccountTarget;
  let server: AccountServer;
  let person: Person;
  let researcher: ResearcherRow;

  beforeAll(async () => {
    target = await newTarget();
    server = await serveAccounts(raw.store, target);
    if ("sqlite" in target) {
      // The store of the commands gets links to the releases that the server serves.
      const root = dirname(target.sqlite);
      symlinkSync(join(raw.store.root, "releases"), join(root, "releases"));
      symlinkSync(readlinkSync(join(raw.store.root, "current")), join(root, "current"));
    }
    person = await server.person();
    researcher = (await server.researchers()).find(({ orcid }) => orcid === null) ?? researcher;
  });

  afterAll(() => server?.close());

  /** Runs commands in order, and returns the output of each. Expects that all succeed. */
  async function ran(...commands: readonly (readonly string[])[]): Promise<string[]> {
    const ended = await moderate(target, commands);
    for (const { exitCode, stderr } of ended) expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return ended.map(({ stdout }) => stdout);
  }

  test("share-release account lists, shows, decides, exports and logs a claim, an opt-out and a submission", async () => {
    expect(await ran(["list"], ["log"])).toEqual(["no request waits for a decision\n", "no decisions yet\n"]);
    const claim = row.parse(await person.posted("/account/profile-claims", { authorSlug: researcher.slug })).id;
    const submissions: string[] = [];
    for (const identifier of ["zenodo/55000001", SPECIAL.winner]) {
      submissions.push(row.parse(await person.posted("/account/dataset-submissions", { identifier })).id);
    }
    const [software = "", known = ""] = submissions;

    const [table = "", claims = "", one, shown = "", unknown, has, json = ""] = await ran(
      ["list"],
      ["list", "--kind", "claims", "--json"],
      ["list", "--limit", "1"],
      ["decide", claim],
      ["decide", software],
      ["decide", known],
      ["decide", claim, "--json"],
    );
    const lines = table.split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^since +id +state +request +subject +applicant$/);
    expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d {2}c/);
    expect(lines[1]).toContain(`${claim}  pending  claim    ${researcher.slug}  `);
    expect(lines[1]?.endsWith(`  ${person.email}`)).toBe(true);
    // The output has columns, so each value begins at the same place in every line.
    const begins = [
      lines[0]?.indexOf("subject"),
      lines[1]?.indexOf(researcher.slug),
      lines[2]?.indexOf("zenodo/55000001"),
    ];
    expect(new Set(begins).size).toBe(1);
    expect(jsonLines(claims)).toEqual([
      expect.objectContaining({
        id: claim,
        kind: "claim",
        state: "pending",
        researcher: { id: researcher.id, slug: researcher.slug },
      }),
      { listed: 1, total: 1 },
    ]);
    expect(one).toContain("and 2 more; see --limit");
    expect(shown).toContain(`${person.email}, no ORCID iD; account ${person.id}`);
    expect(shown).toContain(`${researcher.name}, `);
    expect(shown.replaceAll(/\s+/g, " ")).toContain(
      `S-Index ${researcher.sIndex}, of ${researcher.datasetCount} datasets, SHARE 2.0, as of 2026-11-01, mean cap `,
    );
    expect(shown).toContain(`share-release account decide ${claim} reject --reason`);
    expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(unknown).toContain("does not contain this record");
    expect(has).toContain("already contains this record: ");
    expect(jsonLines(json)).toMatchObject([
      {
        id: claim,
        applicant: { email: person.email },
        published: { researcher: { name: researcher.name } },
        events: [],
      },
    ]);

    const [approved, again] = await moderate(target, [
      ["decide", claim, "approve", "--by", "Ada"],
      ["decide", claim, "approve"],
    ]);
    expect(approved).toEqual({ exitCode: 0, stdout: `approved claim ${claim}, by Ada\n`, stderr: "" });
    expect(again).toMatchObject({ exitCode: 1, stdout: "" });
    expect(again?.stderr).toMatch(
      new RegExp(
        `^share-release: the request ${claim} was already approved by Ada at \\d{4}-.*Z; a decision cannot be changed\n$`,
      ),
    );

    const body = { authorSlug: researcher.slug, requestType: "opt_out", reason: "I have left." };
    const request = row.parse(await person.posted("/account/visibility-requests", body)).id;
    const file = join(folder, "withheld.txt");
    const [
      asked,
      hidden = "",
      rejected,
      accepted,
      none,
      all = "",
      wrote,
      ids,
      exported = "",
      log = "",
      events = "",
      after,
    ] = await ran(
      ["decide", request],
      ["decide", request, "approve", "--json"],
      ["decide", software, "reject", "--reason", "  It is software. ", "--by", "Ada"],
      ["decide", known, "approve"],
      ["list"],
      ["list", "--state", "approved", "--json"],
      ["list", "--hidden", "--out", file],
      ["list", "--hidden"],
      ["list", "--hidden", "--json"],
      ["log"],
      ["log", "--json"],
      ["decide", request],
    );
    expect(asked).toContain("“I have left.”");
    expect(asked).toContain(`${claim} approved, by the same applicant, since `);
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    const by = userInfo().username;
    expect(jsonLines(hidden)).toEqual([{ id: request, kind: "visibility", state: "approved", reason: null, by, at }]);
    expect(rejected).toBe(`rejected submission ${software}, by Ada\n`);
    expect(accepted).toBe(`accepted submission ${known}, by ${by}\n`);
    expect(await person.got("/account/dataset-submissions")).toMatchObject({
      data: [{ state: "accepted" }, { state: "rejected", decisionReason: "It is software." }],
    });
    expect(none).toBe("no request waits for a decision\n");
    expect(jsonLines(all).at(-1)).toEqual({ listed: 3, total: 3 });
    expect(wrote).toBe(`wrote ${file}: 1 researcher\n`);
    expect(await readExcluded(file)).toEqual([researcher.id]);
    expect(readFileSync(file, "utf8")).not.toContain(researcher.name);
    expect(ids).toBe(readFileSync(file, "utf8"));
    expect(readdirSync(folder)).toEqual(["withheld.txt"]);
    expect(jsonLines(exported)).toEqual([{ id: researcher.id, since: at }, { researchers: 1 }]);
    const logged = log.trimEnd().split("\n");
    expect(logged.map((line) => /[cvd][0-9a-f]{24}/.exec(line)?.[0])).toEqual([claim, request, software, known]);
    expect(logged[2]).toMatch(/rejected by Ada {2}zenodo 55000001: It is software\.$/);
    expect(jsonLines(events).at(-1)).toEqual({ events: 4 });
    expect(after).toMatch(/hidden +since \d{4}-/);

    const back = ["unhide", researcher.id, "--reason", "Asked by letter.", "--by", "Ada"];
    const [unhidden, twice, rest, last] = await moderate(target, [back, back, ["list", "--hidden", "--json"], ["log"]]);
    expect(unhidden).toMatchObject({ exitCode: 0, stdout: `researcher ${researcher.id} is visible again, by Ada\n` });
    expect(twice).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^share-release: the researcher a\S+ is not hidden/),
    });
    expect(jsonLines(rest?.stdout ?? "")).toEqual([{ researchers: 0 }]);
    expect(last?.stdout).toMatch(new RegExp(`${researcher.id} {2}unhidden by Ada.*: Asked by letter\\.\n$`));

    // Control characters in a person's name could steer the moderator's terminal.
    await server.accounts.db
      .updateTable("account")
      .set({ name: "\u001b[2JEve\u202e" })
      .where("id", "=", person.id)
      .execute();
    const said = (await ran(["list", "--state", "all"], ["decide", request])).join("");
    expect(said.split("[2JEve")).toHaveLength(6);
    for (const hiddenCharacter of ["\u001b", "\u202e"]) expect(said).not.toContain(hiddenCharacter);
  });
});

test("share-release account rejects an invalid command with advice, and changes nothing", async () => {
  const nothing = `c${"0".repeat(24)}`;
  const CASES = [
    { parameters: ["decide", nothing, "approve"], exitCode: 1, says: /no request has the id c0/ },
    { parameters: ["decide", nothing], exitCode: 1, says: /no request has the id/ },
    { parameters: ["decide", "ada", "approve"], exitCode: 2, says: /the id of the request is not valid/ },
    { parameters: ["decide"], exitCode: 2, says: /'id'.*account decide --help/ },
    { parameters: ["decide", nothing, "reject"], exitCode: 2, says: /--reason <text>/ },
    { parameters: ["decide", nothing, "reject", "--reason", " "], exitCode: 2, says: /--reason must not be empty/ },
    {
      parameters: ["decide", nothing, "reject", "--reason", "r".repeat(501)],
      exitCode: 2,
      says: /at most 500 characters/,
    },
    {
      parameters: ["decide", nothing, "reject", "--reason", "a\u001b[2J"],
      exitCode: 2,
      says: /must not contain control/,
    },
    { parameters: ["decide", nothing, "approve", "--by", ""], exitCode: 2, says: /--by must not be empty/ },
    { parameters: ["list", "--state", "open"], exitCode: 2, says: /pending, approved, rejected, all/ },
    { parameters: ["list", "--kind", "claim"], exitCode: 2, says: /claims, visibility, submissions/ },
    { parameters: ["list", "--limit", "0"], exitCode: 2, says: /--limit.*from 1 to/ },
    { parameters: ["list", "--hidden", "--out", "/nowhere/x"], exitCode: 1, says: /ENOENT/ },
    { parameters: [], exitCode: 2, says: /Usage: share-release account/ },
  ];
  const server = await serveAccounts(raw.store, { sqlite: join(raw.store.root, "accounts.sqlite") });
  const ended = await moderate(
    { sqlite: join(raw.store.root, "accounts.sqlite") },
    CASES.map(({ parameters }) => parameters),
  );
  await server.close();
  expect(ended.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(CASES.map(({ exitCode }) => [exitCode, ""]));
  for (const [i, { says }] of CASES.entries()) expect(ended[i]?.stderr).toMatch(says);
});

test("share-release account creates no account store if there is none, and says so", async () => {
  const nowhere = { sqlite: join(folder, "nowhere", "accounts.sqlite") };
  for (const ended of await moderate(nowhere, [["list"], ["list", "--hidden"], ["log"]])) {
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toMatch(/there is no account store .*serve/);
  }
  expect(existsSync(dirname(nowhere.sqlite))).toBe(false);
});
