/** A new contract is a file and its line in the table of contracts: in a copy of the repository it is added, documented and scored by. */

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { repositoryCopy } from "./repository-copy.ts";

const run = promisify(execFile);
const ID = "2.0.0-beta.3";

/** Replaces the one place where `from` stands. */
async function edit(path: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(path, "utf8")).split(from);
  expect([path, from, parts.length]).toEqual([path, from, 2]);
  await writeFile(path, parts.join(to));
}

const scored = z.looseObject({
  contract: z.string(),
  record: z.looseObject({
    signals: z.array(z.looseObject({ id: z.string(), state: z.string(), advice: z.string().nullable() })),
  }),
});

test("two files are touched, and the contract is documented, answered to by every pledge, and scored by", async () => {
  await using copy = await repositoryCopy();
  const { folder } = copy;
  const at = (path: string) => join(folder, path);
  const node = async (...words: readonly string[]) =>
    (await run(process.execPath, [...words], { cwd: folder, timeout: 300_000 })).stdout;

  const current = await readFile(at("pipeline/rubrics/2.0.0-beta.2.json"), "utf8");
  await writeFile(
    at(`pipeline/rubrics/${ID}.json`),
    current.replace('"rule": "keyword_count >= 3"', '"rule": "keyword_count >= 9"'),
  );
  const table = at("schemas/public/rubric.ts");
  await edit(table, '"2.0.0-beta.2"] as const', `"2.0.0-beta.2", "${ID}"] as const`);
  await edit(
    table,
    '"2.0.0-beta.2": { publicVersion: "2.0", status: "current" },',
    `"2.0.0-beta.2": { publicVersion: null, status: "superseded" },
     "${ID}": { publicVersion: "2.0", status: "current" },`,
  );

  expect(await node("docs/generate.ts")).toContain("docs/method.md written");
  expect(await readFile(at("docs/method.md"), "utf8")).toContain(`Contract \`${ID}\`: public version 2.0, current`);

  const draft = "fixtures/payloads/zenodo/creators.json";
  const text = await node("bin/share-release.js", "evaluate", draft, "--source", "zenodo", "--json");
  const asked = await node("bin/share-release.js", "evaluate", draft, "--source", "zenodo", "--json", "--rubric", ID);
  expect(scored.parse(JSON.parse(asked.trim().split("\n").at(-1) ?? "")).contract).toBe(ID);
  const { contract, record } = scored.parse(JSON.parse(text.trim().split("\n").at(-1) ?? ""));
  expect([contract, record.signals.length]).toEqual([ID, 25]);
  expect(record.signals.find(({ id }) => id === "S2")).toMatchObject({
    state: "absent",
    advice: 'Enter at least nine different keywords in "Keywords and subjects", one entry for each.',
  });
}, 600_000);
