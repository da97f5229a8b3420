/**
 * Protection against requests to this machine and its network that a URL or a host name from outside could cause. Sockets of
 * the test count connections.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GuardOptions, guardedFetch, isPublicAddress } from "../../server/http/guarded-fetch.ts";
import { freePort } from "../support/free-port.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";
import { type Services, services } from "./services.ts";
import { type SilentSocket, silentSocket } from "./silent-socket.ts";

let four: SilentSocket;
let six: SilentSocket | null;
beforeAll(async () => {
  const port = await freePort();
  four = await silentSocket("127.0.0.1", port);
  // A machine without IPv6 has no address ::1.
  six = await silentSocket("::1", port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRNOTAVAIL") throw error;
    return null;
  });
});
afterAll(async () => {
  await four[Symbol.asyncDispose]();
  await six?.[Symbol.asyncDispose]();
});

function expectSilence(): void {
  expect({ four: four.connections, six: six?.connections ?? 0 }).toEqual({ four: 0, six: 0 });
}

/** Targets to which a source could redirect. PORT stands for the port of the silent sockets. */
const TARGETS: readonly string[] = [
  "http://169.254.169.254/latest/meta-data/",
  "https://169.254.169.254/",
  "http://127.0.0.1:PORT/",
  "https://127.0.0.1:PORT/",
  "//127.0.0.1:PORT/",
  "http://localhost:PORT/",
  "http://[::1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://0177.0.0.01:PORT/",
  "http://127.1:PORT/",
  "http://0.0.0.0:PORT/",
  "http://0:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://user:secret@127.0.0.1:PORT/",
  "http://10.0.0.1/",
  "http://192.168.1.1/",
  "http://metadata.google.internal/",
  "https://zenodo.org:PORT/",
  "http://zenodo.org/api/records/1",
  "https://zenodo.org@127.0.0.1:PORT/",
  "https://127.0.0.1:PORT\\@zenodo.org/",
  "https://zenodo.org.example.org/",
  "https://example.org/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:PORT/",
  "data:application/json,{}",
];

describe("a redirect of an upstream", () => {
  let there: Services;
  let opened: OpenEvaluator;
  beforeAll(async () => {
    there = await services();
    // All targets share one evaluator, because its worker takes a second to start. Failures are not cached.
    opened = await openEvaluator({ upstreams: there.upstreams });
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
    await there[Symbol.asyncDispose]();
  });

  test.each(TARGETS)("a redirect of a source to %s is not followed", async (target) => {
    const before = opened.fetched.length;
    // The clock moves a minute, so that the rate limit for Zenodo allows the request.
    opened.now = new Date(opened.now.getTime() + 60_000);
    const location = Buffer.from(target.replace("PORT", String(four.port))).toString("latin1");
    there.fault = (_request, response) => {
      response.writeHead(302, { location }).end();
      return true;
    };
    await expect(opened.evaluate("zenodo/1", "2.0.0-beta.2")).rejects.toMatchObject({
      code: "source-unreachable",
    });
    expect(opened.fetched.slice(before)).toEqual([`${there.base}/api/records/1`]);
    expectSilence();
  });
});

/** IP addresses that a URL or host name could have, and whether a request to them is allowed. */
const ADDRESSES: readonly (readonly [address: string, isPublic: boolean])[] = [
  ["1.1.1.1", true],
  ["137.138.52.235", true],
  ["172.15.255.255", true],
  ["172.32.0.0", true],
  ["100.63.255.255", true],
  ["2001:4860:4860::8888", true],
  ["2a00:1450:4001::1", true],
  ["0.0.0.0", false],
  ["10.255.255.255", false],
  ["100.64.0.1", false],
  ["127.0.0.1", false],
  ["127.255.255.254", false],
  ["169.254.169.254", false],
  ["172.16.0.1", false],
  ["172.31.255.255", false],
  ["192.0.0.8", false],
  ["192.0.2.1", false],
  ["192.168.0.1", false],
  ["198.18.0.1", false],
  ["198.51.100.1", false],
  ["203.0.113.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::7f00:1", false],
  ["100::1", false],
  ["2001::1", false],
  ["2001:db8::1", false],
  ["2002:7f00:1::", false],
  ["fc00::1", false],
  ["fd12:3456::1", false],
  ["fe80::1", false],
  ["fe80::1%lo", false],
  ["2001:4860:4860::8888%lo", false],
  ["ff02::1", false],
  ["2130706433", false],
  ["0177.0.0.1", false],
  ["localhost", false],
  ["", false],
];

test.each(ADDRESSES)("isPublicAddress of %s is %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

/** Returns the outcome of a guarded fetch: the HTTP status, or the code of the innermost cause of the error. */
async function fetched(url: string, guard: GuardOptions): Promise<number | string> {
  const { fetch, close } = guardedFetch(guard);
  try {
    const response = await fetch(url);
    await response.text();
    return response.status;
  } catch (error) {
    let cause = error;
    while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
    return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  } finally {
    await close();
  }
}

/** Makes a resolver of host names that returns these lists of addresses in turn, and counts its calls. */
function resolver(...answers: readonly (readonly string[])[]) {
  const state = { asked: 0 };
  const resolve: GuardOptions["resolve"] = (_host, _options, done) => {
    const addresses = answers[Math.min(state.asked, answers.length - 1)] ?? [];
    state.asked += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return Object.assign(state, { resolve });
}

describe("the guarded fetch, which connects only to public addresses,", () => {
  test.each(["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "0177.0.0.1", "localhost", "0.0.0.0", "[::ffff:7f00:1]"])(
    "the guarded fetch does not connect to %s",
    async (host) => {
      expect(await fetched(`http://${host}:${four.port}/`, {})).toBe("forbidden-address");
      expectSilence();
    },
  );

  test.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["10.0.0.1"]],
    [["169.254.169.254"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["127.0.0.1", "8.8.8.8"]],
    [["2001:4860:4860::8888", "::1"]],
    [[]],
  ])("the guarded fetch does not connect if a name resolves to %j", async (addresses) => {
    const { resolve } = resolver(addresses);
    expect(await fetched(`http://name.test:${four.port}/`, { resolve })).toBe("forbidden-address");
    expectSilence();
  });

  test("the guarded fetch connects to the address that it checked, even if the name then resolves to another", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { connection: "close" }).end("{}");
    });
    const port = await freePort();
    server.listen(port, "127.0.0.5");
    await once(server, "listening");
    await using silent = await silentSocket("127.0.0.1", port);
    const isAllowed = (each: string) => each === "127.0.0.5";
    const names = resolver(["127.0.0.5"], ["127.0.0.1"]);
    const url = `http://rebinding.test:${port}/`;
    try {
      expect(await fetched(url, { isAllowed, resolve: names.resolve })).toBe(200);
      expect(names.asked).toBe(1);
      expect(await fetched(url, { isAllowed, resolve: names.resolve })).toBe("forbidden-address");
      expect({ asked: names.asked, connections: silent.connections }).toEqual({ asked: 2, connections: 0 });
    } finally {
      server.close();
      await once(server, "close");
    }
  });

  test("the guarded fetch checks the target of every redirect that it follows", async () => {
    await using there = await services();
    there.fault = (_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${four.port}/` }).end();
      return true;
    };
    expect(await fetched(there.base, { allow: [there.base] })).toBe("forbidden-address");
    expect(there.asked.length).toBe(1);
    expectSilence();
  });

  test("the guarded fetch connects to an allowed origin, but not to another port of its host", async () => {
    await using there = await services({ "/": {} });
    expect(await fetched(there.base, { allow: [there.base] })).toBe(200);
    expect(await fetched(`http://127.0.0.1:${four.port}/`, { allow: [there.base] })).toBe("forbidden-address");
    expectSilence();
  });

  test("the guarded fetch reports an unknown host name as ENOTFOUND, and not as forbidden", async () => {
    const resolve: GuardOptions["resolve"] = (host, _options, done) => {
      done(Object.assign(new Error(`no such name: ${host}`), { code: "ENOTFOUND" }), []);
    };
    expect(await fetched("http://nobody.test/", { resolve })).toBe("ENOTFOUND");
  });
});

test("an evaluation whose source resolves to an internal address reports it as unreachable, without the address", async () => {
  const { resolve } = resolver(["127.0.0.1"]);
  await using opened = await openEvaluator({}, { resolve });
  await expect(opened.evaluate("zenodo/1", "2.0.0-beta.2")).rejects.toMatchObject({
    code: "source-unreachable",
    message: expect.not.stringContaining("127.0.0.1"),
  });
  expect(opened.fetched).toEqual(["https://zenodo.org/api/records/1", "https://zenodo.org/api/records/1"]);
});
