/** Visible changes are documented: CHANGELOG.md is not older than the files that describe the public interface. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";

/**
 * Files that describe the public interface. Most are generated from the code, so they change with URLs, tables, rules and
 * pledges.
 */
const PUBLIC = [
  "docs/reference",
  "docs/method.md",
  "docs/spec",
  "api-static/openapi/examples.json",
  "pipeline/rubrics",
  "pipeline/sources/*/pledge.json",
];

async function git(folder: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", words, { cwd: folder });
  return stdout.trim();
}

/** Lists the commits that changed public files after the last change of CHANGELOG.md, without those that only moved files. */
async function silentChanges(folder: string): Promise<string[]> {
  const last = await git(folder, "log", "-1", "--format=%H", "--", "CHANGELOG.md");
  const changes = await git(
    folder,
    "log",
    "--format=%h %s",
    "--diff-filter=AMD",
    "-M90%",
    `${last}..HEAD`,
    "--",
    ...PUBLIC,
  );
  return changes.split("\n").filter((line) => line !== "");
}

test.skipIf(!existsSync(join(REPOSITORY, ".git")))("CHANGELOG.md documents changes in public files", async () => {
  expect(await silentChanges(REPOSITORY)).toEqual([]);
});

test("the check of CHANGELOG.md finds a change that it does not document", async () => {
  const folder = await mkdtemp(join(tmpdir(), "share-changelog-"));
  const commit = async (file: string, text: string) => {
    await writeFile(join(folder, file), text);
    await git(folder, "add", ".");
    await git(folder, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", text);
  };
  try {
    await git(folder, "init", "-q");
    await commit("CHANGELOG.md", "first");
    await commit("README.md", "words");
    expect(await silentChanges(folder)).toEqual([]);
    await mkdir(join(folder, "docs/reference"), { recursive: true });
    await commit("docs/reference/tables.md", "a column more");
    expect(await silentChanges(folder)).toEqual([expect.stringMatching(/^[0-9a-f]+ a column more$/)]);
    await commit("CHANGELOG.md", "told");
    expect(await silentChanges(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
