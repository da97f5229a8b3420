/** Code that cli/ and server/ import uses no clock, environment, random numbers or console (docs/adr/0001-six-stages.md). */

import { expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "./sources-of.ts";

const all = await sourceFiles();
/** Files that must be pure. The scripts of `web/script/` are not among them, because browsers run these scripts. */
const files = all.filter(({ path }) =>
  /^(?:schemas|api-static|web\/(?!script\/)|pipeline|releases|fixtures)\b/.test(path),
);
/**
 * Files of the server. Waiting and the clock are parameters of the server. Tests embed it, so it may not print or end the
 * process.
 */
const server = all.filter(({ path }) => path.startsWith("server/"));

const FORBIDDEN: readonly { name: string; pattern: RegExp; breach: string }[] = [
  {
    name: "the clock",
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\)|\bperformance\b|\bhrtime\b/,
    breach: "const now = new Date();",
  },
  { name: "the environment", pattern: /\bprocess\.(?:env|argv|cwd)\b/, breach: "if (process.env.CI) return;" },
  {
    name: "the console or process.exit",
    pattern: /\bconsole\.|\bprocess\.(?:stdout|stderr|exit|exitCode)\b/,
    breach: 'console.log("here");',
  },
  { name: "random numbers", pattern: /\bMath\.random\b/, breach: "const jitter = Math.random();" },
  { name: "waiting", pattern: /\bset(?:Timeout|Interval|Immediate)\b|node:timers/, breach: "setTimeout(again, 1000);" },
  {
    name: "the network",
    pattern: /(?<![.#\w])fetch\(|(?<!typeof )globalThis\.fetch|"node:(?:https?|net|tls|dgram)"|"undici"/,
    breach: 'await fetch("https://example.org")',
  },
];

for (const { name, pattern, breach } of FORBIDDEN) {
  test(`code in schemas/, pipeline/ and the other folders below cli/ and server/ does not use ${name}`, () => {
    expect(pattern.test(breach)).toBe(true);
    expect(files.flatMap((file) => linesWith(file, pattern))).toEqual([]);
  });
}

test("the server does not use environment variables, the console or process.exit", () => {
  const pattern = /\bconsole\.|\bprocess\.(?:env|argv|cwd|stdout|stderr|exit|exitCode)\b/;
  expect(pattern.test("const level = process.env.SHARE_LOG_LEVEL;")).toBe(true);
  expect(server.length).toBeGreaterThan(10);
  expect(server.flatMap((file) => linesWith(file, pattern))).toEqual([]);
});

test("commands read environment variables in one file only, cli/options/environment.ts", () => {
  const readers = all.filter(({ path, code }) => path.startsWith("cli/") && code.includes("process.env"));
  expect(readers.map(({ path }) => path)).toEqual(["cli/options/environment.ts"]);
});

test("no result depends on the language or time zone of the machine", () => {
  const pattern =
    /\.toLocale(?:String|Date|Time|Lower|Upper)\w*\(\)|\blocaleCompare\(|\.get(?:FullYear|Month|Date|Day|Hours)\(\)/;
  expect(files.flatMap((file) => linesWith(file, pattern))).toEqual([]);
});

function linesWith({ path, code }: SourceFile, pattern: RegExp): string[] {
  return code.split("\n").flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : []));
}
