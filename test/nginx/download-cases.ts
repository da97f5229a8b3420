/** Files of releases from nginx: as the server gives them, and also when it is down; `latest` leads to the active one. */

import { hash } from "node:crypto";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { retract } from "../../operations/retract/index.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { newReleaseKey } from "../../pipeline/store/signing/keys.ts";
import { signerOf } from "../../pipeline/store/signing/sign.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { ask } from "../server/ask.ts";
import type { World } from "../server/world.ts";
import { type Front, front } from "./front.ts";

/** Headers that both must agree on. */
const SAME = ["content-type", "cache-control", "etag", "content-security-policy", "accept-ranges", "content-length"];

export function downloadCases(world: () => World): void {
  describe("downloads", () => {
    let there: Front;
    let store: Store;
    let folder: string;
    let address: string;
    let full: World["full"];

    beforeAll(async () => {
      ({ full } = world());
      store = world().copy(full);
      await activate(store, full.releaseDigest);
      there = await front(store);
      folder = store.release(full.releaseDigest);
      address = `/releases/${full.releaseDigest.replace(":", "-")}`;
    });
    afterAll(() => there?.[Symbol.asyncDispose]());

    const FILES = [
      "/release.json",
      "/manifest.ndjson",
      "/data/records/part-0000.parquet",
      "/pages/2.0/record.zst",
      "/pages/release.zst",
      "/data/scores/part-0000.parquet",
      "/data/history.json",
      "/datapackage.json",
      "/CITATION.cff",
      "/report.html",
    ];

    test.each(FILES)("%s comes from nginx with the server's headers", async (path) => {
      const before = there.seen.length;
      const file = await ask(there.port, `${address}${path}`);
      expect(there.seen.length).toBe(before);
      const own = await ask(there.server, `${address}${path}`);
      expect(file.status).toBe(200);
      expect(hash("sha256", file.body)).toBe(hash("sha256", readFileSync(`${folder}${path}`)));
      for (const name of SAME) expect({ [name]: file.headers[name] }).toEqual({ [name]: own.headers[name] });
    });

    test("the receipt has the short address", async () => {
      const before = there.seen.length;
      const { status, body } = await ask(there.port, address);
      expect({ status, body: body.toString() }).toEqual({
        status: 200,
        body: readFileSync(join(folder, "release.json"), "utf8"),
      });
      expect(there.seen.length).toBe(before);
    });

    test("what was withdrawn says so from nginx as from the server, and what was not does not", async () => {
      const { next } = world();
      const other = `/releases/${next.releaseDigest.replace(":", "-")}`;
      const addresses = [`${address}/report.html`, "/metrics/live", `${other}/report.html`];
      const headers = async (port: number) => {
        const answers = await Promise.all(addresses.map((path) => ask(port, path)));
        return answers.map((answer) => answer.headers["share-retracted"] ?? null);
      };
      expect(await headers(there.port)).toEqual([null, null, null]);
      const signer = await signerOf(await newReleaseKey());
      const given = { releaseDigest: full.releaseDigest, reason: "Citations were counted twice." };
      await retract(store, given, signer, { at: "2026-11-20T09:00:00.000Z", sleep: async () => {} });
      await expect.poll(() => headers(there.server), { timeout: 60_000 }).toEqual(["?1", "?1", null]);
      // What nginx kept from before is not given out any more.
      expect(await headers(there.port)).toEqual(["?1", "?1", null]);
      await rm(store.retractions, { recursive: true });
      await expect.poll(() => headers(there.server), { timeout: 60_000 }).toEqual([null, null, null]);
    });

    test("a part can be asked for, and a tag again", async () => {
      const part = await ask(there.port, `${address}/manifest.ndjson`, { headers: { range: "bytes=2-11" } });
      expect({ status: part.status, body: part.body.toString() }).toEqual({
        status: 206,
        body: readFileSync(join(folder, "manifest.ndjson")).subarray(2, 12).toString(),
      });
      const { etag = "" } = (await ask(there.port, `${address}/manifest.ndjson`)).headers;
      expect(
        (await ask(there.port, `${address}/manifest.ndjson`, { headers: { "if-none-match": String(etag) } })).status,
      ).toBe(304);
    });

    test.each([
      "/nothing.json",
      "/data",
      "/data/",
      "/../../accounts.sqlite",
      "/%2e%2e/%2e%2e/journal.ndjson",
      "/.hidden",
      "/data/records/part-0000.parquet?unknown=1",
      "/data/records%2eparquet",
    ])("%s is the server's to answer", async (path) => {
      const before = there.seen.length;
      const { status } = await ask(there.port, `${address}${path}`);
      expect(there.seen.length).toBe(before + 1);
      expect(status).toBe((await ask(there.server, `${address}${path}`)).status);
    });

    test("a link in a release is not followed", async () => {
      writeFileSync(join(store.root, "secret.txt"), "nobody's business");
      symlinkSync(join(store.root, "secret.txt"), join(folder, "data", "linked.csv"));
      const { status, body } = await ask(there.port, `${address}/data/linked.csv`);
      expect({ status, told: body.toString().includes("business") }).toEqual({ status: 404, told: false });
    });

    test("latest leads to the active release, by nginx as by the server", async () => {
      for (const rest of ["", "/data/records/part-0000.parquet", "/release.json"]) {
        const before = there.seen.length;
        const led = await ask(there.port, `/releases/latest${rest}`);
        expect(there.seen.length).toBe(before);
        const own = await ask(there.server, `/releases/latest${rest}`);
        for (const { status, headers } of [led, own]) {
          expect({ status, location: new URL(String(headers.location), "http://localhost").pathname }).toEqual({
            status: 307,
            location: `${address}${rest}`,
          });
          expect(headers["cache-control"]).toContain("max-age=60");
        }
      }
    });

    test.each(["/releases/latest/%0d%0aSet-Cookie:%20a=b", "/releases/latest//x", "/releases/latestx"])(
      "%s goes to the server as it came, and no header of it comes back",
      async (target) => {
        const before = there.seen.length;
        const { headers } = await ask(there.port, target);
        expect(there.seen.slice(before).map((seen) => seen.target)).toEqual([target]);
        expect(headers["set-cookie"]).toBeUndefined();
      },
    );

    test("all of it stays up when the server is down", async () => {
      await there.stopServer();
      expect((await ask(there.port, "/releases/latest")).status).toBe(307);
      for (const path of ["", ...FILES]) expect((await ask(there.port, `${address}${path}`)).status).toBe(200);
    });
  });
}
