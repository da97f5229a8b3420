/** Tests completion in real shells, with the scripts that `share-release completion` prints. */

import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

/** The program that makes each shell print its completions. The last word of a line is the one that the user is typing. */
const SHELLS = {
  bash: {
    ask: (script: string, line: readonly string[]) => [
      "--norc",
      "-c",
      `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _share_release; printf '%s\\n' "\${COMPREPLY[@]}"`,
      script,
      ...line,
    ],
    read: (text: string) => text,
  },
  zsh: {
    // The functions that pass completions to the line editor need a terminal. These replacements print the completions.
    ask: (script: string, line: readonly string[]) => [
      "-fc",
      `compdef() {}; source "$0"
      compadd() { shift; print -rl -- "$@" }; _files() { print -r -- files }; _describe() { print -rl -- "\${(@P)2}" }
      words=("$@"); CURRENT=$#; PREFIX=\${words[-1]}; _share_release`,
      script,
      ...line,
    ],
    read: (text: string) => text.replaceAll(/:.*$/gm, ""),
  },
  fish: {
    ask: (script: string, line: readonly string[]) => [
      "--no-config",
      "-c",
      `source "${script}"; complete -C "${line.join(" ")}"`,
    ],
    read: (text: string) => text.replaceAll(/\t.*$/gm, ""),
  },
} as const;

const CASES: readonly { readonly line: readonly string[]; readonly has: readonly string[]; readonly no: string }[] = [
  { line: [""], has: ["harvest", "build", "completion"], no: "zenodo" },
  { line: ["harvest", "zen"], has: ["zenodo"], no: "build" },
  { line: ["build", "--eng"], has: ["--engine"], no: "--port" },
  { line: ["build", "--engine", "s"], has: ["spark"], no: "serve" },
  { line: ["release", ""], has: ["list", "show", "rollback"], no: "harvest" },
  { line: ["release", "export", "diff-rec"], has: ["diff-records"], no: "diff" },
  { line: ["release", "verify", "--reb"], has: ["--rebuild"], no: "--port" },
  { line: ["account", "api-keys", ""], has: ["delete", "usage"], no: "decide" },
  { line: ["serve", "--po"], has: ["--port"], no: "--engine" },
];

let there: TemporaryStore;
beforeAll(async () => {
  there = await temporaryStore();
});
afterAll(() => there?.[Symbol.asyncDispose]());

for (const [shell, { ask, read }] of Object.entries(SHELLS)) {
  const missing = spawnSync(shell, ["--version"]).status !== 0;
  if (missing) console.warn(`completion in ${shell} is not tested: there is no ${shell} on the PATH`);

  describe.skipIf(missing)(shell, () => {
    let script: string;
    beforeAll(async () => {
      const { exitCode, stdout } = await runCommand(["completion", shell]);
      expect(exitCode).toBe(0);
      script = join(there.folder, `share-release.${shell}`);
      writeFileSync(script, stdout);
    });

    test.each(CASES)("the shell completes `share-release $line`", ({ line, has, no }) => {
      const printed = execFileSync(shell, ask(script, ["share-release", ...line]), {
        encoding: "utf8",
        cwd: there.folder,
      });
      const words = read(printed).trim().split("\n");
      // zsh itself filters by the typed prefix afterwards.
      expect(words).toEqual(expect.arrayContaining([...has]));
      expect(words).not.toContain(no);
    });
  });
}

test("share-release completion names an unsupported shell in its error", async () => {
  const { exitCode, stderr } = await runCommand(["completion", "csh"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
});
