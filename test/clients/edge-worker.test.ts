/**
 * The edge worker of docs/operations/ in workerd, over a bucket with the packs of a release: what it answers itself is the
 * server's answer byte for byte, and everything else is the server's. workerd is installed by `make clients`.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askedPage } from "../../api-static/routes/asked-page.ts";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { ask, type Question, type Reply } from "../server/ask.ts";
import { idOf, type Listening, type ReleasedStore, releasedStore, SPECIAL, serve } from "../server/test-store.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { type FileServer, serveFolder } from "./published-release.ts";

const HAS_WORKERD = existsSync(join(import.meta.dirname, "node_modules/miniflare"));
if (!HAS_WORKERD) console.warn("suite on the edge worker skipped: run `make clients`");

/** Headers that are about the answer, not about one connection, request or caller. */
const COMPARED = [
  ...Object.keys(SHARED_HEADERS),
  "cache-control",
  "content-length",
  "content-security-policy",
  "content-type",
  "etag",
  "location",
  "share-release",
];

function answerOf({ status, headers, text }: Reply) {
  return { status, text, headers: Object.fromEntries(COMPARED.map((name) => [name, headers[name]])) };
}

/** Of what was passed on: workerd asks for it compressed, whatever its client asks for, which makes the server's tag a weak one. */
function passedOf(reply: Reply) {
  const { headers, ...answer } = answerOf(reply);
  const { "content-length": _length, etag, ...others } = headers;
  return { ...answer, headers: { ...others, etag: String(etag).replace(/^W\//, "") } };
}

const PATIENCE = 120_000;

/** As the page is: workerd hands on what the server compressed to a client that says nothing. */
const PLAIN = { "accept-encoding": "identity" };

function askPlainly(port: number, target: string, { headers, ...question }: Question = {}): Promise<Reply> {
  return ask(port, target, { ...question, headers: { ...PLAIN, ...headers } });
}

interface Worker {
  readonly port: number;
  readonly process: ChildProcess;
}

async function startWorker(bindings: object, folder: string | null): Promise<Worker> {
  const parameters = [join(REPOSITORY, "docs/operations/edge-worker.ts"), JSON.stringify(bindings)];
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "run-worker.js"), ...parameters, ...(folder === null ? [] : [folder])],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  for await (const line of createInterface({ input: child.stdout }))
    return { port: Number(new URL(line).port), process: child };
  throw new Error("workerd did not start");
}

/** The bucket that `publish` would have written: releases, and the pointer as an object. */
function fillBucket(bucket: string, { store, receipt }: ReleasedStore): void {
  const folder = `releases/${receipt.releaseDigest.replace(":", "-")}`;
  mkdirSync(join(bucket, "releases"), { recursive: true });
  cpSync(store.release(receipt.releaseDigest), join(bucket, folder), { recursive: true });
  const { releaseDigest, scoreReleaseVersion } = receipt;
  writeFileSync(join(bucket, "current"), `${JSON.stringify({ releaseDigest, scoreReleaseVersion, folder })}\n`);
}

describe.skipIf(!HAS_WORKERD || !HAS_NGINX)("the edge worker", () => {
  let folder: string;
  let released: ReleasedStore;
  let server: Listening;
  let files: FileServer;
  const asked: string[] = [];
  let ids: readonly string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "share-edge-"));
    released = await releasedStore();
    server = await serve(released.store);
    server.app.server.on("request", ({ method, url }) => asked.push(`${method} ${url}`));
    fillBucket(join(folder, "bucket"), released);
    files = await serveFolder(folder);
    const pages = await PageStore.open(released.store.release(released.receipt.releaseDigest));
    ids = [...pages.entries("2.0/record")].map(({ key }) => key);
    pages.close();
  }, PATIENCE);

  afterAll(async () => {
    await files?.[Symbol.asyncDispose]();
    await server?.close();
    await released?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(["an R2 bucket", "a bucket over HTTP"])("of %s", (kind) => {
    let worker: Worker;
    const edge = (target: string, question: Question = {}) => askPlainly(worker.port, target, question);
    const direct = (target: string, question: Question = {}) => askPlainly(server.port, target, question);
    const pagesOf = (id: string) =>
      [`/records/${id}`, `/records/${id}/impact`, `/widgets/datasets/${id}/badge.svg`].flatMap((path) =>
        ["", "?rubric=2.0", "?rubric=1.0"].map((query) => path + query),
      );
    /** Whether a release has the page in a pack. */
    const isPacked = (target: string) => askedPage(target) !== null;

    beforeAll(async () => {
      worker =
        kind === "an R2 bucket"
          ? await startWorker({ SERVER: server.url }, join(folder, "bucket"))
          : await startWorker({ SERVER: server.url, RELEASES: `${files.address}/bucket` }, null);
    }, PATIENCE);

    afterAll(async () => {
      const ended = once(worker.process, "close");
      worker.process.kill("SIGTERM");
      await ended;
    });

    test("answers what packs have as the server does, and the server hears of none", {
      timeout: PATIENCE,
    }, async () => {
      const targets = ids.slice(0, 12).concat(idOf(SPECIAL.failed)).flatMap(pagesOf).filter(isPacked);
      expect(targets.length).toBeGreaterThan(90);
      for (const target of targets) {
        const expected = answerOf(await direct(target));
        expect(expected.status).toBe(200);
        const before = asked.length;
        expect({ target, ...answerOf(await edge(target)) }).toEqual({ target, ...expected });
        expect(asked.slice(before)).toEqual([]);
      }
    });

    test("badges of the version that packs have none of are the server's", async () => {
      const target = `/widgets/datasets/${ids[0]}/badge.svg?rubric=1.0`;
      expect(passedOf(await edge(target))).toEqual(passedOf(await direct(target)));
    });

    test("a browser is led by the server to the page it can read", async () => {
      for (const target of pagesOf(ids[0] ?? "").filter((path) => path.startsWith("/records/"))) {
        const question: Question = { headers: { accept: "text/html" } };
        const expected = await direct(target, question);
        expect(passedOf(await edge(target, question))).toEqual(passedOf(expected));
      }
      expect((await direct(`/records/${ids[0]}`, { headers: { accept: "text/html" } })).status).toBe(307);
    });

    test.each([
      ["HEAD", { method: "HEAD" }],
      ["a tag of another page", { headers: { "if-none-match": '"1-1"' } }],
      ["any tag", { headers: { "if-none-match": "*" } }],
      ["a range, which pages are not given in", { headers: { range: "bytes=0-1" } }],
      ["a time", { headers: { "if-modified-since": "Tue, 19 Jan 2038 03:14:07 GMT" } }],
    ] as const)("%s", async (_name, question: Question) => {
      for (const target of pagesOf(ids[0] ?? "").filter(isPacked)) {
        const before = asked.length;
        const [fromEdge, fromServer] = [await edge(target, question), await direct(target, question)];
        expect({ target, ...answerOf(fromEdge) }).toEqual({ target, ...answerOf(fromServer) });
        expect(asked.slice(before)).toHaveLength(1);
      }
    });

    test("its own tag, weak or among others, is 304", async () => {
      for (const target of pagesOf(ids[1] ?? "").filter(isPacked)) {
        const tag = (await edge(target)).headers.etag ?? "";
        for (const condition of [tag, `W/${tag}`, `"a", W/"b", ${tag}`]) {
          const question = { headers: { "if-none-match": condition } };
          const fromEdge = await edge(target, question);
          expect(fromEdge.status).toBe(304);
          expect(answerOf(fromEdge)).toEqual(answerOf(await direct(target, question)));
        }
      }
    });

    test.each([
      ["an id nobody has", () => "/records/r000000000000000000000000"],
      ["an id before all others", () => `/records/r${"0".repeat(24)}/impact`],
      ["one that lost to another", () => `/records/${idOf(SPECIAL.loser)}`],
      ["a withdrawn dataset's badge", () => `/widgets/datasets/${idOf(SPECIAL.tombstone)}/badge.svg`],
      ["an unknown version", () => `/records/${ids[0]}?rubric=3.0`],
      ["an unknown parameter", () => `/records/${ids[0]}?verbose=1`],
      ["a list", () => "/records?limit=2"],
      ["researchers", () => "/authors?limit=3"],
      ["a badge of a repository", () => "/widgets/repositories/Zenodo/badge.svg"],
      ["what is no address", () => "/nothing/here"],
      ["a way out of the folder", () => "/records/..%2f..%2frelease.json"],
    ])("%s is the server's to answer", async (_name, target) => {
      const expected = passedOf(await direct(target()));
      const before = asked.length;
      expect(passedOf(await edge(target()))).toEqual(expected);
      expect(asked.slice(before)).toEqual([`GET ${target()}`]);
    });

    test("everything that changes something goes on, with its body", async () => {
      const question = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
      const [fromEdge, fromServer] = [await edge("/evaluations", question), await direct("/evaluations", question)];
      expect(passedOf(fromEdge)).toEqual(passedOf(fromServer));
      expect(fromEdge.status).toBe(400);
      expect(fromEdge.text).toContain("identifier");
    });
  });

  test("where the bucket is damaged, the server answers", { timeout: PATIENCE }, async () => {
    const [id = ""] = ids;
    const bucket = join(folder, "damaged");
    fillBucket(bucket, released);
    const pack = join(bucket, `releases/${released.receipt.releaseDigest.replace(":", "-")}/pages/2.0/record.zst`);
    const bytes = readFileSync(pack);
    writeFileSync(pack, bytes.fill(0, 20, 40));
    const worker = await startWorker({ SERVER: server.url }, bucket);
    try {
      const before = asked.length;
      const { status, text } = await askPlainly(worker.port, `/records/${id}`);
      expect({ status, asked: asked.slice(before) }).toEqual({ status: 200, asked: [`GET /records/${id}`] });
      expect(text).toContain(id);
      await askPlainly(worker.port, `/records/${id}/impact`);
      expect(asked.slice(before)).toHaveLength(1);
    } finally {
      worker.process.kill("SIGTERM");
    }
  });
});
