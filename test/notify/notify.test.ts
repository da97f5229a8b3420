/**
 * Webhooks of `release activate --webhook` over real HTTP: signed as Standard Webhooks requires, retried, and independent of
 * each other.
 */

import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { notify, secretBytes, signedHeaders } from "../../releases/notify.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { testEffects } from "../harvest/bench-store.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { filledStore, type TemporaryStore } from "../support/temporary-store.ts";
import { type Service, serve } from "../support/upstream/service.ts";
import { casesToRun } from "../tiers.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const BYTES = Buffer.alloc(32, 7);

let at: TemporaryStore;
let receipt: Receipt;
let listener: Service;
/** Statuses of the next responses of the receiver, in order. After these, the receiver responds with 204. */
let statuses: number[];
let headers: Record<string, string>;

beforeAll(async () => {
  const builds = [{ sources: ["zenodo"], rubrics: ["2.0"] as const, activate: false }];
  const filled = await filledStore({ bundled: ["zenodo"], builds });
  at = filled;
  receipt = filled.last;
  listener = await serve(() => ({ status: statuses.shift() ?? 204, headers, body: "" }));
});
afterAll(async () => {
  await listener?.[Symbol.asyncDispose]();
  await at?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  statuses = [];
  headers = {};
  listener.asked.length = 0;
});

const effects = () => ({ ...testEffects() });
const request = (...paths: readonly string[]) => ({
  urls: paths.map((path) => new URL(path, listener.base)),
  secret: BYTES,
});

describe("a webhook request", () => {
  test("the signature of a webhook request equals that in the example of the specification", () => {
    const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
    const body = '{"test": 2432232314}';
    expect(signedHeaders(secret, { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1614265330, body })).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("a webhook request names the active release, with an id, a time, and a signature that the secret verifies", async () => {
    expect(await notify(request("/hook?key=k"), receipt, effects())).toEqual([
      { to: listener.base, delivered: true, attempts: 1, why: null },
    ]);
    const [asked] = listener.asked;
    if (asked === undefined) throw new Error("expected a webhook request, but the receiver got none");
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = asked.headers;
    expect(signature).toBe(`v1,${createHmac("sha256", BYTES).update(`${id}.${time}.${asked.body}`).digest("base64")}`);
    expect([asked.url.pathname, asked.headers["content-type"], id, time]).toEqual([
      "/hook",
      "application/json",
      expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      String(Date.parse("2025-03-01T12:00:00Z") / 1000),
    ]);
    expect(JSON.parse(asked.body)).toEqual({
      type: "release.activated",
      timestamp: "2025-03-01T12:00:00.000Z",
      data: {
        releaseDigest: receipt.releaseDigest,
        scoreReleaseVersion: receipt.scoreReleaseVersion,
        asOf: receipt.asOf,
        publishedAt: receipt.publishedAt,
        previousReleaseDigest: null,
        scored: receipt.coverage.scored,
      },
    });
  });
});

describe("a webhook request that fails", () => {
  const CASES: readonly {
    name: string;
    answers: number[];
    delivered: boolean;
    attempts: number;
    why: string | null;
  }[] = [
    { name: "it is retried if the failure is temporary", answers: [503, 429], delivered: true, attempts: 3, why: null },
    {
      name: "it is given up after five attempts",
      answers: Array(9).fill(500),
      delivered: false,
      attempts: 5,
      why: "responded with status 500",
    },
    {
      name: "it is not retried after status 400",
      answers: [400],
      delivered: false,
      attempts: 1,
      why: "responded with status 400",
    },
    {
      name: "it is not retried after status 410",
      answers: [410],
      delivered: false,
      attempts: 1,
      why: "responded with status 410",
    },
    {
      name: "it does not follow a redirect",
      answers: [307],
      delivered: false,
      attempts: 1,
      why: "responded with status 307",
    },
  ];

  test.each(CASES)("a webhook request that fails: $name", async ({ answers, delivered, attempts, why }) => {
    statuses = [...answers];
    headers = { location: "/elsewhere" };
    expect(await notify(request("/"), receipt, effects())).toEqual([{ to: listener.base, delivered, attempts, why }]);
    expect(listener.asked.map(({ url }) => url.pathname)).toEqual(Array(attempts).fill("/"));
    // Every attempt has the same id, so that a receiver can discard duplicates.
    expect(new Set(listener.asked.map((asked) => asked.headers["webhook-id"])).size).toBe(1);
  });

  test("a webhook request is sent again after increasing delays, or after the Retry-After of the response up to a limit", async () => {
    statuses = [503, 503, 503];
    const waited = effects();
    await notify(request("/"), receipt, waited);
    expect(waited.waits).toEqual([1000, 2000, 4000]);
    statuses = [503, 503];
    headers = { "retry-after": "9999" };
    const asked = effects();
    await notify(request("/"), receipt, asked);
    expect(asked.waits).toEqual([30_000, 30_000]);
  });

  test("a webhook that fails does not affect others, and log lines have only the origin of its URL", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const waited = effects();
    const addresses = [new URL(`${nobody}/hook/private-path?token=private`), new URL("/two", listener.base)];
    const told = await notify({ urls: addresses, secret: BYTES }, receipt, waited);
    expect(told).toEqual([
      { to: nobody, delivered: false, attempts: 5, why: "could not be reached (ECONNREFUSED)" },
      { to: listener.base, delivered: true, attempts: 1, why: null },
    ]);
    expect(JSON.stringify(waited.logged)).toContain(nobody);
    expect(JSON.stringify([told, waited.logged])).not.toContain("private");
  });
});

test.each([
  ["as written by openssl", SECRET, true],
  ["with a line end", `${SECRET}\n`, true],
  ["without its prefix", SECRET.slice(6), false],
  ["too short", `whsec_${Buffer.alloc(23).toString("base64")}`, false],
  ["too long", `whsec_${Buffer.alloc(65).toString("base64")}`, false],
  ["of other letters", "whsec_not/base64!", false],
  ["empty", "", false],
])("the secret of a webhook is accepted or rejected by its form: %s", (_name, text, taken) => {
  expect(secretBytes(text) !== null).toBe(taken);
});

describe("options of webhooks", () => {
  const activate = (parameters: readonly string[], environment: Record<string, string> = {}) =>
    runHosted(["release", "activate", receipt.releaseDigest, ...parameters, "--store", at.store.root], {
      environment,
    });

  const MISTAKES: readonly { name: string; parameters: string[]; said: string }[] = [
    { name: "no secret", parameters: ["--webhook", "http://127.0.0.1:9/"], said: "--webhook needs a secret" },
    {
      name: "a secret without a URL",
      parameters: ["--webhook-secret", "x"],
      said: "--webhook-secret requires --webhook",
    },
    {
      name: "no URL",
      parameters: ["--webhook", "ftp://private@host/"],
      said: "--webhook expects an http or https URL",
    },
    { name: "credentials", parameters: ["--webhook", "http://me:private@host/"], said: "without credentials" },
  ];

  test.each(casesToRun(MISTAKES))(
    "activate rejects webhook options before any work: $name",
    async ({ parameters, said }) => {
      const { exitCode, stderr } = await activate(parameters);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
      expect(stderr).not.toContain("private");
      expect(await currentDigest(at.store)).toBeNull();
    },
  );

  test("activate rejects an invalid webhook secret, and the error does not repeat it", async () => {
    const { exitCode, stderr } = await activate(["--webhook", listener.base], { SHARE_WEBHOOK_SECRET: "hunter2" });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("SHARE_WEBHOOK_SECRET does not contain a secret for webhooks: expected whsec_"),
    ]);
    expect(stderr).not.toContain("hunter2");
  });

  test("activate sends a request to every webhook, and succeeds even if one fails", async () => {
    const file = join(at.folder, "webhook-secret");
    await writeFile(file, `${SECRET}\n`);
    statuses = [404];
    const addresses = ["--webhook", `${listener.base}/gone?key=private`, "--webhook", `${listener.base}/there`];
    const { exitCode, stdout, stderr } = await activate([...addresses, "--webhook-secret", file, "--json"]);
    expect(exitCode, stderr).toBe(0);
    expect(await currentDigest(at.store)).toBe(receipt.releaseDigest);
    const [summary] = jsonLines(stdout);
    expect(summary).toMatchObject({ activated: receipt.releaseDigest });
    expect(listener.asked.map(({ url }) => url.pathname).sort()).toEqual(["/gone", "/there"]);
    expect(stderr).toContain('"event":"notify-failed"');
    expect(stdout).toContain('"why":"responded with status 404"');
    for (const secret of ["private", SECRET.slice(6)]) expect(stdout + stderr).not.toContain(secret);
    const words = await activate(["--webhook", listener.base], { SHARE_WEBHOOK_SECRET: SECRET });
    expect([words.exitCode, words.stdout]).toEqual([
      0,
      expect.stringContaining(`\nwebhook to ${listener.base} delivered\n`),
    ]);
  });
});
