/** The engine's memory limit, and the error message if the limit is too small. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machineMemory, memoryFor } from "../../pipeline/engine/memory.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { isOutOfMemory } from "../../pipeline/engine/sql-text.ts";

describe("the default memory limit of the engine", () => {
  test.each([
    { bytes: 0, memory: "512MB" },
    { bytes: 512e6, memory: "512MB" },
    { bytes: 700_000_001, memory: "701MB" },
  ])("the default memory limit is $memory if $bytes bytes are available", ({ bytes, memory }) => {
    expect(memoryFor(bytes)).toBe(memory);
  });

  test.each([
    { machine: 16e9, memory: "4000MB" },
    { machine: 1e9, memory: "512MB" },
  ])(
    "the default memory limit of a machine with $machine bytes is $memory: a quarter, but at least 512 MB",
    ({ machine, memory }) => {
      expect(memoryFor(1e15, machine)).toBe(memory);
    },
  );

  test("machineMemory is at most the memory of the machine", () => {
    expect(machineMemory()).toBeGreaterThan(0);
    expect(machineMemory()).toBeLessThanOrEqual(totalmem());
  });
});

describe("recognising an error about missing memory with isOutOfMemory", () => {
  const said = "Out of Memory Error: could not allocate block";

  test.each([
    { name: "an error of the engine", error: new Error(said) },
    {
      name: "an error whose cause is an error of the engine",
      error: new Error("a check failed", { cause: new Error("a file", { cause: new Error(said) }) }),
    },
  ])("isOutOfMemory recognises an error about missing memory: $name", ({ error }) => {
    expect(isOutOfMemory(error)).toBe(true);
  });

  test.each([
    { name: "a title of a record in a message", error: new Error(`r0123: the title is ${JSON.stringify(said)}`) },
    { name: "a title of a record on its own line", error: new Error(`expected another title\n${said}`) },
    {
      name: "a title of a record in the cause",
      error: new Error("a row differs", { cause: new Error(`found ${said}`) }),
    },
    { name: "a string that is not an error", error: said },
  ])("isOutOfMemory is false for another error that contains the same words: $name", ({ error }) => {
    expect(isOutOfMemory(error)).toBe(false);
  });
});

describe("the error about a table that fits neither into memory nor onto the disk", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "share-roomless-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("the error about a table that does not fit has the name of the table and says what to change", async () => {
    const db = await openDuckDB({ threads: 1, memory: "16MB", spill: join(folder, "spill") });
    try {
      await db.run("set max_temp_directory_size = '1KB'");
      await db.run("create view wide as select md5(range::varchar) as text from range(5000000)");
      const wide = { name: "wide", grain: "a text", key: ["text"], columns: { text: "text" } } as const;
      await expect(db.output(wide, join(folder, "wide"))).rejects.toThrow(
        /^the table wide could not be written: .*Out of Memory[\s\S]*Use more memory with --memory/,
      );
    } finally {
      db.close();
    }
  });
});
