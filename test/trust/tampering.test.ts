/**
 * Tests that verification finds every kind of tampering with a signed release and names its place, even if all digests were
 * made to agree.
 */

import { mkdir, readFile, rename, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digestManifest } from "../../pipeline/6-release/index.ts";
import type { PageAddress } from "../../pipeline/packs/format.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { makeSigner, newReleaseKey, signedPayload } from "../../pipeline/store/signatures.ts";
import { verifyFolder } from "../../releases/verify/index.ts";
import { OTHER_CONTRACTS } from "../../schemas/public/rubric.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, firstPage, flipByte, forgePage, repack, resealAs, sealFile } from "../support/forgery.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { everyNth } from "../tiers.ts";
import {
  addMember,
  forgeRows,
  forgeTable,
  forgeText,
  hideFile,
  renameFile,
  respell,
  smuggleFile,
  withHeader,
} from "./forge.ts";
import { at, signedWorld, type World } from "./world.ts";

let world: World;
let digest: string;
/** A page of a record, which tests change. */
let page: PageAddress;
let badge: PageAddress;

const RECORDS = "pages/2.0/record.zst";
const BADGES = "pages/2.0/dataset-badge.zst";

beforeAll(async () => {
  world = await signedWorld(["2026-11-01"], OTHER_CONTRACTS);
  digest = at(world.digests, 0);
  for (const folder of [world.store.raw(""), world.store.work("")]) await rm(folder, { recursive: true, force: true });
  page = await firstPage(world.store.release(digest), "2.0/record");
  badge = await firstPage(world.store.release(digest), "2.0/dataset-badge");
});

afterAll(() => world[Symbol.asyncDispose]());

interface Tampering {
  readonly name: string;
  readonly tamper: (folder: string) => Promise<unknown>;
  /** One of the expected findings: its check, and part of its text. */
  readonly found: () => readonly [check: string, names: string];
  /** True if the signature stays valid, because it does not cover the changed content. */
  readonly signatureHolds?: true;
}

const OTHER = `sha256:${"0".repeat(64)}`;

const OTHER_SCORES = "data/contract-scores/part-0000.parquet";

/** SQL that forges a consistent score under another contract: masks, buckets and total agree with each other. */
const FORGED_SCORE = `update forged set total = 0, s = 0, h = 0, a = 0, r = 0, e = 0, passed_mask = 0
  where id = (select min(id) from forged where total > 0)`;

const FILE_CASES: readonly Tampering[] = [
  {
    name: "a flipped bit in a pack",
    tamper: (f) => flipByte(join(f, RECORDS)),
    found: () => ["changed file", RECORDS],
  },
  {
    name: "a flipped bit in a table",
    tamper: (f) => flipByte(join(f, "data/facets/part-0000.parquet"), 40),
    found: () => ["changed file", "data/facets/part-0000.parquet"],
  },
  { name: "a missing pack", tamper: (f) => unlink(join(f, RECORDS)), found: () => ["missing file", RECORDS] },
  {
    name: "a missing table",
    tamper: (f) => unlink(join(f, "data/scores/part-0000.parquet")),
    found: () => ["missing file", "data/scores/part-0000.parquet"],
  },
  {
    name: "a missing table of another contract",
    tamper: (f) => unlink(join(f, OTHER_SCORES)),
    found: () => ["missing file", OTHER_SCORES],
  },
  { name: "a truncated pack", tamper: (f) => truncate(join(f, BADGES), 9), found: () => ["changed file", BADGES] },
  {
    name: "an unlisted file",
    tamper: (f) => writeFile(join(f, "data/more.csv"), "x"),
    found: () => ["extra file", "data/more.csv"],
  },
  { name: "an empty folder", tamper: (f) => mkdir(join(f, "pages/3.0")), found: () => ["extra file", "pages/3.0/"] },
  {
    name: "a link in place of a pack",
    tamper: async (f) => {
      await unlink(join(f, RECORDS));
      await symlink(join(world.store.release(digest), RECORDS), join(f, RECORDS));
    },
    found: () => ["changed file", `${RECORDS} is not a regular file`],
  },
  {
    name: "a missing manifest",
    tamper: (f) => unlink(join(f, "manifest.ndjson")),
    found: () => ["missing file", "manifest.ndjson"],
  },
];
/** Manifests that a build would not write, and that programs could read in different ways. The receipt agrees with each. */
const MANIFESTS = (
  [
    [
      "a manifest with two lines out of order",
      (lines) => [...lines.slice(1, 2), ...lines.slice(0, 1), ...lines.slice(2)],
    ],
    ["a manifest with a repeated line", (lines) => [...lines.slice(0, 1), ...lines]],
    [
      "a manifest line with a repeated key",
      ([first = "", ...rest]) => [first.replace('{"path"', '{"path":"a","path"'), ...rest],
    ],
    ["a manifest line with an additional space", ([first = "", ...rest]) => [first.replace('":', '": '), ...rest]],
    ["a manifest without a newline at its end", (lines) => lines, ""],
  ] as readonly (readonly [string, (lines: string[]) => string[], string?])[]
).map(
  ([name, edit, end = "\n"]): Tampering => ({
    name,
    async tamper(f) {
      const manifest = join(f, "manifest.ndjson");
      const lines = (await readFile(manifest, "utf8")).trimEnd().split("\n");
      await writeFile(manifest, edit(lines).join("\n") + end);
      const manifestDigest = await digestManifest(manifest);
      await editReceipt(f, (receipt) => ({ ...receipt, manifestDigest }));
    },
    found: () => ["manifest", "invalid, out of order, or not spelled as a build writes it"],
  }),
);

/** Cases of changed files. The signature stays valid, because it covers the manifest, which is unchanged. */
const FILES = FILE_CASES.map((tampering): Tampering => ({ ...tampering, signatureHolds: true }));

const JOINS: readonly Tampering[] = [
  {
    name: "a changed text of an affiliation",
    tamper: (f) => forgeTable(f, "affiliations", `update forged set reported_json = '"Elsewhere"'`),
    found: () => ["invariant", "does not follow from its reported_json"],
  },
  {
    name: "a removed affiliation",
    tamper: (f) => forgeTable(f, "affiliations", "delete from forged where id = (select min(id) from forged)"),
    found: () => ["invariant", "of affiliations and attributions do not match"],
  },
  {
    name: "an added award that the evidence does not count",
    tamper: (f) =>
      forgeTable(f, "funding", "insert into forged (id, place, award_number) select min(id), 9, 'X' from forged"),
    found: () => ["invariant", "funders and awards agree with their counts"],
  },
  {
    name: "a changed year of publication",
    tamper: (f) => forgeTable(f, "records", "update forged set publication_year = publication_year + 1"),
    found: () => ["invariant", "the year is that of the date"],
  },
];

const RECEIPTS: readonly Tampering[] = [
  {
    name: "a receipt that is not JSON",
    tamper: (f) => writeFile(join(f, "release.json"), "{"),
    found: () => ["receipt", "release.json cannot be read"],
    signatureHolds: true,
  },
  {
    name: "a receipt with a repeated field",
    tamper: respell,
    found: () => ["receipt", "not formatted as a build writes it"],
    signatureHolds: true,
  },
  {
    name: "a receipt with an additional field",
    tamper: addMember,
    found: () => ["signature", "does not match this receipt"],
  },
  {
    name: "a receipt with another time of publication",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, publishedAt: "2026-11-01T13:00:00.000Z" })),
    found: () => ["signature", "does not match this receipt"],
  },
  {
    name: "a receipt with another predecessor",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, previousReleaseDigest: OTHER })),
    found: () => ["signature", "does not match this receipt"],
  },
  {
    name: "a receipt with another release digest",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, releaseDigest: OTHER })),
    found: () => ["receipt", `release.json states ${OTHER} for releaseDigest`],
  },
  {
    name: "a receipt with another as-of date",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, asOf: "2026-11-02" })),
    found: () => ["receipt", "release.json states 2026-11-02 for asOf"],
  },
  {
    name: "a receipt with another manifest digest",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, manifestDigest: OTHER })),
    found: () => ["manifest", `the receipt states ${OTHER}`],
  },
  {
    name: "a receipt with wrong counts whose sum is right",
    tamper: (f) =>
      editReceipt(f, ({ coverage, ...receipt }) => ({
        ...receipt,
        coverage: { ...coverage, scored: coverage.scored - 1, failed: coverage.failed + 1 },
      })),
    found: () => ["coverage", "the receipt states"],
  },
  {
    name: "a removed signature",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, signature: null })),
    found: () => ["signature", "is not signed"],
  },
  {
    name: "an invalid signature",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, signature: "signed" })),
    found: () => ["signature", "not readable"],
  },
  {
    name: "a signature without an algorithm",
    tamper: (f) =>
      editReceipt(f, (receipt) => ({ ...receipt, signature: withHeader(receipt.signature, { alg: "none" }) })),
    found: () => ["signature", "does not match this receipt"],
  },
  {
    name: "a signature of another object by the same key",
    tamper: (f) =>
      editReceipt(f, (receipt) => ({ ...receipt, signature: withHeader(receipt.signature, { typ: "JWT" }) })),
    found: () => ["signature", "not readable"],
  },
  {
    name: "a signature with a critical extension",
    tamper: (f) =>
      editReceipt(f, (receipt) => ({
        ...receipt,
        signature: withHeader(receipt.signature, { crit: ["b64"], b64: true }),
      })),
    found: () => ["signature", "not readable"],
  },
  {
    name: "a valid signature by an unknown key",
    async tamper(f) {
      const stranger = await makeSigner(await newReleaseKey());
      const signature = await stranger.sign(signedPayload({ ...(await readReceipt(f)) }), "receipt");
      await editReceipt(f, (receipt) => ({ ...receipt, signature }));
    },
    found: () => ["signature", "not one of those given"],
  },
];

/**
 * Forged scores under another contract. With every digest made to agree, the release digest is no longer the one that the user
 * asked for.
 */
const GIVEN: readonly Tampering[] = [
  {
    name: "a changed row, with a manifest that agrees",
    tamper: (f) => forgeRows(f, "contract-scores", FORGED_SCORE),
    found: () => ["table", "data/contract-scores has the root"],
  },
  {
    name: "a changed row, with every digest made to agree",
    tamper: (f) => forgeTable(f, "contract-scores", FORGED_SCORE),
    found: () => ["receipt", "for releaseDigest"],
  },
];

/**
 * Forged pages and packs, with a manifest and a receipt that agree with them. Their root digests show the forgery without a
 * rebuild.
 */
const PACKED: readonly Tampering[] = [
  {
    name: "a changed page",
    tamper: (f) => forgePage(f, page, (text) => text.replace('"total":', '"total":9')),
    found: () => ["pages", "pages/2.0/record has the root"],
  },
  {
    name: "two pages swapped",
    tamper: (f) =>
      repack(f, page.family, (pages) => {
        const [[one, text] = ["", ""], [other, others] = ["", ""]] = pages;
        pages.set(one, others).set(other, text);
      }),
    found: () => ["pages", "pages/2.0/record has the root"],
  },
  {
    name: "a removed badge",
    tamper: (f) => repack(f, badge.family, (pages) => pages.delete(badge.key)),
    found: () => ["pages", "pages/2.0/dataset-badge has the root"],
  },
  {
    name: "an added page of an unknown researcher",
    tamper: (f) => repack(f, "2.0/author", (pages) => pages.set("endorsed", "{}\n")),
    found: () => ["pages", "pages/2.0/author has the root"],
  },
  {
    name: "a removed pack",
    tamper: (f) => hideFile(f, BADGES),
    found: () => ["pages", "pages/2.0/dataset-badge has the root"],
  },
  {
    name: "an additional pack of a version that the release does not have",
    tamper: async (f) => smuggleFile(f, "pages/3.0/record.zst", await readFile(join(f, RECORDS))),
    found: () => ["pages", "pages/3.0/record has the root"],
  },
  {
    name: "an additional pack of a range",
    tamper: async (f) => smuggleFile(f, "pages/2.0/record.0.zst", await readFile(join(f, RECORDS))),
    found: () => ["page", "has other ranges than the packs beside it"],
  },
  ...["data/contracts.json", "data/history.json", "croissant.json", "data/diff.json"].map(
    (path): Tampering => ({
      name: `a name twice in ${path}`,
      tamper: (f) => forgeText(f, path, (text) => text.replace(/"(\w+)":/, '"$1": 1, "$1":')),
      found: () => ["repeated name", `${path}:`],
    }),
  ),
  {
    name: "a renamed pack",
    tamper: (f) => renameFile(f, RECORDS, "pages/2.0/record.0.zst"),
    found: () => ["page", "belongs in another pack"],
  },
  {
    name: "a pack replaced by a copy of another",
    tamper: async (f) => {
      await writeFile(join(f, "pages/1.0/record.zst"), await readFile(join(f, RECORDS)));
      await sealFile(f, "pages/1.0/record.zst");
    },
    found: () => ["pages", "pages/1.0/record has the root"],
  },
  {
    name: "a pack with bytes that its index does not list",
    tamper: async (f) => {
      const pack = await readFile(join(f, RECORDS));
      const skipped = Buffer.from("5e2a4d1803000000616263", "hex");
      await writeFile(join(f, RECORDS), Buffer.concat([skipped, pack]));
      await sealFile(f, RECORDS);
    },
    found: () => ["page", `${RECORDS}: `],
  },
];

/**
 * Changes of tables that keep all invariants, so that only a rebuild finds them, and the beginning of the first wrong row's
 * key.
 */
const TABLES: readonly (readonly [table: string, statement: string, row: string])[] = [
  [
    "scores",
    `update forged set total = 0, s = 0, h = 0, a = 0, r = 0, e = 0, passed_mask = 0
     where rubric = '2.0' and id = (select min(id) from forged where rubric = '2.0' and total > 0)`,
    "id r",
  ],
  ["contract-scores", FORGED_SCORE, "id r"],
  ["metrics", "update forged set mean_score = 99 where rubric = '2.0'", "rubric 2.0"],
  ["researchers", "delete from forged where name = (select min(name) from forged)", "rubric 1.0, id a"],
  ["researcher-datasets", "update forged set place = place + 1 where place = 1", "rubric 1.0, researcher_id a"],
  ["repositories", "update forged set record_count = 7", "rubric 1.0, repository Zenodo"],
  ["repository-sources", "update forged set record_count = 7", "rubric 1.0, repository Zenodo"],
  ["institutions", "update forged set mean_score = 1 where rubric = '1.0'", "rubric 1.0, id"],
  [
    "geography",
    "update forged set country_code = 'ATA' where country_code = (select min(country_code) from forged)",
    "rubric 1.0, country_code ATA",
  ],
  ["search", "delete from forged where term = (select min(term) from forged)", "term"],
  ["attributions", "update forged set researcher_id = 'a000000000000000000000000'", "id r"],
];

test("a rebuild names the first row of each forged table and each forged page, even though every digest agrees", async () => {
  await using copy = await temporaryStore(world.store);
  const folder = copy.store.release(digest);
  for (const [table, statement] of TABLES) await forgeRows(folder, table, statement);
  await repack(folder, badge.family, (pages) => pages.delete(badge.key));
  await repack(folder, "2.0/researcher-badge", (pages) => pages.set("endorsed", "<svg/>"));
  await forgePage(folder, await firstPage(folder, "2.0/repository-badge"), (text) => text.replace("SHARE", "FAKE"));
  await resealAs(folder);
  const findings = await listFindings(await renamed(copy.folder, folder), null, true);
  const expected = [
    ...TABLES.map(([table, , row]) => `data/${table}: the row of ${row}`),
    `2.0/dataset-badge/${badge.key} is in the rebuild, but not in the release`,
    "2.0/researcher-badge/endorsed is not in the rebuild",
    "2.0/repository-badge/",
  ];
  for (const detail of expected) {
    expect(findings).toContainEqual({ check: "rebuild", detail: expect.stringContaining(detail) });
  }
}, 300_000);

describe("forged tables", () => {
  test.each([
    [
      "a removed score under another contract",
      "contract-scores",
      "delete from forged where id = (select min(id) from forged)",
      ["invariant", "the evidence of every record is scored once under each version"],
    ],
    [
      "scores under a contract that the receipt does not list",
      "contract-scores",
      "insert into forged select * replace ('9.9.9' as contract) from forged",
      ["score", "data/contract-scores has scores under 2.0.0-beta.1, 9.9.9"],
    ],
    [
      "a changed text of an institution",
      "institutions",
      `update forged set reported_json = '"Elsewhere"'`,
      ["invariant", "does not follow from its reported_json"],
    ],
  ] as const)(
    "a forged table with digests that all agree is found without a rebuild: %s",
    async (_, table, statement, [check, detail]) => {
      await using copy = await temporaryStore(world.store);
      const folder = copy.store.release(digest);
      await forgeTable(folder, table, statement);
      const findings = await listFindings(await renamed(copy.folder, folder), null);
      expect(findings).toContainEqual({ check, detail: expect.stringContaining(detail) });
    },
  );
});

for (const [title, table] of [
  ["files", FILES],
  ["affiliations, funding and years", JOINS],
  ["the manifest", MANIFESTS],
  ["the receipt", RECEIPTS],
  ["scores under another contract, verified with the known digest", GIVEN],
  ["pages, with a new manifest and receipt", PACKED],
] as const) {
  describe(`tampering with ${title}`, () => {
    for (const tampering of everyNth(table, 2)) {
      test(`verification finds ${tampering.name}`, async () => {
        await using copy = await temporaryStore(world.store);
        const folder = copy.store.release(digest);
        await tampering.tamper(folder);
        const findings = await listFindings(folder, digest);
        const [check, names] = tampering.found();
        expect(findings).toContainEqual({ check, detail: expect.stringContaining(names) });
        const signed = findings.every((finding) => finding.check !== "signature");
        expect(signed).toBe(tampering.signatureHolds ?? false);
      });
    }
  });
}

test("a genuine release passes verification with a rebuild", async () => {
  expect(await listFindings(world.store.release(digest), digest, true)).toEqual([]);
});

/**
 * Renames the folder of a release to `download`, because downloaded folders have no digest in their names. Returns the new
 * path.
 */
async function renamed(beside: string, folder: string): Promise<string> {
  await rename(folder, join(beside, "download"));
  return join(beside, "download");
}

async function listFindings(folder: string, wanted: string | null, isRebuilt = false) {
  const rebuild = isRebuilt ? ({ from: "tables" } as const) : null;
  const options = { threads: 2, memory: "512MB", rebuild, keys: world.keys, predecessors: world.store };
  return (await verifyFolder(folder, wanted, options, recordedEffects()))?.findings ?? [];
}
