/** Only a few files write output, and they escape it, so that a text from a payload cannot control a terminal. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const CLI = join(import.meta.dirname, "../../cli");

/** Files of cli/ that write output. They escape it, or print only texts and numbers of this program. */
const WRITERS = [
  // Asks questions that are texts of this program.
  "commands/init.ts",
  // Prints a page byte for byte.
  "commands/release-show.ts",
  "main.ts",
  "options/effects.ts",
  "terminal/log-line.ts",
  "terminal/text.ts",
];

test("only the listed files write to standard output or error", () => {
  const files = readdirSync(CLI, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(30);
  const writing = files.filter((path) =>
    /\bconsole\.|process\.std(?:out|err)\b(?!\.(?:isTTY|on|off|columns)\b)/.test(readFileSync(join(CLI, path), "utf8")),
  );
  expect(writing.sort()).toEqual(WRITERS);
});
