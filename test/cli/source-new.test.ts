/** Tests `share-release source new`: the files that it writes for a new source, and the folders and names that it rejects. */

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { derivePledge, pledgeFile } from "../../pipeline/sources/pledges.ts";
import { commandHost } from "../support/command-host.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

const host = commandHost(join(import.meta.dirname, "share-release.ts"));
afterAll(() => host[Symbol.asyncDispose]());

const HEADINGS = "folder,file,feature,expected\n";

/** Makes a folder with the two files by which the command recognises a checkout of this repository. */
async function checkout(): Promise<TemporaryStore> {
  const place = await temporaryStore();
  await mkdir(join(place.folder, "fixtures"));
  await writeFile(join(place.folder, "package.json"), '{\n  "name": "share-release"\n}\n');
  await writeFile(join(place.folder, "fixtures/expected.csv"), HEADINGS);
  return place;
}

test("source new writes a source with a valid pledge, three fixtures and their expected scores, and lists the next steps", async () => {
  await using place = await checkout();
  const { exitCode, stdout, stderr } = await host.run(["source", "new", "my_archive"], { folder: place.folder });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const read = (name: string) => readFile(join(place.folder, name), "utf8");
  expect(await read("pipeline/sources/my_archive/source.ts")).toContain("export const myArchive: Source = {");
  expect(await read("pipeline/sources/my_archive/normalise.ts")).toContain("export function normaliseMyArchive(");
  const stated = pledgeFile.parse(JSON.parse(await read("pipeline/sources/my_archive/pledge.json")));
  const pledge = derivePledge(stated, [...(await readContracts()).values()]);
  expect(Object.values(pledge.contracts["2.0.0-beta.2"]).filter(({ supported }) => supported).length).toBeGreaterThan(
    1,
  );
  const rows = (await read("fixtures/expected.csv")).replace(HEADINGS, "").trimEnd().split("\n");
  const files = rows.map((row) => row.split(",").slice(0, 2).join("/"));
  expect(files).toHaveLength(3);
  for (const file of files) expect(JSON.parse(await read(`fixtures/${file}`))).toHaveProperty("id");
  expect(stdout).toContain('import { myArchive } from "./my_archive/source.ts";');
  const again = await host.run(["source", "new", "my_archive"], { folder: place.folder });
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("source.ts already exists") });
});

describe("invalid requests for a source", () => {
  test("source new rejects a folder that is not a checkout", async () => {
    await using place = await temporaryStore();
    const { exitCode, stderr } = await host.run(["source", "new", "my_archive"], { folder: place.folder });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is not a checkout of share-release")]);
    expect(existsSync(join(place.folder, "pipeline"))).toBe(false);
  });

  test.each([
    { name: "Mine", code: 2, says: "is not a valid name" },
    { name: "my-archive", code: 2, says: "is not a valid name" },
    { name: "adapter", code: 2, says: "is not a valid name" },
    { name: "zenodo", code: 1, says: "the source zenodo already exists" },
  ])("source new rejects the name $name with exit code $code", async ({ name, code, says }) => {
    await using place = await checkout();
    const { exitCode, stderr } = await host.run(["source", "new", name], { folder: place.folder });
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(says)]);
  });
});
