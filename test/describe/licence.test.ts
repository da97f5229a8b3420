/** Every text of a release names the licence of the data, and none names the licence of the program. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { zenodoRecord } from "../release/prolific.ts";
import { runHosted } from "../support/command-host.ts";
import { harvestRecords, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

let bench: TemporaryStore;

beforeAll(async () => {
  bench = await temporaryStore();
  await harvestRecords(bench.store, bench.folder, "zenodo", [zenodoRecord({ id: 99_800_000, keywords: 3 })]);
});
afterAll(() => bench[Symbol.asyncDispose]());

const build = (day: string, ...more: string[]) =>
  runHosted(["build", "--as-of", day, "--threads", "1", "--store", bench.store.root, ...more]);
const text = (path: string) => readFile(join(bench.store.current, path), "utf8");
const json = async (path: string) => JSON.parse(await text(path));

const CASES = [
  {
    day: "2026-11-01",
    given: [],
    id: "CC0-1.0",
    title: "Creative Commons Zero v1.0 Universal",
    url: "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
  },
  {
    day: "2026-11-02",
    given: ["--licence", "cc-by-4.0"],
    id: "CC-BY-4.0",
    title: "Creative Commons Attribution 4.0 International",
    url: "https://creativecommons.org/licenses/by/4.0/legalcode",
  },
];

describe.each(CASES)("the licence of a release under $id", ({ day, given, id, title, url }) => {
  beforeAll(async () => {
    const { exitCode, stdout, stderr } = await build(day, ...given);
    if (exitCode !== 0) throw new Error(stderr);
    expect(stdout).toMatch(new RegExp(`^licence +${id}$`, "m"));
  }, 300_000);

  test("a release states its licence in the receipt and in every descriptor", async () => {
    expect(await json("release.json")).toMatchObject({ license: id });
    expect(await json(DESCRIPTORS.datapackage)).toMatchObject({ licenses: [{ name: id, title, path: url }] });
    expect(await json(DESCRIPTORS.croissant)).toMatchObject({ license: url });
    const graph: { "@id": string }[] = (await json(DESCRIPTORS.roCrate))["@graph"];
    expect(graph.find((entity) => entity["@id"] === "./")).toMatchObject({ license: { "@id": url } });
    expect(graph.find((entity) => entity["@id"] === url)).toMatchObject({ name: title, identifier: id });
    expect(await text(DESCRIPTORS.citation)).toMatch(new RegExp(`^license: ${id}$`, "m"));
    expect(await text(DESCRIPTORS.report)).toContain(`<dt>Licence</dt><dd>${id}</dd>`);
  });

  test("no text of a release names the licence of the program", async () => {
    for (const path of ["release.json", ...Object.values(DESCRIPTORS)])
      expect(await text(path)).not.toMatch(/apache-2|apache license/i);
  });
});

test("a build that differs only in its licence keeps the existing release, and prints the licence of that release", async () => {
  const { exitCode, stdout } = await build("2026-11-02", "--licence", "ODbL-1.0");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Its licence is CC-BY-4.0. A release never changes");
  expect(await json("release.json")).toMatchObject({ license: "CC-BY-4.0" });
}, 300_000);

test.each(["Apache", "CC-BY", "my own", ""])("build rejects %j, which is not the SPDX id of a licence", async (id) => {
  const { exitCode, stderr } = await build("2026-11-03", "--licence", id);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("CC0-1.0 or CC-BY-4.0");
});
