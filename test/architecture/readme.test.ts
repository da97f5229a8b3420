/**
 * The README and the guides are correct: this suite runs their `sh` blocks in a fresh copy of the repository with a served
 * demo, and compares the output shown below them. A comment before every other block states why it is not run.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { markdownFiles } from "../../docs/count-words.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import type { Ended } from "../support/command-line.ts";
import { type FencedBlock, fencedBlocks } from "./fenced-blocks.ts";
import { type RepositoryCopy, repositoryCopy } from "./repository-copy.ts";

const SELF = "test/architecture/readme.test.ts";
const README = await readFile(join(REPOSITORY, "README.md"), "utf8");
const blocks = fencedBlocks(README);

/** Paths of the documents for people, the README first. */
const GUIDES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...(await markdownFiles(join(REPOSITORY, "docs")))
    .filter((path) => !path.startsWith("spec/"))
    .map((path) => `docs/${path}`),
];
const guides = await Promise.all(
  GUIDES.map(async (path) => [path, fencedBlocks(await readFile(join(REPOSITORY, path), "utf8"))] as const),
);

/** The URL of the server in the README. */
const ADDRESS = "localhost:8080";

/** The number of generated records in the demo. The output in the README does not depend on it. */
const RECORDS = 40;

let copy: RepositoryCopy;
let taken: Server;
let demo: ChildProcess;
let printed: string[];
/** Texts that the demo wrote to standard error, which is not a terminal in this test. */
const logged: string[] = [];
let served: string;

beforeAll(async () => {
  copy = await repositoryCopy();
  // Marks the packages as installed, because make would otherwise think that they are older than the copy.
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" ? address?.port : null;
  const parameters = ["--old-file=node_modules/.installed", "demo", `DEMO_RECORDS=${RECORDS}`, `DEMO_PORT=${port}`];
  demo = spawn("make", parameters, { cwd: copy.folder, stdio: ["ignore", "pipe", "pipe"], detached: true });
  demo.stderr?.on("data", (chunk) => logged.push(String(chunk)));
  printed = await linesUntil(demo, "Stop it with Ctrl-C.");
  served = /^The demo is at http:\/\/(localhost:\d+)\/$/.exec(printed.at(-3) ?? "")?.[1] ?? "";
}, 300_000);

afterAll(async () => {
  taken.close();
  // Sends the signal of Ctrl-C, which goes to all processes of the terminal.
  if (demo.pid !== undefined && demo.exitCode === null) {
    process.kill(-demo.pid, "SIGINT");
    await once(demo, "close");
  }
  await copy[Symbol.asyncDispose]();
});

const commanded = guides.filter(([, found]) => found.some(({ language }) => language === "sh"));

describe.each(commanded)("the commands of %s", (_path, found) => {
  for (const [i, block] of found.entries()) {
    if (block.language !== "sh") continue;
    const shown = shownBelow(i, found);
    test(`the block in line ${block.line} runs and prints what the document shows: ${block.text.split("\n")[0]}`, async () => {
      const ended = await shell(block.text.replaceAll(ADDRESS, served));
      expect({ exitCode: ended.exitCode, problems: ended.exitCode === 0 ? "" : ended.stderr }).toEqual({
        exitCode: 0,
        problems: "",
      });
      if (shown !== null) expectShown(ended.stdout, shown);
    });
  }
});

test("the last lines of make demo are its URL on a free port, a page to look at, and how to stop the demo", async () => {
  expect(printed.slice(-3)).toEqual([
    `The demo is at http://${served}/`,
    `Look at a dataset with its score: http://${served}/datasets/rfe033edf024c8af1f4201500`,
    "Stop it with Ctrl-C.",
  ]);
  const page = await fetch(printed.at(-2)?.split(": ")[1] ?? "", { headers: { accept: "text/html" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
});

test("make demo prints text and no lines of JSON when its output is not a terminal", () => {
  const lines = [...printed, ...logged.join("").split("\n")];
  expect(lines.filter((line) => line.startsWith("{"))).toEqual([]);
});

test("make install announces that npm prints nothing for minutes, before it runs npm", async () => {
  const { stdout } = await shell("make --dry-run --assume-new=package-lock.json install");
  expect(stdout).toMatch(/^echo "Installing .*prints nothing for minutes\."\nnpm ci /m);
});

test("a sign-in link in the mail folder of the demo works", async () => {
  const [block, ...others] = guides.flatMap(([, found]) => found).filter(({ runBy }) => runBy === SELF);
  expect(others).toEqual([]);
  const [asking = "", listing = "", moderating = ""] = (block?.text.replaceAll("\\\n", "") ?? "")
    .replaceAll(ADDRESS, served)
    .split("\n");
  const asked = await shell(`${asking} --fail --silent --show-error`);
  expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
  // The email is written a moment after the response.
  await expect.poll(async () => (await shell(listing)).stdout, { timeout: 60_000 }).toMatch(/\.eml\n$/);
  const message = await shell("cat .demo/mail/*.eml");
  expect(message.stdout).toContain("you@example.org");
  const [, token = ""] = /#token=([\w-]{43})\r\n/.exec(message.stdout) ?? [];
  const signedIn = await fetch(`http://${served}/auth/magic/consume`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  expect([signedIn.status, await signedIn.json()]).toMatchObject([201, { user: { email: "you@example.org" } }]);
  expect(await shell(moderating)).toMatchObject({ exitCode: 0 });
});

test("every code block runs, is run by another suite, or states why it does not run", () => {
  const silent = guides.flatMap(([path, found]) =>
    found.flatMap(({ language, line, notRun, runBy, text }, i) => {
      const told =
        language === "sh" ||
        notRun !== null ||
        isSuite(runBy) ||
        changesMachine(text) ||
        (i > 0 && shownBelow(i - 1, found) !== null);
      return told ? [] : [`${path}:${line}`];
    }),
  );
  expect(silent).toEqual([]);
  expect(guides.flatMap(([, found]) => found).length).toBeGreaterThan(40);
});

/** True if every line of the block begins with sudo. No suite runs it, because it would change users, services or /etc. */
function changesMachine(block: string): boolean {
  return block.split("\n").every((line) => line.startsWith("sudo "));
}

/** True if the path is that of an existing suite that looks for the code blocks marked with its name. */
function isSuite(path: string | null): boolean {
  if (path === null || !existsSync(join(REPOSITORY, path))) return false;
  return readFileSync(join(REPOSITORY, path), "utf8").includes("({ runBy }) => runBy === SELF");
}

test.each([
  { name: "a block without a reason", text: "Text.\n\n```console\nrm -rf /\n```\n", reasons: [null] },
  { name: "a block with its reason", text: "<!-- not run: a picture -->\n\n```text\nx\n```\n", reasons: ["a picture"] },
  {
    name: "two blocks, of which only the first has a reason",
    text: "<!-- not run: x -->\n\n```text\nx\n```\n\n```text\ny\n```\n",
    reasons: ["x", null],
  },
  {
    name: "a reason that a text separates from its block",
    text: "<!-- not run: x -->\n\nWords.\n\n```text\nx\n```\n",
    reasons: [null],
  },
])("the checker reads the reason beside a code block: $name", ({ text: markdown, reasons }) => {
  expect(fencedBlocks(markdown).map(({ notRun }) => notRun)).toEqual(reasons);
});

test("the README shows requests, a build and a verification", () => {
  const commands = blocks
    .filter(({ language }) => language === "sh")
    .map((block) => block.text)
    .join("\n");
  for (const word of ["curl", "share-release harvest", "share-release build", "share-release release list", "verify"]) {
    expect(commands).toContain(word);
  }
  expect(blocks.filter((_, i) => shownBelow(i, blocks) !== null).length).toBeGreaterThanOrEqual(3);
});

/** Returns the next block if it shows the output of the block with index `i`; otherwise null. */
function shownBelow(i: number, among: readonly FencedBlock[]): FencedBlock | null {
  const next = among[i + 1];
  const shows =
    among[i]?.language === "sh" && (next?.language === "json" || next?.language === "text") && next.notRun === null;
  return shows && next !== undefined ? next : null;
}

/**
 * Expects the output that a document shows. Shown JSON may omit members and ends of lists; in shown text, `…` stands for
 * anything.
 */
function expectShown(output: string, { language, text: shown }: FencedBlock): void {
  if (language === "json") {
    expect(shortened(JSON.parse(output), JSON.parse(shown))).toEqual(JSON.parse(shown));
    return;
  }
  const pieces = shown.split("…").map((piece) => piece.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  expect(output.trim()).toMatch(new RegExp(`^${pieces.join("[\\s\\S]*?")}$`));
}

/** Returns `whole` without the fields and later items that `shown` omits. */
function shortened(whole: unknown, shown: unknown): unknown {
  if (Array.isArray(whole) && Array.isArray(shown)) {
    return whole.slice(0, shown.length).map((entry, i) => shortened(entry, shown[i]));
  }
  const [from, to] = [members.safeParse(whole), members.safeParse(shown)];
  if (!from.success || !to.success) return whole;
  const names = Object.keys(from.data).filter((name) => Object.hasOwn(to.data, name));
  return Object.fromEntries(names.map((name) => [name, shortened(from.data[name], to.data[name])]));
}

const members = z.record(z.string(), z.unknown());

async function shell(script: string): Promise<Ended> {
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: copy.folder,
    env: { ...process.env, PATH: `${join(copy.folder, "node_modules/.bin")}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { exitCode: child.exitCode, stdout, stderr };
}

/** Returns the lines that a process prints, up to the line `last`. The rest of its output is dropped. */
async function linesUntil({ stdout }: ChildProcess, last: string): Promise<string[]> {
  if (stdout === null) throw new Error("the process has no output");
  const lines: string[] = [];
  const reader = createInterface({ input: stdout });
  for await (const line of reader) {
    lines.push(line);
    if (line === last) return lines;
  }
  throw new Error(`the process ended without "${last}": ${lines.join("\n")}`);
}
