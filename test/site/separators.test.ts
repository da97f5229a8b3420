/** Numbers from one thousand on have thousands separators on every kind of page, for example 2,048. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../pipeline/store/store.ts";
import { ask } from "../server/ask.ts";
import { type Listening, serve } from "../server/test-store.ts";
import { commandHost } from "../support/command-host.ts";

const folder = mkdtempSync(join(tmpdir(), "share-separators-"));
const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
let server: Listening;

beforeAll(async () => {
  const store = join(folder, "store");
  for (const command of [["fixtures", "--records", "1500", "--seed", "5"], ["build"]]) {
    const { exitCode, stdout, stderr } = await host.run([...command, "--store", store]);
    expect([exitCode, exitCode === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  }
  server = await serve(openStore(store));
}, 300_000);

afterAll(async () => {
  await server?.close();
  await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const read = async (path: string) => (await ask(server.port, path, { headers: { accept: "text/html" } })).text;

/** Matches elements whose text is not written by the site, such as identifiers, code and titles of datasets. */
const NOT_OURS =
  /<(script|style|code|pre|title|cite|bdi|time|textarea|option|datalist)\b[^>]*>[\s\S]*?<\/\1>|<[a-z]+[^>]* dir="auto"[^>]*>[\s\S]*?<\/[a-z]+>/g;

/**
 * Returns the numbers of four and more digits on a page that lack a thousands separator. Years, dates, numbers of RFCs,
 * versions and identifiers are not counted.
 */
function bareNumbers(page: string): string[] {
  const text = page
    .replace(/^[\s\S]*<main/, "<main")
    .replace(NOT_OURS, " ")
    .replace(/<[^>]+>/g, " ");
  return [...text.matchAll(/(?<![\w.,:/#-]|RFC )\d{4,}(?![\w/-]|[.:]\w)/g)]
    .filter(([number]) => !/^(?:19|20)\d\d$/.test(number))
    .map(
      ({ 0: number, index }) => `${number}: ${text.slice(Math.max(0, index - 40), index + 40).replace(/\s+/g, " ")}`,
    );
}

const linkOn = async (list: string, pattern: RegExp) =>
  pattern.exec(await read(list))?.[1]?.replaceAll("&amp;", "&") ?? "";

test("every number from 1,000 on has thousands separators on every kind of page", async () => {
  const kinds = await Promise.all([
    linkOn("/datasets", /href="(\/datasets\/r[0-9a-f]{24})"/),
    linkOn("/researchers?sortBy=datasetCount&sortOrder=desc", /href="(\/researchers\/[^"?]+)"/),
    linkOn("/repositories", /href="(\/repositories\/[^"?]+)"/),
    linkOn("/funders", /href="(\/funders\/[^"?]+)"/),
    linkOn("/affiliations", /href="(\/organisations\/[^"?]+)"/),
    linkOn("/history", /href="(\/history\/sha256[^"#?]+)"/),
  ]);
  expect(kinds).not.toContain("");
  const paths = [
    ...[
      "/",
      "/datasets",
      "/datasets?search=data",
      "/datasets?page=3",
      "/researchers",
      "/repositories",
      "/affiliations",
    ],
    ...["/countries", "/funders", "/signals", "/signals/S1", "/history", "/history/latest", "/about", "/help"],
    ...[
      "/service-status",
      "/terms",
      "/compare",
      "/privacy",
      "/check",
      "/check-list",
      "/docs",
      "/datasets?minScore=101",
    ],
    ...kinds,
  ];
  let separated = 0;
  const bare: Record<string, string[]> = {};
  for (const path of paths) {
    const page = await read(path);
    separated += page.match(/\d,\d{3}\b/g)?.length ?? 0;
    const found = bareNumbers(page);
    if (found.length > 0) bare[path] = found;
  }
  expect(bare).toEqual({});
  expect(separated).toBeGreaterThan(10);
}, 300_000);
