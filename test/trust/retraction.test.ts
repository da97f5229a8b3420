/**
 * Tests retracted releases: only a trusted key can retract a release, its files stay unchanged, and every view and mirror
 * reports the retraction.
 */

import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGES, ROUTES } from "../../api-static/routes/index.ts";
import { digestKey, type Route } from "../../api-static/routes/route.ts";
import { SITE_ROUTES } from "../../api-static/routes/site-routes.ts";
import { signHead } from "../../pipeline/store/head.ts";
import { changeNow, currentDigest } from "../../pipeline/store/releases.ts";
import { readRetraction } from "../../pipeline/store/retractions.ts";
import { makeSigner, newReleaseKey, type Signer } from "../../pipeline/store/signatures.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type FetchOptions, fetchRelease } from "../../releases/fetch/index.ts";
import { releaseLog } from "../../releases/log.ts";
import { publish } from "../../releases/publish/index.ts";
import { retract } from "../../releases/retract.ts";
import { releaseList } from "../../schemas/public/api/service.ts";
import { type Retraction, retractionReason } from "../../schemas/public/retraction.ts";
import { PLACES, type PublishedPlace } from "../publish/places.ts";
import { ask } from "../server/ask.ts";
import { serve } from "../server/test-store.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { recordedEffects } from "../support/effects.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { digestsIn } from "../support/tree.ts";
import { at, signedWorld, type World } from "./world.ts";

const REASON = "Citations were counted twice <b>& so</b> on.";

let world: World;
const older = () => at(world.digests, 0);
const newer = () => at(world.digests, 1);

beforeAll(async () => {
  world = await signedWorld(["2026-11-01", "2026-11-02"]);
});

afterAll(() => world[Symbol.asyncDispose]());

const now = () => ({ at: "2026-11-20T09:00:00.000Z", sleep: async () => {} });

function withdraw(store: Store, releaseDigest: string, signer: Signer = world.signer) {
  return retract(store, { releaseDigest, reason: REASON }, signer, now());
}

function said(store: Store, releaseDigest: string): Promise<Retraction | null> {
  return readRetraction(store, releaseDigest);
}

async function command(store: Store, ...parameters: readonly string[]) {
  const { exitCode, stdout, stderr } = await runHosted([...parameters, "--store", store.root]);
  return { exitCode, stdout, stderr };
}

describe("share-release release retract", () => {
  test("release retract stores a signed statement about a release without changing its files, and reports that the release is active", async () => {
    await using copy = await temporaryStore(world.store);
    const before = await digestsIn(copy.store.release(newer()));
    const sign = ["--sign", world.keyFile, "--reason", `  ${REASON} `];
    const done = await command(copy.store, "release", "retract", newer(), ...sign, "--json");
    expect({ ...done, lines: jsonLines(done.stdout) }).toMatchObject({
      exitCode: 0,
      lines: [{ releaseDigest: newer(), reason: REASON, active: true }],
    });
    expect(await digestsIn(copy.store.release(newer()))).toEqual(before);
    expect(await currentDigest(copy.store)).toBe(newer());
    const again = await command(
      copy.store,
      "release",
      "retract",
      newer(),
      "--sign",
      world.keyFile,
      "--reason",
      "Otherwise.",
    );
    expect({ exitCode: again.exitCode, said: again.stderr.includes("a retraction never changes") }).toEqual({
      exitCode: 1,
      said: true,
    });
    expect((await said(copy.store, newer()))?.reason).toBe(REASON);
    expect((await command(copy.store, "release", "list")).stdout).toContain(`retracted at `);
    expect((await command(copy.store, "doctor")).stdout).toContain("which was retracted");
  });

  const REJECTED: readonly { name: string; parameters: () => readonly string[]; exitCode: number; words: string }[] = [
    {
      name: "a command without a key",
      parameters: () => [older(), "--reason", REASON],
      exitCode: 2,
      words: "give the private key with --sign",
    },
    {
      name: "a command without a reason",
      parameters: () => [older(), "--sign", world.keyFile],
      exitCode: 2,
      words: "--reason",
    },
    {
      name: "a reason with control characters",
      parameters: () => [older(), "--sign", world.keyFile, "--reason", "\u001b[2Jgone"],
      exitCode: 2,
      words: "without control characters",
    },
    {
      name: "a digest of no release",
      parameters: () => [`sha256:${"0".repeat(64)}`, "--sign", world.keyFile, "--reason", REASON],
      exitCode: 1,
      words: "there is no release",
    },
    {
      name: "the start of a digest that fits two releases",
      parameters: () => ["sha256:", "--sign", world.keyFile, "--reason", REASON],
      exitCode: 1,
      words: "give more of the digest",
    },
  ];

  test.each(REJECTED)(
    "release retract rejects $name, and writes no statement",
    async ({ parameters, exitCode, words }) => {
      await using copy = await temporaryStore(world.store);
      const rejected = await command(copy.store, "release", "retract", ...parameters());
      expect({ exitCode: rejected.exitCode, words: rejected.stderr }).toEqual({
        exitCode,
        words: expect.stringContaining(words),
      });
      expect(await said(copy.store, older())).toBeNull();
    },
  );

  const REASONS = [
    ["one\ntwo", false],
    ["one\u2028two", false],
    ["back\u202ewards", false],
    ["", false],
    ["x".repeat(500), true],
    ["x".repeat(501), false],
    ["<b>plain</b> “words”, ü", true],
  ] as const;

  test.each(REASONS)(
    "release retract accepts as a reason only one plain line of 1 to 500 characters: %j",
    (reason, taken) => {
      expect(retractionReason.safeParse(reason).success).toBe(taken);
    },
  );

  test("release retract can retract a pruned release, because mirrors may have it", async () => {
    await using copy = await temporaryStore(world.store);
    expect((await command(copy.store, "release", "prune", "--keep", "1")).exitCode).toBe(0);
    const sign = ["--sign", world.keyFile, "--reason", REASON];
    expect((await command(copy.store, "release", "retract", older().slice(0, 20), ...sign)).exitCode).toBe(0);
    expect(await said(copy.store, older())).toMatchObject({ releaseDigest: older(), reason: REASON });
  });
});

describe("retracted releases", () => {
  test("a retracted release passes verification, whose result contains the retraction", async () => {
    await using copy = await temporaryStore(world.store);
    await withdraw(copy.store, older());
    const keys = join(copy.store.root, "keys.json");
    await writeFile(keys, JSON.stringify({ keys: world.keys }));
    const verified = await command(copy.store, "release", "verify", older(), "--key", keys);
    expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`retracted at 2026-11-20`) });
    expect(verified.stdout).toContain(" is valid (");
    const json = jsonLines((await command(copy.store, "release", "verify", older(), "--json")).stdout);
    expect(json).toMatchObject([{ findings: 0, retraction: { reason: REASON } }]);
  });

  test("a retracted release fails verification if its retraction was signed by a foreign key", async () => {
    await using copy = await temporaryStore(world.store);
    await withdraw(copy.store, older(), await makeSigner(await newReleaseKey()));
    const keys = join(copy.store.root, "keys.json");
    await writeFile(keys, JSON.stringify({ keys: world.keys }));
    const found = await command(copy.store, "release", "verify", older(), "--key", keys);
    expect(found).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("retraction: the signature is by") });
  });

  test("a retracted release is activated only with --force and a reason, and neither by a build nor by a rollback", async () => {
    await using copy = await temporaryStore(world.store);
    await withdraw(copy.store, older());
    const words = { exitCode: 1, stderr: expect.stringContaining("was retracted at") };
    expect(await command(copy.store, "release", "activate", older())).toMatchObject(words);
    expect(await command(copy.store, "release", "rollback")).toMatchObject({
      ...words,
      stderr: expect.stringContaining(older()),
    });
    const build = ["build", "--as-of", "2026-11-01", "--source", "zenodo", "--unsigned"];
    expect(await command(copy.store, ...build)).toMatchObject(words);
    expect(await currentDigest(copy.store)).toBe(newer());
    const forced = await command(copy.store, "release", "activate", older(), "--force", "Needed for a comparison.");
    expect(forced).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("forced: Needed for a comparison.") });
    expect(await currentDigest(copy.store)).toBe(older());
    expect(await readFile(copy.store.journal, "utf8")).toContain("Needed for a comparison.");
  });

  test("a retracted release is marked in the log, which also reports a missing or changed statement", async () => {
    await using copy = await temporaryStore(world.store);
    await withdraw(copy.store, older());
    const logged = () => releaseLog(copy.store, newer(), world.keys);
    const entry = async () => (await logged()).chain.find(({ releaseDigest }) => releaseDigest === older());
    expect(await entry()).toMatchObject({ retraction: { reason: REASON }, faults: [] });
    expect((await command(copy.store, "release", "log")).stdout).toContain(
      `retracted at 2026-11-20T09:00:00.000Z: ${REASON}`,
    );
    const file = copy.store.retraction(older());
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("counted twice", "counted once"));
    expect(await entry()).toMatchObject({ faults: [expect.stringContaining("does not match this retraction")] });
    await rm(file);
    expect(await entry()).toMatchObject({ retraction: null, faults: [expect.stringContaining("is missing")] });
    await appendFile(file, "{");
    expect(await entry()).toMatchObject({
      retraction: null,
      faults: [expect.stringContaining("retraction of the release is damaged")],
    });
    expect(await command(copy.store, "release", "activate", older())).toMatchObject({ exitCode: 1 });
  });

  test("the signature of a receipt does not count as the signature of a retraction", async () => {
    await using copy = await temporaryStore(world.store);
    const passing: Signer = { ...world.signer, sign: (payload) => world.signer.sign(payload, "receipt") };
    await withdraw(copy.store, older(), passing);
    const { chain } = await releaseLog(copy.store, newer(), world.keys);
    expect(chain.at(-1)?.faults).toEqual(["the signature is not readable"]);
  });
});

test("a server shows a retraction at once in the list, in a header and on every page, and for no other release", async () => {
  await using copy = await temporaryStore(world.store);
  const server = await serve(copy.store);
  try {
    const get = (path: string, accept = "application/json") => ask(server.port, path, { headers: { accept } });
    const buildReleasePath = (digest: string) => `/releases/${digest.replace(":", "-")}`;
    const paths = [
      "/metrics/live",
      "/records?page=2",
      buildReleasePath(newer()),
      `${buildReleasePath(newer())}/manifest.ndjson`,
    ];
    for (const path of [...paths, "/"]) expect((await get(path)).headers["share-retracted"]).toBeUndefined();
    expect((await get("/history", "text/html")).text).not.toContain("was retracted");
    await withdraw(copy.store, newer());
    await expect
      .poll(async () => (await get("/metrics/live")).headers["share-retracted"], { timeout: 60_000 })
      .toBe("?1");
    for (const path of paths) {
      expect({ path, header: (await get(path)).headers["share-retracted"] }).toEqual({ path, header: "?1" });
    }
    const { headers } = await get("/metrics/live");
    const again = await ask(server.port, "/metrics/live", { headers: { "if-none-match": String(headers.etag) } });
    expect({ status: again.status, header: again.headers["share-retracted"] }).toEqual({ status: 304, header: "?1" });
    expect((await get(buildReleasePath(older()))).headers["share-retracted"]).toBeUndefined();
    const list = releaseList.parse(JSON.parse((await get("/releases")).text));
    expect(list.map(({ retraction }) => retraction?.reason ?? null)).toEqual([REASON, null]);
    for (const path of ["/", "/datasets", "/history"]) {
      const { text } = await get(path, "text/html");
      expect(text).toContain("was retracted</b>");
      expect(text).toContain("&lt;b&gt;&amp; so&lt;/b&gt;");
    }
    // The server reports the next retraction even if another statement is damaged and its `serving` link cannot be moved.
    await writeFile(copy.store.retraction(`sha256:${"f".repeat(64)}`), "{");
    await rm(copy.store.serving);
    await mkdir(join(copy.store.serving, "kept"), { recursive: true });
    await withdraw(copy.store, older());
    await expect
      .poll(async () => (await get(buildReleasePath(older()))).headers["share-retracted"], { timeout: 60_000 })
      .toBe("?1");
    const movement = (await get(`/history/${older().replace(":", "-")}`, "text/html")).text;
    expect(movement.split("was retracted</b>")).toHaveLength(3);
  } finally {
    await server.close();
  }
});

/** Files that are the same for every release. */
const WITHOUT_RELEASE = /^\/(?:llms\.txt|robots\.txt|style\.css|inter-\d+\.woff2|favicon\.svg|logo\.(?:svg|png))$/;

test("every response that comes from a retracted release is marked, whichever route it has and also if it is cached", async () => {
  await using copy = await temporaryStore(world.store);
  await withdraw(copy.store, newer());
  const server = await serve(copy.store);
  try {
    const first = async (path: string) => JSON.parse((await ask(server.port, path)).text).data[0];
    const { id } = await first("/records");
    const { slug } = await first("/authors");
    const keys: Readonly<Record<string, string>> = {
      ...{ id, slug, version: "2.0", digest: newer().replace(":", "-"), repository: "Zenodo", ror: "05dxps055" },
      ...{ funder: "Elsewhere Science Fund", name: "method", number: "1", file: "manifest.ndjson" },
    };
    const pathFor = ({ name, path }: Route) =>
      path.replace(/\{(\w+)\}/g, (_, key) => encodeURIComponent(name.startsWith("signal") ? "S1" : (keys[key] ?? key)));
    const isOfRelease = ({ namesRelease, key }: Route) => namesRelease || key === digestKey;
    const views = PAGES.filter(({ name, path }) => Object.hasOwn(SITE_ROUTES, name) && !WITHOUT_RELEASE.test(path));
    const unmarked: string[] = [];
    for (const route of [...ROUTES.filter(isOfRelease), ...views]) {
      const body = route.method === "post" ? { body: JSON.stringify({ identifiers: [id] }) } : {};
      const headers = { "content-type": "application/json", accept: route.html ? "text/html" : "*/*" };
      for (const time of ["first", "again"]) {
        const question = { method: route.method.toUpperCase(), ...body, headers };
        const reply = await ask(server.port, pathFor(route), question);
        const isNamed = route.key === digestKey || reply.headers["share-release"] === newer();
        if (!isNamed || reply.headers["share-retracted"] !== "?1")
          unmarked.push(`${route.name} ${time} ${reply.status}`);
      }
    }
    expect(unmarked).toEqual([]);
  } finally {
    await server.close();
  }
});

function fetched(store: Store, url: string, options: Partial<FetchOptions> = {}) {
  const defaults = { url, apiKey: null, parallel: 8, keys: world.keys, unproven: false, threads: 2, memory: "512MB" };
  return fetchRelease(store, { ...defaults, ...options }, { ...recordedEffects(), fetch: globalThis.fetch });
}

describe("mirrors of retracted releases", () => {
  test("a mirror of a retracted release stores the retraction with its next fetch, but only if a key that it trusts has signed it", async () => {
    await using copy = await temporaryStore(world.store);
    await signHead(copy.store, world.signer, changeNow(recordedEffects()));
    await using mirror = await temporaryStore();
    await using withoutKeys = await temporaryStore(world.store);
    const server = await serve(copy.store);
    const release = `${server.url}/releases/${newer().replace(":", "-")}`;
    const told = () => said(copy.store, newer());
    const listed = async () => releaseList.parse(await (await fetch(`${server.url}/releases`)).json())[0]?.retraction;
    try {
      expect((await fetched(mirror.store, server.url)).retractions).toEqual([]);
      await withdraw(copy.store, newer());
      await expect.poll(listed, { timeout: 60_000 }).toMatchObject({ reason: REASON });
      const doubted = await fetched(withoutKeys.store, release, { keys: null });
      expect(doubted).toMatchObject({ created: false, retractions: [{ reason: REASON, kept: false }] });
      expect(await said(withoutKeys.store, newer())).toBeNull();
      const kept = await fetched(mirror.store, release);
      expect(kept).toMatchObject({ created: false, retractions: [{ reason: REASON, kept: true }] });
      expect(await said(mirror.store, newer())).toEqual(await told());
      expect(await fetched(mirror.store, server.url)).toMatchObject({ retractions: [] });
      expect(await command(mirror.store, "release", "activate", newer())).toMatchObject({ exitCode: 1 });
    } finally {
      await server.close();
    }
  });

  const FORGERIES: readonly { name: string; forge: (text: string) => Promise<string>; words: string }[] = [
    {
      name: "signed by a foreign key",
      forge: async (text) => {
        await using copy = await temporaryStore(world.store);
        await withdraw(copy.store, newer(), await makeSigner(await newReleaseKey()));
        return withStatement(text, await said(copy.store, newer()));
      },
      words: "not one of those given",
    },
    {
      name: "about another release",
      forge: async (text) => {
        await using copy = await temporaryStore(world.store);
        await withdraw(copy.store, older());
        return withStatement(text, await said(copy.store, older()));
      },
      words: "the statement names sha256:",
    },
    {
      name: "with a changed text",
      forge: async (text) => {
        await using copy = await temporaryStore(world.store);
        await withdraw(copy.store, newer());
        const real = await said(copy.store, newer());
        return withStatement(text, real && { ...real, reason: "Everything is wrong." });
      },
      words: "does not match this retraction",
    },
  ];

  test.each(FORGERIES)("a mirror rejects a retraction $name", async ({ forge, words }) => {
    await using mirror = await temporaryStore();
    await using copy = await temporaryStore(world.store);
    await signHead(copy.store, world.signer, changeNow(recordedEffects()));
    const server = await serve(copy.store);
    try {
      const effects = { ...recordedEffects(), fetch: forging(forge) };
      const options = { url: server.url, apiKey: null, parallel: 8, keys: world.keys, unproven: false };
      const fetching = fetchRelease(mirror.store, { ...options, threads: 2, memory: "512MB" }, effects);
      await expect(fetching).rejects.toThrow(words);
      expect(await said(mirror.store, newer())).toBeNull();
    } finally {
      await server.close();
    }
  });
});

/** Returns a list of releases (JSON) with another retraction of the newest release. */
function withStatement(text: string, statement: Retraction | null): string {
  const [first, ...others] = releaseList.parse(JSON.parse(text));
  return JSON.stringify([{ ...first, retraction: statement }, ...others]);
}

function forging(forge: (text: string) => Promise<string>): typeof fetch {
  return async (input, init) => {
    const answer = await globalThis.fetch(input, init);
    return String(input).endsWith("/releases") ? new Response(await forge(await answer.text())) : answer;
  };
}

describe.each(PLACES)("retractions that are published to $kind", ({ open }) => {
  const publishTo = async (place: PublishedPlace, store: Store, digest: string, force: string | null = null) => {
    const effects = recordedEffects();
    return publish(store, digest, await place.target(effects), { parallel: 8, dryRun: false, force }, effects);
  };

  test("a retraction is sent with the next publication, even if that is of another release", async () => {
    await using copy = await temporaryStore(world.store);
    await using place = await open();
    await publishTo(place, copy.store, older());
    await withdraw(copy.store, older());
    expect((await publishTo(place, copy.store, newer())).retractions).toEqual([older()]);
    const path = `retractions/${older().replace(":", "-")}.json`;
    expect(String(await place.read(path))).toBe(await readFile(copy.store.retraction(older()), "utf8"));
    const list = releaseList.parse(JSON.parse(String(await place.read("releases.json"))));
    expect(list.map(({ retraction }) => retraction?.reason ?? null)).toEqual([null, REASON]);
    expect((await publishTo(place, copy.store, newer())).retractions).toEqual([]);
    await expect(publishTo(place, copy.store, older())).rejects.toThrow("does not point to it");
    expect(await place.pointed()).toBe(newer());
    await publishTo(place, copy.store, older(), "For a comparison.");
    expect(await place.pointed()).toBe(older());
  });
});

test("release list reports a retraction from a published folder as it does from a store", async () => {
  await using copy = await temporaryStore(world.store);
  const to = join(copy.folder, "www");
  const published = await command(copy.store, "release", "publish", "--to", to);
  expect(published.exitCode).toBe(0);
  await withdraw(copy.store, newer());
  const again = await command(copy.store, "release", "publish", "--to", to);
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("is marked as retracted there") });
  expect((await command(openStore(to), "release", "list")).stdout).toContain(REASON);
});
