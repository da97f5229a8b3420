/**
 * The Python package share-scores, which was written from docs/packs.md, reads pages over plain HTTP with at most three
 * range requests, and checks them against the manifest. It also reads all pages of a pack.
 */

import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeManifest } from "../../pipeline/6-release/index.ts";
import { listRanges } from "../../pipeline/packs/format.ts";
import { PackSink } from "../../pipeline/packs/pack-sink.ts";
import { indexRenderedPages, PageStore } from "../../pipeline/packs/page-store.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { PYTHON_ENVIRONMENT, python } from "../support/share-scores.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";
import { type FileServer, serveFolder } from "./published-release.ts";

/** A Python program that prints the key and the sha256 of each page in the packs of a family, and the root over all pages. */
const DUMP = `import sys
from pathlib import Path
from share_scores.packs import PagesRoot, pages_in
pages = []
for path in sys.argv[1:]:
    pack = Path(path).read_bytes()
    pages += pages_in(lambda at, length: pack[at : at + length], len(pack))
root = PagesRoot()
for key, sha256, _ in pages:
    print(key, sha256)
    root.add(key, sha256)
print("root", root.digest())`;

const PATIENCE = 120_000;

/** Runs Python, and returns its exit status, its output as `page` and its messages as `said`. */
async function run(parameters: readonly string[]): Promise<{ status: number | null; page: string; said: string }> {
  const child = spawn(python ?? "python3", parameters, { stdio: ["ignore", "pipe", "pipe"], env: PYTHON_ENVIRONMENT });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [page, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await closed, page, said };
}

const dump = (...packs: readonly string[]) => run(["-c", DUMP, ...packs]);

function read(release: string, family: string, key: string, digest?: string) {
  const trusted = digest === undefined ? [] : ["--manifest-digest", digest];
  return run(["-m", "share_scores.command", "page", release, family, key, ...trusted]);
}

const isRange = (line: string) => line.includes(" 206 bytes=");

/** The advice at the end of each message about a faulty release. */
const ADVICE = ". Report this to the publisher of the release, or use another copy of it.";

describe.skipIf(python === null || !HAS_NGINX)("the command share-scores page", () => {
  let folder: string;
  let bundled: BundledRelease;
  let published: FileServer;
  let release: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "share-stranger-"));
    bundled = await bundledRelease();
    const to = join(folder, "published");
    const { exitCode, stderr } = await runCommand(["release", "publish", "--to", to, "--store", bundled.store.root]);
    if (exitCode !== 0) throw new Error(`publish ended with ${exitCode}: ${stderr}`);
    published = await serveFolder(folder);
    release = `${published.address}/published/releases/${bundled.receipt.releaseDigest.replace(":", "-")}`;
  }, PATIENCE);

  afterAll(async () => {
    await published?.[Symbol.asyncDispose]();
    await bundled?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("share-scores page finds a page of every family with three range requests, and prints the exact bytes", {
    timeout: PATIENCE,
  }, async () => {
    const pages = await PageStore.open(bundled.folder);
    try {
      expect(pages.families.length).toBeGreaterThan(9);
      for (const [position, family] of pages.families.entries()) {
        const [first] = pages.each(family);
        if (first === undefined) throw new Error(`${family} has no pages`);
        const { status, page, said } = await read(release, family, first.key);
        expect({ family, status, said, page }).toEqual({ family, status: 0, said: "", page: first.bytes.toString() });
        const before = position * 5;
        const asked = (await published.asked(({ length }) => length >= before + 5)).slice(before);
        // Two workers of nginx write the log, so its lines are not in the order of the requests.
        const ranges = asked.filter(isRange).map((line) => line.split(" ")[2]?.slice(0, 7));
        expect(ranges.toSorted()).toEqual([
          expect.stringMatching(/^bytes=-/),
          expect.stringMatching(/^bytes=\d/),
          expect.stringMatching(/^bytes=\d/),
        ]);
        expect(asked).toHaveLength(3 + 2);
      }
    } finally {
      pages.close();
    }
  });

  test("share-scores page accepts the URL of the current release, and compares the manifest with a given digest", async () => {
    const { manifestDigest } = bundled.receipt;
    const key = "api/rubrics/index.json";
    const current = `${published.address}/published/current/`;
    expect(await read(current, "release", key, manifestDigest)).toMatchObject({ status: 0, said: "" });
    expect(await read(current, "release", key, `sha256:${"0".repeat(64)}`)).toEqual({
      status: 1,
      page: "",
      said: `share-scores: the manifest is of another release: its sha256 is not sha256:${"0".repeat(64)}${ADVICE}\n`,
    });
  });

  test.each([
    ["2.0/record", "r000000000000000000000000"],
    ["2.0/record", "rffffffffffffffffffffffff"],
    ["2.0/author", "nobody"],
    ["3.0/record", "r000000000000000000000000"],
  ])("share-scores page reports that a release has no page in %s with the key %s", async (family, key) => {
    const { status, page, said } = await read(release, family, key);
    expect({ status, page, said }).toEqual({
      status: 1,
      page: "",
      said: `share-scores: the release has no page ${key} in ${family}; docs/packs.md lists the families\n`,
    });
  });

  test("the Python package reads every page of a pack, and computes the root that the receipt states", {
    timeout: PATIENCE,
  }, async () => {
    const { pages: roots = {} } = bundled.receipt.content;
    for (const [family, root] of Object.entries(roots)) {
      const { status, page, said } = await dump(join(bundled.folder, `pages/${family}.zst`));
      expect({ family, status, said, last: page.trimEnd().split("\n").at(-1) }).toEqual({
        family,
        status: 0,
        said: "",
        last: `root ${root}`,
      });
    }
    expect(Object.keys(roots).length).toBeGreaterThan(8);
  });

  test("the Python package reads the example pack of docs/packs.md", async () => {
    const shown = fencedBlocks(readFileSync(join(REPOSITORY, "docs/packs.md"), "utf8"))
      .map((block) => block.text)
      .find((block) => block.startsWith("0000  "));
    const hex = (shown ?? "").split("\n").map((line) => line.slice(6, 54).replaceAll(" ", ""));
    const path = join(folder, "example.zst");
    writeFileSync(path, Buffer.from(hex.join(""), "hex"));
    const line = (key: string, page: string) => `${key} ${hash("sha256", page)}\n`;
    const { page } = await dump(path);
    expect(page).toContain(
      line("r1b2c3d4e5f60718293a4b5c6", '{"rain":12}\n') + line("r9f8e7d6c5b4a39281706f5e4", '{"snow":30}\n'),
    );
  });

  describe("a release split into many packs", () => {
    const KEYS = Array.from({ length: 3000 }, (_, number) => `r${hash("sha256", String(number)).slice(0, 24)}`)
      // One range is empty, as ranges of small families can be.
      .filter((key) => !key.startsWith("r7"))
      .sort();
    const makeText = (key: string) => `${JSON.stringify({ id: key, words: `invented ${key.repeat(3)}` })}\n`;
    let at: string;
    let root: string | undefined;
    let manifestDigest: string;

    beforeAll(async () => {
      at = join(folder, "split");
      const packs = [];
      for (const range of listRanges(16)) {
        const sink = await PackSink.open(at, range, ["2.0/record"]);
        const own = KEYS.filter((key) => key.slice(1) >= range.from && key.slice(1) < range.to);
        for (const key of own) sink.write({ family: "2.0/record", key }, makeText(key));
        packs.push(...sink.finish());
      }
      const { lines, roots } = indexRenderedPages(packs);
      root = roots["2.0/record"];
      manifestDigest = await writeManifest(at, lines);
    });

    test("the first and the last page of a range are found in a release split into many packs", {
      timeout: PATIENCE,
    }, async () => {
      expect(KEYS.filter((key) => key.startsWith("r0")).length).toBeGreaterThan(150);
      const wanted = ["0", "8", "f"].flatMap((digit) => {
        const own = KEYS.filter((key) => key[1] === digit);
        return [own[0] ?? "", own.at(-1) ?? ""];
      });
      for (const key of wanted) {
        const { said, page } = await read(`${published.address}/split`, "2.0/record", key, manifestDigest);
        expect({ said, page }).toEqual({ said: "", page: makeText(key) });
      }
    });

    test("a key in a range without a pack has no page", async () => {
      const { said } = await read(`${published.address}/split`, "2.0/record", `r7${"0".repeat(23)}`, manifestDigest);
      expect(said).toContain("has no page");
    });

    test("the client computes the root digest of a family from the pages of all its packs", async () => {
      const packs = listRanges(16).map(({ name }) => join(at, `pages/2.0/record${name}.zst`));
      const { page } = await dump(...packs.filter((path) => existsSync(path)));
      expect(page.trimEnd().split("\n").at(-1)).toBe(`root ${root}`);
    });
  });

  describe("a damaged pack", () => {
    const KEY = "r1b2c3d4e5f60718293a4b5c6";
    /** Byte offsets of the parts in a pack of one page; a negative offset counts from the end. */
    const PARTS = { frame: 12, leaf: 60, root: -20 } as const;

    test.each([
      ["frame", `the page ${KEY} does not match its sha256`],
      ["leaf", "a part of the index does not match its sha256"],
      ["root", "the index of the pack does not match its sha256"],
    ] as const)("a pack fails verification if a bit of its %s is flipped", async (part, said) => {
      const at = join(folder, `damaged-${part}`);
      mkdirSync(at);
      const sink = await PackSink.open(at, { name: "" }, ["2.0/record"]);
      sink.write({ family: "2.0/record", key: KEY }, '{"rain":12}\n');
      const { lines } = indexRenderedPages(sink.finish());
      const digest = await writeManifest(at, lines);
      const address = `${published.address}/damaged-${part}`;
      expect(await read(address, "2.0/record", KEY, digest)).toEqual({ status: 0, page: '{"rain":12}\n', said: "" });
      const path = join(at, "pages/2.0/record.zst");
      const bytes = readFileSync(path);
      const place = PARTS[part] < 0 ? bytes.length + PARTS[part] : PARTS[part];
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      expect(await read(address, "2.0/record", KEY, digest)).toEqual({
        status: 1,
        page: "",
        said: `share-scores: pages/2.0/record.zst: ${said}${ADVICE}\n`,
      });
    });
  });
});
