/**
 * Makes the changes that docs/changing.md describes, one after the other, in a copy of the repository. The changed program must
 * serve, verify and compare the releases that were made before, and build the next one. The third tier checks this after each
 * change, but CI only after every three, because most of the time is spent on starting the program.
 */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Ended, runCommand } from "../support/command-line.ts";
import { startServing } from "../support/serving.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { IS_SOAK } from "../tiers.ts";
import { type RepositoryCopy, repositoryCopy } from "./repository-copy.ts";

const CONTRACT = "2.0.0-beta.3";
const RUBRIC = "pipeline/rubrics/2.0.0-beta.2.json";

let copy: RepositoryCopy;
let at: TemporaryStore;
/** Digests of the releases in the order of their builds. The first release was built before any change. */
const releases: string[] = [];

beforeAll(async () => {
  [copy, at] = await Promise.all([repositoryCopy(), temporaryStore()]);
  await harvest("zenodo", "zenodo");
  await build();
}, 300_000);

afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await copy[Symbol.asyncDispose]();
});

const path = (name: string) => join(copy.folder, name);

/** Replaces a text that must occur exactly once in the file. */
async function edit(name: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(path(name), "utf8")).split(from);
  expect([name, from, parts.length]).toEqual([name, from, 2]);
  await writeFile(path(name), parts.join(to));
}

/** Runs a command of the copied program, and waits until the command ends. */
async function share(...words: readonly string[]): Promise<Ended> {
  return runCommand(words, { program: path("bin/share-release.js"), folder: copy.folder });
}

async function shareInStore(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await share(...words, "--store", at.store.root);
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout;
}

async function harvest(source: string, payloads: string): Promise<void> {
  const from = path(`fixtures/payloads/${payloads}`);
  await shareInStore("harvest", source, "--from", from, "--retrieved-at", "2026-10-31T00:00:00Z");
}

const built = z.looseObject({
  created: z.boolean(),
  activated: z.boolean(),
  receipt: z.looseObject({ releaseDigest: z.string() }),
});

async function build(): Promise<void> {
  const day = String(releases.length + 1).padStart(2, "0");
  const { created, activated, receipt } = built.parse(
    JSON.parse((await shareInStore("build", "--as-of", `2026-11-${day}`, "--json")).trim().split("\n").at(-1) ?? ""),
  );
  expect({ created, activated }).toEqual({ created: true, activated: true });
  releases.push(receipt.releaseDigest);
}

const list = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), slug: z.string().optional() })) });

/** Starts a server with the current release, and requests URLs that it answers from pages, from tables, and from both. */
async function serveActive(): Promise<void> {
  const serving = await startServing(["--store", at.store.root], {}, path("bin/share-release.js"));
  try {
    const ask = (address: string, accept = "*/*") =>
      fetch(`http://127.0.0.1:${serving.port}${address}`, { headers: { accept } });
    const first = async (address: string) => list.parse(await (await ask(address)).json()).data[0];
    const record = (await first("/records?minScore=1&sortBy=title"))?.id;
    const slug = (await first("/authors?minDatasets=1"))?.slug;
    const asked = [
      [`/records/${record}`, "application/json"],
      [`/records/${record}`, "application/ld+json"],
      [`/datasets/${record}`, "text/html"],
      [`/authors/${slug}`, "application/json"],
      [`/researchers/${slug}`, "text/html"],
      ["/metrics/live", "application/json"],
      ["/rubrics/2.0", "application/json"],
      ["/history", "text/html"],
    ] as const;
    const answers = await Promise.all(
      asked.map(async ([address, accept]) => [address, accept, (await ask(address, accept)).status]),
    );
    expect(answers).toEqual(asked.map(([address, accept]) => [address, accept, 200]));
  } finally {
    await serving.end();
  }
}

/** Adds a member to each object of a JSON file that has the member `beside`. */
async function addMember(name: string, beside: string, member: string): Promise<void> {
  const text = await readFile(path(name), "utf8");
  const added = text.replaceAll(
    new RegExp(`^( *)"${beside}": .*$`, "gm"),
    (line, indent) => `${indent}${member},\n${line}`,
  );
  expect([name, added !== text]).toEqual([name, true]);
  await writeFile(path(name), added);
}

const CHANGES: readonly { readonly name: string; readonly make: () => Promise<void> }[] = [
  {
    name: "the wording of a signal",
    make: () => edit(RUBRIC, '"name": "Methods"', '"name": "Methods or technical information"'),
  },
  {
    name: "a contract that becomes current",
    make: async () => {
      const current = await readFile(path(RUBRIC), "utf8");
      await writeFile(
        path(`pipeline/rubrics/${CONTRACT}.json`),
        current.replace('"rule": "keyword_count >= 3"', '"rule": "keyword_count >= 9"'),
      );
      const table = "schemas/public/rubric.ts";
      await edit(table, '"2.0.0-beta.2"] as const', `"2.0.0-beta.2", "${CONTRACT}"] as const`);
      await edit(
        table,
        '"2.0.0-beta.2": { publicVersion: "2.0", status: "current" },',
        `"2.0.0-beta.2": { publicVersion: null, status: "superseded" },
         "${CONTRACT}": { publicVersion: "2.0", status: "current" },`,
      );
      const files = "pipeline/rubrics/contracts.ts";
      await edit(files, '"2.0.0-beta.2": secondBeta,', `"2.0.0-beta.2": secondBeta, "${CONTRACT}": thirdBeta,`);
      const before = 'import secondBeta from "./2.0.0-beta.2.json" with { type: "json" };\n';
      await edit(files, before, `${before}import thirdBeta from "./${CONTRACT}.json" with { type: "json" };\n`);
    },
  },
  {
    name: "a column of evidence",
    make: async () => {
      const last = '{ name: "venue_stated",';
      await edit(
        "schemas/public/evidence.ts",
        last,
        `{ name: "venue_named", type: "bool", fact: "a journal" },\n  ${last}`,
      );
      for (const source of await readdir(path("pipeline/sources"), { withFileTypes: true })) {
        const pledge = `pipeline/sources/${source.name}/pledge.json`;
        if (!source.isDirectory() || source.name === "adapter") continue;
        const stated = JSON.parse(await readFile(path(pledge), "utf8"));
        stated.neverCarries.push("venue_named");
        await writeFile(path(pledge), JSON.stringify(stated));
      }
    },
  },
  {
    name: "a source",
    make: async () => {
      expect(await share("source", "new", "invented")).toMatchObject({ exitCode: 0, stderr: "" });
      const index = "pipeline/sources/index.ts";
      await edit(
        index,
        "export const SOURCES",
        'import { invented } from "./invented/source.ts";\nexport const SOURCES',
      );
      await edit(index, "  edi,\n", "  edi,\n  invented,\n");
      await harvest("invented", "invented/complete.json");
    },
  },
  {
    name: "a field of the record page",
    make: async () => {
      await edit(
        "schemas/public/record-columns.ts",
        '  {\n    name: "url",',
        `  {
    name: "subtitle", type: "text", meaning: "subtitle", tables: BOTH, field: "subtitle", reads: "words", rare: true,
    pages: "detail", shown: { part: "about", as: "subtitle" },
  },
  {\n    name: "url",`,
      );
      await edit(
        "pipeline/2-normalise/resolve.sql",
        "capture.title, capture.url,",
        "capture.title, capture.subtitle, capture.url,",
      );
      await addMember("api-static/openapi/examples.json", "recordKind", '"subtitle": null');
    },
  },
  {
    name: "a vocabulary row",
    make: async () => {
      await edit(
        "pipeline/vocabularies/placeholders.csv",
        "contains,central contact,name,",
        "contains,central contact,name,also ",
      );
      const compiled = await runCommand([], { program: path("docs/write-vocabularies.ts"), folder: copy.folder });
      expect(compiled).toMatchObject({ exitCode: 0, stderr: "" });
    },
  },
];

/** Raises the version of the program, as developers do whenever they publish changed rules or readers. */
async function raiseVersion(): Promise<void> {
  const manifest = JSON.parse(await readFile(path("package.json"), "utf8"));
  const [major, minor, patch] = String(manifest.version).split(".");
  await writeFile(
    path("package.json"),
    JSON.stringify({ ...manifest, version: `${major}.${minor}.${Number(patch) + 1}` }, null, 2),
  );
}

const AT_ONCE = IS_SOAK ? 1 : 3;

for (let done = 0; done < CHANGES.length; done += AT_ONCE) {
  const some = CHANGES.slice(done, done + AT_ONCE);
  const names = some.map(({ name }) => name).join(", ");
  test(`after a change of ${names}, earlier releases can still be served, verified and compared, and the next release can be built`, async () => {
    for (const { make } of some) await make();
    await raiseVersion();
    await serveActive();
    await build();
    const [first = "", before = "", after = ""] = [releases[0], ...releases.slice(-2)];
    expect(await shareInStore("release", "diff", before, after)).toContain("SHARE 2.0");
    expect(await shareInStore("release", "diff", after, before)).toContain("SHARE 2.0");
    const rebuilt = await share("release", "verify", first, "--rebuild", "--store", at.store.root);
    expect({ ...rebuilt, stderr: "" }).toEqual({
      exitCode: 4,
      stdout: expect.stringContaining(`${first} is verified up to its scores and aggregates: version 0.1.0`),
      stderr: "",
    });
    expect(await shareInStore("release", "verify", after)).toContain(`${after} is valid`);
  }, 300_000);
}

const scored = z.looseObject({
  contract: z.string(),
  record: z.looseObject({
    signals: z.array(z.looseObject({ id: z.string(), state: z.string(), advice: z.string().nullable() })),
  }),
});

test("a new contract is documented, is pledged by every source, and scores the records", async () => {
  const docs = await runCommand([], { program: path("docs/generate.ts"), folder: copy.folder });
  expect(docs.stdout).toContain("docs/reference/signals.md written");
  expect(await readFile(path("docs/reference/signals.md"), "utf8")).toContain(
    `Contract \`${CONTRACT}\`: public version 2.0, current`,
  );

  const draft = ["score", "fixtures/payloads/zenodo/creators.json", "--source", "zenodo", "--json"];
  const last = ({ stdout }: Ended) => scored.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  expect(last(await share(...draft, "--rubric", CONTRACT)).contract).toBe(CONTRACT);
  const { contract, record } = last(await share(...draft));
  expect([contract, record.signals.length]).toEqual([CONTRACT, 25]);
  expect(record.signals.find(({ id }) => id === "S2")).toMatchObject({
    state: "absent",
    advice: 'Enter at least nine different keywords in "Keywords and subjects", one entry for each.',
  });
}, 300_000);
