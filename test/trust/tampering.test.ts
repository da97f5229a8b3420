/** Every kind of tampering with a signed release is found and named, also where all digests were made to agree with it. */

import { mkdir, rename, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyFolder } from "../../operations/verify/index.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { newReleaseKey } from "../../pipeline/store/signing/keys.ts";
import { receiptPayload } from "../../pipeline/store/signing/receipt-payload.ts";
import { signerOf } from "../../pipeline/store/signing/sign.ts";
import { recordedEffects } from "../support/effects.ts";
import { editReceipt, flipByte } from "../support/forgery.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { pathsIn } from "../support/tree.ts";
import { addMember, forgeTable, forgeText, hideFile, respell, smuggleFile, withHeader } from "./forge.ts";
import { at, signedWorld, type World } from "./world.ts";

let world: World;
let digest: string;
/** A record page and a badge. */
let page: string;
let badge: string;

beforeAll(async () => {
  world = await signedWorld(["2026-11-01"]);
  digest = at(world.digests, 0);
  for (const folder of [world.store.raw(""), world.store.work("")]) await rm(folder, { recursive: true, force: true });
  const paths = await pathsIn(world.store.release(digest));
  page = at(
    paths.filter((path) => /^api\/2\.0\/records\/.+\/r[0-9a-f]{24}\.json$/.test(path)),
    0,
  );
  badge = at(
    paths.filter((path) => /^widgets\/datasets\/.+\.svg$/.test(path)),
    0,
  );
});

afterAll(() => world[Symbol.asyncDispose]());

interface Tampering {
  readonly name: string;
  readonly tamper: (folder: string) => Promise<unknown>;
  /** Among the findings is one of this check that names this. */
  readonly found: () => readonly [check: string, names: string];
  /** Everything recomputed: only that can find it where all digests agree. */
  readonly rescore?: true;
  /** True where the signature does not tell: what it covers is untouched. */
  readonly signatureHolds?: true;
}

const OTHER = `sha256:${"0".repeat(64)}`;

const FILE_CASES: readonly Tampering[] = [
  { name: "a flipped bit in a page", tamper: (f) => flipByte(join(f, page)), found: () => ["changed file", page] },
  {
    name: "a flipped bit in a table",
    tamper: (f) => flipByte(join(f, "data/facets/part-0000.parquet"), 40),
    found: () => ["changed file", "data/facets/part-0000.parquet"],
  },
  { name: "a page that is gone", tamper: (f) => unlink(join(f, page)), found: () => ["missing file", page] },
  {
    name: "a table that is gone",
    tamper: (f) => unlink(join(f, "data/scores/part-0000.parquet")),
    found: () => ["missing file", "data/scores/part-0000.parquet"],
  },
  { name: "a badge cut short", tamper: (f) => truncate(join(f, badge), 9), found: () => ["changed file", badge] },
  {
    name: "a file nobody lists",
    tamper: (f) => writeFile(join(f, "data/more.csv"), "x"),
    found: () => ["extra file", "data/more.csv"],
  },
  { name: "an empty folder", tamper: (f) => mkdir(join(f, "api/3.0")), found: () => ["extra file", "api/3.0/"] },
  {
    name: "a link in place of a page",
    tamper: async (f) => {
      await unlink(join(f, page));
      await symlink(join(world.store.release(digest), page), join(f, page));
    },
    found: () => ["changed file", `${page} is no regular file`],
  },
  {
    name: "a manifest that is gone",
    tamper: (f) => unlink(join(f, "manifest.ndjson")),
    found: () => ["missing file", "manifest.ndjson"],
  },
];
/** The signature covers the manifest, and by it what the files should be. */
const FILES = FILE_CASES.map((tampering): Tampering => ({ ...tampering, signatureHolds: true }));

const RECEIPTS: readonly Tampering[] = [
  {
    name: "no JSON",
    tamper: (f) => writeFile(join(f, "release.json"), "{"),
    found: () => ["receipt", "release.json cannot be read"],
    signatureHolds: true,
  },
  {
    name: "a member twice, the second as it was",
    tamper: respell,
    found: () => ["receipt", "not spelled as it was written"],
    signatureHolds: true,
  },
  { name: "a member more", tamper: addMember, found: () => ["signature", "is not of this receipt"] },
  {
    name: "another time of publication",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, publishedAt: "2026-11-01T13:00:00.000Z" })),
    found: () => ["signature", "is not of this receipt"],
  },
  {
    name: "another predecessor",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, previousReleaseDigest: OTHER })),
    found: () => ["signature", "is not of this receipt"],
  },
  {
    name: "another release digest",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, releaseDigest: OTHER })),
    found: () => ["receipt", `release.json says ${OTHER} for releaseDigest`],
  },
  {
    name: "another as-of date",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, asOf: "2026-11-02" })),
    found: () => ["receipt", "release.json says 2026-11-02 for asOf"],
  },
  {
    name: "another manifest digest",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, manifestDigest: OTHER })),
    found: () => ["manifest", `the receipt says ${OTHER}`],
  },
  {
    name: "counts that reconcile and are not so",
    tamper: (f) =>
      editReceipt(f, ({ coverage, ...receipt }) => ({
        ...receipt,
        coverage: { ...coverage, scored: coverage.scored - 1, failed: coverage.failed + 1 },
      })),
    found: () => ["coverage", "the receipt says"],
  },
  {
    name: "no signature",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, signature: null })),
    found: () => ["signature", "is not signed"],
  },
  {
    name: "a signature that is none",
    tamper: (f) => editReceipt(f, (receipt) => ({ ...receipt, signature: "signed" })),
    found: () => ["signature", "cannot be read"],
  },
  {
    name: "a signature that asks for no algorithm",
    tamper: (f) =>
      editReceipt(f, (receipt) => ({ ...receipt, signature: withHeader(receipt.signature, { alg: "none" }) })),
    found: () => ["signature", "is not of this receipt"],
  },
  {
    name: "the signature of something else by the same key",
    tamper: (f) =>
      editReceipt(f, (receipt) => ({ ...receipt, signature: withHeader(receipt.signature, { typ: "JWT" }) })),
    found: () => ["signature", "cannot be read"],
  },
  {
    name: "a good signature by a key nobody trusts",
    async tamper(f) {
      const stranger = await signerOf(await newReleaseKey());
      const signature = await stranger.sign(receiptPayload({ ...(await readReceipt(f)) }));
      await editReceipt(f, (receipt) => ({ ...receipt, signature }));
    },
    found: () => ["signature", "none of those given"],
  },
];

const SEALED_CASES: readonly Tampering[] = [
  {
    name: "a page",
    tamper: (f) => forgeText(f, page, (text) => text.replace('"total":', '"total":9')),
    found: () => ["page", `${page} is not what the tables give`],
  },
  { name: "a page taken away", tamper: (f) => hideFile(f, badge), found: () => ["page", `${badge} should be there`] },
  {
    name: "a page of nobody",
    tamper: (f) => smuggleFile(f, "widgets/endorsed.svg", "<svg/>"),
    found: () => ["page", "widgets/endorsed.svg is a page of nothing"],
  },
  {
    name: "the history it carries",
    tamper: (f) =>
      forgeText(f, "data/history.json", (text) => text.replace(/"totalRecords": (\d+)/, '"totalRecords": 9$1')),
    found: () => ["page", "data/history.json is not what the tables give"],
  },
  {
    name: "a CSV file",
    tamper: (f) => forgeText(f, "data/researchers.csv.gz", (text) => text.replace(/\n2\.0,/, "\n1.0,")),
    found: () => ["csv", "data/researchers.csv.gz does not hold the rows"],
  },
  {
    name: "a score, with masks that agree",
    tamper: (f) =>
      forgeTable(
        f,
        "scores",
        `update forged set total = 0, s = 0, h = 0, a = 0, r = 0, e = 0, passed_mask = 0
         where rubric = '2.0' and id = (select min(id) from forged where rubric = '2.0' and total > 0)`,
      ),
    found: () => ["score", "under 2.0 is not what its evidence gives"],
  },
  ...(
    [
      ["a mean of metrics", "metrics", "update forged set mean_score = 99 where rubric = '2.0'", "rubric 2.0"],
      [
        "an S-Index",
        "researchers",
        "update forged set s_index = dataset_count where s_index < dataset_count",
        "rubric",
      ],
      [
        "a researcher taken away",
        "researchers",
        "delete from forged where name = (select min(name) from forged)",
        "rubric 1.0, id a",
      ],
      [
        "a best dataset",
        "researcher-datasets",
        "update forged set place = place + 1 where place = 1",
        "rubric 1.0, researcher_id a",
      ],
      ["a repository's count", "repositories", "update forged set record_count = 7", "rubric 1.0, repository Zenodo"],
      [
        "an institution's mean",
        "institutions",
        "update forged set mean_score = 1 where rubric = '1.0'",
        "rubric 1.0, id",
      ],
      [
        "a country that is none of theirs",
        "geography",
        "update forged set country_code = 'ATA' where country_code = (select min(country_code) from forged)",
        "rubric 1.0, country_code ATA",
      ],
      ["a search term", "search", "delete from forged where term = (select min(term) from forged)", "term"],
      [
        "whose affiliation it is",
        "attributions",
        "update forged set researcher_id = 'a000000000000000000000000'",
        "id r",
      ],
    ] as const
  ).map(
    ([name, table, statement, names]): Tampering => ({
      name,
      tamper: (f) => forgeTable(f, table, statement),
      found: () => ["aggregate", `data/${table}.parquet: the row of ${names}`],
    }),
  ),
];
const SEALED = SEALED_CASES.map((tampering): Tampering => ({ ...tampering, rescore: true }));

for (const [title, table] of [
  ["files", FILES],
  ["the receipt", RECEIPTS],
  ["tables and pages, with every digest made anew", SEALED],
] as const) {
  describe(`${title}:`, () => {
    for (const tampering of table) {
      test(tampering.name, async () => {
        await using copy = await temporaryStore(world.store);
        const folder = copy.store.release(digest);
        await tampering.tamper(folder);
        // What was resealed goes by another digest: a stranger who was given that one verifies it.
        const wanted = tampering.rescore ? null : digest;
        const findings = await findingsOf(
          tampering.rescore ? await renamed(copy.folder, folder) : folder,
          wanted,
          tampering.rescore,
        );
        const [check, names] = tampering.found();
        expect(findings).toContainEqual({ check, detail: expect.stringContaining(names) });
        const signed = findings.every((finding) => finding.check !== "signature");
        expect(signed).toBe(tampering.signatureHolds ?? false);
      });
    }
  });
}

test("a release that nobody tampered with holds, everything recomputed", async () => {
  expect(await findingsOf(world.store.release(digest), digest, true)).toEqual([]);
});

/** A copy under a name that tells no digest, as downloads have. */
async function renamed(beside: string, folder: string): Promise<string> {
  await rename(folder, join(beside, "download"));
  return join(beside, "download");
}

async function findingsOf(folder: string, wanted: string | null, rescore = false) {
  const options = { threads: 2, memory: "512MB", rescore, keys: world.keys };
  return (await verifyFolder(folder, wanted, options, recordedEffects()))?.findings ?? [];
}
