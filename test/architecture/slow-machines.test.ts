/**
 * Suites pass on a slow and busy machine, because no other program takes their ports and no limit is on the time that passes.
 */

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { z } from "zod";
import { freePort, randomPort } from "../support/free-port.ts";
import { sourceFiles } from "./sources-of.ts";

const suites = (await sourceFiles()).filter(({ path }) => /^(?:test|bench)\//.test(path));

/** Returns each line of a suite that matches, as `file: line`. */
function linesWith(pattern: RegExp): string[] {
  return suites.flatMap(({ path, code }) =>
    code
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
}

test("freePort returns a port that no program uses on any loopback address, and that no other suite gets", async () => {
  const elsewhere = createServer().listen(0, "127.0.0.5");
  await once(elsewhere, "listening");
  const ofAnotherSuite = createSocket("udp4").bind({ address: "127.0.0.1", exclusive: true });
  await once(ofAnotherSuite, "listening");
  const addresses = [elsewhere.address(), ofAnotherSuite.address()];
  const taken = addresses.map((address) => z.object({ port: z.int() }).parse(address).port);
  const left = [...taken];
  try {
    const port = await freePort(() => left.shift() ?? randomPort());
    expect([left, taken.includes(port)]).toEqual([[], false]);
    for (const host of ["127.0.0.1", "127.0.0.5", "::"]) {
      const server = createServer().listen(port, host);
      await once(server, "listening");
      server.close();
      await once(server, "close");
    }
  } finally {
    elsewhere.close();
    ofAnotherSuite.close();
  }
});

test("a suite that listens on a port uses port 0, or a port from freePort", () => {
  const from = new Set(suites.filter(({ code }) => code.includes("freePort")).map(({ path }) => path));
  const other = linesWith(/\.listen\((?:\{ port: )?(?!0\b|\))[\w.]+/).filter(
    (line) => !from.has(line.slice(0, line.indexOf(":"))),
  );
  expect(other).toEqual(["test/evaluate/silent-socket.ts: server.listen(port, host);"]);
});

test("no test has a shorter time limit than the default, because the limit is only meant for tests that hang", () => {
  expect(
    linesWith(
      /^(?: {2})?\}, (?:\d{1,2}|1[0-7]\d)_000\);$|(?:^ *|, )\{ timeout: (?:\d{1,2}|1[0-7]\d)_000 \},(?:$| (?:async )?\()/,
    ),
  ).toEqual([]);
});

test("suites limit CPU time or ratios of times, and never the time that passes", () => {
  expect(linesWith(/performance\.now\(\).*toBeLessThan|Date\.now\(\) - \w+\)\.toBeLessThan/)).toEqual([]);
});
