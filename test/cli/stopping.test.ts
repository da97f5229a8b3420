/**
 * Tests how commands stop on a signal, on Ctrl-C and when the terminal closes, both under the pinned Node and under an older
 * one.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { INTERRUPTION_TEXTS } from "../../cli/options/effects.ts";
import { lockHolder } from "../../pipeline/store/locks.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestBundled, REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand, SHARE_RELEASE } from "../support/command-line.ts";
import { linkedStore, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { listeningAddress } from "./listening-address.ts";

/** Finds the first Node on the PATH that is older than the pinned one. Null if there is none: this suite then warns. */
function olderNode(): string | null {
  const nodes = (process.env.PATH ?? "").split(":").map((folder) => join(folder, "node"));
  return nodes.find((path) => existsSync(path) && readMajorVersion(path) < readMajorVersion(process.execPath)) ?? null;
}

function readMajorVersion(node: string): number {
  return Number(execFileSync(node, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }));
}

const older = olderNode();
if (older === null) console.warn("there is no older Node on the PATH, so commands are not tested under one");
const NODES = [
  { name: "the pinned Node", node: process.execPath },
  { name: "an older Node", node: older },
] as const;

let harvested: TemporaryStore;
let built: TemporaryStore;

beforeAll(async () => {
  harvested = await temporaryStore();
  await harvestBundled(harvested.store, ["zenodo", "clinicaltrials"]);
  built = await linkedStore(harvested.store);
  await buildRelease(built.store, {});
});

afterAll(async () => {
  for (const each of [harvested, built]) await each[Symbol.asyncDispose]();
});

/** Starts a command in its own process group, as a shell starts a foreground job. */
function start(node: string, parameters: readonly string[]): ChildProcess & { readonly pid: number } {
  const child = spawn(node, [SHARE_RELEASE, ...parameters], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: REPOSITORY,
    // Each step of a build has a line of progress.
    env: { ...process.env, SHARE_LOG_LEVEL: "debug" },
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the command did not start");
  return Object.assign(child, { pid });
}

/**
 * Ways to stop a command. A service manager signals only the process that it started. A terminal signals the whole foreground
 * group, so some processes receive the signal twice.
 */
const STOPS = [
  { name: "SIGTERM", signal: "SIGTERM", send: (pid: number) => process.kill(pid, "SIGTERM") },
  { name: "Ctrl-C", signal: "SIGINT", send: (pid: number) => process.kill(-pid, "SIGINT") },
  { name: "a closed terminal", signal: "SIGHUP", send: (pid: number) => process.kill(-pid, "SIGHUP") },
] as const;

function readOutput({ stdout, stderr }: ChildProcess) {
  if (stdout === null || stderr === null) throw new Error("the command has no output");
  return { stdout: text(stdout), stderr };
}

/**
 * Waits until a build has begun to normalise. Returns the id of the process that locks the store, and all of the error output.
 */
async function atWork(child: ChildProcess, store: Store): Promise<{ worker: number; said: Promise<string> }> {
  const { stderr } = readOutput(child);
  let heard = "";
  const said = new Promise<string>((resolve) => {
    stderr.on("data", (chunk: Buffer) => (heard += chunk));
    stderr.on("end", () => resolve(heard));
  });
  while (!heard.includes('"normalise"')) await wait(20);
  const holder = await lockHolder(store.root);
  if (holder === null) throw new Error("the build has not locked the store");
  return { worker: holder.pid, said };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns true once the process has ended; false if it still runs after a few seconds. */
async function isGone(pid: number): Promise<boolean> {
  for (let left = 100; left > 0; left -= 1) {
    if (!isRunning(pid)) return true;
    await wait(50);
  }
  return false;
}

const BUILD = ["build", "--as-of", "2026-11-01"];

for (const { name, node } of NODES) {
  describe.skipIf(node === null)(`a command started through ${name}`, () => {
    const started = (parameters: readonly string[]) => start(node ?? "", parameters);

    for (const { name: stop, signal, send } of STOPS) {
      test(`${stop} stops a server, which first finishes its requests and then frees its port`, async () => {
        const child = started(["serve", "--port", "0", "--json", "--store", built.store.root]);
        const closed = once(child, "close");
        child.stderr?.resume();
        try {
          const { address } = await listeningAddress(child);
          expect((await fetch(`${address}/health`)).status).toBe(200);
          send(child.pid);
          expect(await closed).toEqual([0, null]);
          await expect(fetch(`${address}/health`)).rejects.toThrow("fetch failed");
        } finally {
          child.kill("SIGKILL");
        }
      });

      test(`${stop} stops a build, which prints where its finished stages are and how to resume`, async () => {
        await using copy = await linkedStore(harvested.store);
        const child = started([...BUILD, "--store", copy.store.root]);
        const closed = once(child, "close");
        try {
          const { worker, said } = await atWork(child, copy.store);
          send(child.pid);
          expect(await closed).toEqual([null, signal]);
          expect(await isGone(worker)).toBe(true);
          const lines = (await said).split("\n").filter((line) => line.startsWith("share-release: "));
          expect(lines).toEqual([
            `share-release: stopped by ${signal}; the active release is unchanged, and finished stages are in ${copy.store.root}/work; the same command continues after them`,
          ]);
          expect(await currentDigest(copy.store)).toBeNull();
        } finally {
          child.kill("SIGKILL");
        }
      });
    }

    test("a build stops if the start process is killed, and the same command resumes it", async () => {
      await using copy = await linkedStore(harvested.store);
      const child = started([...BUILD, "--store", copy.store.root]);
      const closed = once(child, "close");
      const { worker } = await atWork(child, copy.store);
      child.kill("SIGKILL");
      expect(await closed).toEqual([null, "SIGKILL"]);
      expect(await isGone(worker)).toBe(true);
      const again = await runCommand([...BUILD, "--store", copy.store.root]);
      expect(again.stdout).toMatch(/^Built a new release\.\n/);
      const stages = ["normalise", "score", "aggregate", "render", "release"].map((stage) => `${stage} [\\dhm]+s`);
      expect(again.stdout).toMatch(
        new RegExp(`^took +[\\dm]+s, [\\d,]+ records per second: ${stages.join(", ")}$`, "m"),
      );
      expect(await currentDigest(copy.store)).toBe(await currentDigest(built.store));
    });

    test("a command ends with the same signal as the process that does its work", async () => {
      await using copy = await linkedStore(harvested.store);
      const child = started([...BUILD, "--store", copy.store.root]);
      const closed = once(child, "close");
      const { worker } = await atWork(child, copy.store);
      process.kill(worker, "SIGKILL");
      expect(await closed).toEqual([null, "SIGKILL"]);
    });

    const ENDS: readonly { readonly parameters: readonly string[]; readonly code: number }[] = [
      { parameters: ["release", "list"], code: 0 },
      { parameters: ["release", "verify", "3f9c"], code: 1 },
      { parameters: ["bild"], code: 2 },
      { parameters: ["harvest", "zenodo", "--from", join(REPOSITORY, "fixtures/junk")], code: 3 },
    ];
    for (const { parameters, code } of ENDS) {
      test(`a command exits with the exit code ${code} of the process that does its work`, async () => {
        await using copy = await linkedStore(built.store);
        const child = started([...parameters, "--store", copy.store.root]);
        const closed = once(child, "close");
        const { stdout, stderr } = readOutput(child);
        stderr.resume();
        await stdout;
        expect(await closed).toEqual([code, null]);
      });
    }
  });
}

test("a second SIGINT ends a server at once, in the middle of a request", async () => {
  const child = start(process.execPath, ["serve", "--port", "0", "--json", "--store", built.store.root]);
  const closed = once(child, "close");
  try {
    const { address } = await listeningAddress(child);
    // Sends half a request, because an idle server may end before the second signal.
    const socket = connect(Number(new URL(address).port), "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    socket.write("POST /api-keys/register HTTP/1.1\r\nHost: share\r\nContent-Type: application/json\r\n");
    socket.write("Content-Length: 99\r\n\r\n{");
    // The system merges two signals that a process has not handled yet, so the second one waits for the log of the first.
    let log = "";
    child.stderr?.on("data", (chunk) => {
      log += chunk;
    });
    child.kill("SIGINT");
    await vi.waitUntil(() => log.includes("server-closing"), { timeout: 30_000 });
    await wait(350);
    child.kill("SIGINT");
    expect(await closed).toEqual([1, null]);
  } finally {
    child.kill("SIGKILL");
  }
});

test("every command prints a message about its work when it is interrupted", async () => {
  const { stdout } = await runCommand(["--help"]);
  const list = /\nCommands:\n([\s\S]*?)\n\n/.exec(stdout)?.[1] ?? "";
  const commands = [...list.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name = ""]) => (name === "help" ? [] : name));
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter((name) => !(name in INTERRUPTION_TEXTS))).toEqual([]);
});
