/** Tests kills before and after the rename that makes a part of the stored payloads and its rejections valid. */

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RawSession } from "../../pipeline/1-harvest/session.ts";
import { readRejected } from "../../pipeline/store/harvest-log.ts";
import { listParts } from "../../pipeline/store/raw-parts.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const record = (n: number) => ({
  source: "datacite",
  sourceId: `10.5555/${n}`,
  retrievedAt: null,
  url: null,
  status: 200,
  payloadDigest: "0".repeat(64),
  payload: "{}",
});
const rejection = (line: number) => ({
  source: "datacite",
  file: "a.jsonl",
  line,
  reason: "binary" as const,
  detail: "",
});

/** Commits twice, each time a record and a rejection. The year in `last` shows which commit was the last. */
async function twoCommits(folder: string): Promise<void> {
  const session = await RawSession.open(folder);
  for (const n of [1, 2]) {
    await session.keep(record(n));
    session.reject(rejection(n));
    await session.commit({ files: {}, http: {}, last: { x: { started: `200${n}-01-01T00:00:00Z` } } });
  }
  await session.close();
}

async function readState(folder: string): Promise<{ parts: number; rejected: number; last: string | undefined }> {
  const session = await RawSession.open(folder);
  await session.close();
  let rejected = 0;
  for await (const _rejection of readRejected(folder)) rejected += 1;
  return { parts: (await listParts(folder)).length, rejected, last: session.progress.last.x?.started.slice(0, 4) };
}

describe("killed harvests", () => {
  test("a harvest that is killed while it stores a part loses nothing if the kill is after the rename of the part", async () => {
    await using bench = await temporaryStore();
    await twoCommits(bench.folder);
    expect(await readState(bench.folder)).toEqual({ parts: 2, rejected: 2, last: "2002" });
  });

  test("a harvest that is killed while it stores a part loses the part and its rejections if the kill is before the rename", async () => {
    await using bench = await temporaryStore();
    await twoCommits(bench.folder);
    const part = join(bench.folder, "000002.ndjson.zst");
    await rename(part, `${part}.tmp`);
    expect(await readState(bench.folder)).toEqual({ parts: 1, rejected: 1, last: "2001" });
    expect(await readState(bench.folder)).toEqual({ parts: 1, rejected: 1, last: "2001" });
  });

  test("a harvest that is killed before its first commit loses the rejections that it wrote", async () => {
    await using bench = await temporaryStore();
    const session = await RawSession.open(bench.folder);
    await session.close();
    await writeFile(join(bench.folder, "rejected.ndjson"), `${JSON.stringify(rejection(1))}\n`);
    expect(await readState(bench.folder)).toEqual({ parts: 0, rejected: 0, last: undefined });
  });
});

test("rejections of a folder without a checkpoint stay in place when the folder is opened", async () => {
  await using bench = await temporaryStore();
  await writeFile(join(bench.folder, "rejected.ndjson"), `${JSON.stringify(rejection(1))}\n`);
  expect((await readState(bench.folder)).rejected).toBe(1);
});

test("an unreadable checkpoint is reported and not overwritten, and the lock is released", async () => {
  await using bench = await temporaryStore();
  const path = join(bench.folder, "checkpoint.json");
  await writeFile(path, `{"version":2}`);
  for (let i = 0; i < 2; i++) {
    await expect(RawSession.open(bench.folder)).rejects.toMatchObject({ code: "checkpoint-unreadable" });
  }
  expect(await readFile(path, "utf8")).toBe(`{"version":2}`);
});

test("a session that is closed without a commit leaves no part", async () => {
  await using bench = await temporaryStore();
  const session = await RawSession.open(bench.folder);
  await session.keep(record(1));
  await session.close();
  expect((await readState(bench.folder)).parts).toBe(0);
});

test.each([
  { name: "from a version with one service for each source", last: { started: "2025-01-01T00:00:00Z" }, read: {} },
  { name: "for a source without a complete harvest", last: null, read: {} },
  {
    name: "from this version",
    last: { "https://a.org": { started: "2025-01-01T00:00:00Z" } },
    read: { "https://a.org": { started: "2025-01-01T00:00:00Z" } },
  },
])("a checkpoint $name can be read", async ({ last, read }) => {
  await using bench = await temporaryStore();
  const progress = { rejectedBytes: 0, files: {}, http: {}, last };
  await writeFile(join(bench.folder, "checkpoint.json"), JSON.stringify({ version: 1, progress, pending: null }));
  const session = await RawSession.open(bench.folder);
  await session.close();
  expect(session.progress.last).toEqual(read);
});
