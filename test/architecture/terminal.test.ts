/** What is printed goes through the one place that keeps it from steering a terminal. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const CLI = join(import.meta.dirname, "../../cli");

/** The place itself; and who writes what is ours alone, or what has been through it. */
const WRITERS = [
  // A page, byte for byte.
  "commands/page.ts",
  "main.ts",
  "options/interruption.ts",
  "text/log-line.ts",
  "text/terminal-text.ts",
];

/** Bars and their pace, which are words of ours. */
const PROGRESS = ["options/effects.ts", "text/paced-output.ts"];

test("nothing else of the command line writes to standard output or error", () => {
  const files = readdirSync(CLI, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(50);
  const writing = files.filter((path) =>
    /\bconsole\.|process\.std(?:out|err)\b(?!\.(?:isTTY|on|off|columns)\b)/.test(readFileSync(join(CLI, path), "utf8")),
  );
  expect(writing.sort()).toEqual([...WRITERS, ...PROGRESS].sort());
});
