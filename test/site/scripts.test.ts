/** The served scripts and style sheet are the files of `web/`, made smaller. */

import { readdir, readFile } from "node:fs/promises";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { LISTING, SCRIPTS, SIGNING_IN } from "../../web/components/scripts.ts";
import { STYLE } from "../../web/components/style.ts";

const SCRIPT_FOLDER = new URL("../../web/script/", import.meta.url);
const STYLE_FOLDER = new URL("../../web/style/", import.meta.url);

async function textsIn(folder: URL, extension: string): Promise<[name: string, text: string][]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(extension));
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [name, await readFile(new URL(name, folder), "utf8")]),
  );
}

/**
 * Returns the string literals, the fixed parts of template strings, and the regular expressions in a file. Comments are
 * ignored.
 */
function listTexts(code: string): string[] {
  const statements = code.replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, "");
  const found = statements.match(/"[^"\n]*"|`[^`]*`|(?<=\()\/\S[^\n]*?\/g?(?=[,.])/g) ?? [];
  return found.flatMap((text) => text.split(/\$\{[^}]*\}/));
}

test("a served script is valid JavaScript without types, comments and line breaks", () => {
  for (const script of [...SCRIPTS, LISTING, SIGNING_IN]) {
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/\n|\/\/ |\/\*/);
  }
});

test("every script is served once, with its texts and regular expressions unchanged", async () => {
  const files = await textsIn(SCRIPT_FOLDER, ".ts");
  const served = [...SCRIPTS, LISTING, SIGNING_IN];
  expect(files).toHaveLength(served.length);
  for (const [name, code] of files) {
    const [, functionName = ""] = /^export default function (\w+)/m.exec(code) ?? [];
    const scripts = served.filter((script) => script.startsWith(`"use strict";(function ${functionName}()`));
    expect([name, scripts.length]).toEqual([name, 1]);
    expect(listTexts(code).length).toBeGreaterThan(0);
    expect([name, listTexts(code).filter((text) => scripts[0]?.includes(text) !== true)]).toEqual([name, []]);
  }
});

test("the served style sheet contains the rules of every CSS file, with their texts unchanged", async () => {
  const files = await textsIn(STYLE_FOLDER, ".css");
  expect(files.length).toBeGreaterThan(5);
  const rules = files.map(([, text]) => text.replace(/\/\*[\s\S]*?\*\//g, "")).join("");
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length;
  expect(count(STYLE, /\{/g)).toBe(count(rules, /\{/g));
  expect(count(STYLE, /:/g)).toBe(count(rules, /:/g));
  expect(listTexts(rules).filter((text) => !STYLE.includes(text))).toEqual([]);
});
