/**
 * Tests that the diff of two releases names the cause of every change. Their two corpora differ by one planted change of each
 * kind.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readerImpactText } from "../../cli/terminal/release-text.ts";
import { compare, type ReleaseSide, readSide, streamChanges } from "../../pipeline/diff/compare.ts";
import { readerImpact } from "../../pipeline/diff/reader-impact.ts";
import { RULE_FILES, type Rules, RulesDamaged, RulesUnreadable, readReleaseRules } from "../../pipeline/diff/rules.ts";
import { summarise } from "../../pipeline/diff/summary.ts";
import { ONLY_PART, openDuckDB, partsIn, quote } from "../../pipeline/engine/open.ts";
import {
  DIFF_FILE,
  DIFF_TABLES,
  movedText,
  type RecordChange,
  type ReleaseDiff,
  releaseDiff,
} from "../../schemas/public/api/diff.ts";
import { html } from "../../web/html.ts";
import { movementSections } from "../../web/report/movement.ts";
import { movementView } from "../../web/views/movement.ts";
import { runHosted } from "../support/command-host.ts";
import { jsonLines } from "../support/command-line.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { DAYS, type GoldenPair, goldenPair, IDS } from "./golden-pair.ts";
import { rejudged, withoutSignal, withRule } from "./rejudged.ts";

/**
 * Returns the release with one changed table. `select` is SQL that reads the table under its own name and returns the changed
 * rows.
 */
async function altered(side: ReleaseSide, table: string, select: string, folder: string): Promise<ReleaseSide> {
  const path = join(folder, table);
  await mkdir(path, { recursive: true });
  const db = await openDuckDB({ threads: 1, memory: "128MB" });
  try {
    await db.run(`create view ${table} as select * from read_parquet(${quote(partsIn(side.tables[table] ?? ""))})`);
    await db.run(`copy (${select}) to ${quote(join(path, ONLY_PART))} (format parquet)`);
  } finally {
    db.close();
  }
  return { ...side, tables: { ...side.tables, [table]: path } };
}

let pair: GoldenPair;
let folder: string;
let before: ReleaseSide;
let after: ReleaseSide;
let diff: ReleaseDiff;
let records: RecordChange[];

beforeAll(async () => {
  pair = await goldenPair();
  folder = pair.store.release(pair.after.releaseDigest);
  before = await readSide(pair.store.release(pair.before.releaseDigest), pair.before);
  after = await readSide(folder, pair.after);
  diff = releaseDiff.parse(JSON.parse(await readFile(join(folder, DIFF_FILE), "utf8")));
  records = (await listChanges(before, after)).records;
}, 300_000);

afterAll(() => pair[Symbol.asyncDispose]());

async function listChanges(one: ReleaseSide, other: ReleaseSide) {
  const comparison = await compare(one, other, { threads: 1, memory: "256MB" });
  try {
    const found: RecordChange[] = [];
    for await (const record of streamChanges(comparison.db)) found.push(record);
    return { records: found, diff: await summarise(comparison, one, other, []) };
  } finally {
    comparison.db.close();
  }
}

interface Telling {
  readonly kind: string;
  readonly reason: string | null;
  readonly totals: readonly (number | null)[];
  readonly signals: readonly string[];
}

/**
 * Summarises the change of a record: the totals, and each changed signal as "S2 metadata absent>passed 4" (id, cause, states,
 * points). Null if the record did not change.
 */
function told(found: readonly RecordChange[], id: string, rubric: string): Telling | null {
  const record = found.find((entry) => entry.id === id && entry.rubric === rubric);
  if (record === undefined) return null;
  const signals = record.signals.map(
    (change) => `${change.signal} ${change.cause} ${change.before}>${change.after} ${change.points}`,
  );
  return { kind: record.kind, reason: record.reason, totals: [record.totalBefore, record.totalAfter], signals };
}

const MOVED = (totals: [number | null, number | null], ...signals: string[]) => ({
  kind: "moved",
  reason: null,
  totals,
  signals,
});
const WENT = (reason: string, total: number | null) => ({
  kind: "removed",
  reason,
  totals: [total, null],
  signals: [],
});

const PLANTED: readonly { name: keyof typeof IDS; rubric: "2.0" | "1.0"; is: Telling | null }[] = [
  { name: "same", rubric: "2.0", is: null },
  { name: "same", rubric: "1.0", is: null },
  { name: "metadata", rubric: "2.0", is: MOVED([24, 28], "S2 metadata absent>passed 4") },
  { name: "metadata", rubric: "1.0", is: null },
  { name: "embargo", rubric: "2.0", is: null },
  { name: "embargo", rubric: "1.0", is: MOVED([24, 28], "A4 as_of absent>passed 4") },
  // The payload changed as well, but only the as-of date ended the embargo, so `as_of` is the cause under 1.0.
  { name: "embargoAndKeywords", rubric: "2.0", is: MOVED([20, 24], "S2 metadata absent>passed 4") },
  { name: "embargoAndKeywords", rubric: "1.0", is: MOVED([24, 28], "A4 as_of absent>passed 4") },
  {
    name: "noStatistics",
    rubric: "1.0",
    is: MOVED(
      [28, 20],
      "S1 source absent>source_missing 0",
      "S2 source absent>source_missing 0",
      "R1 source passed>source_missing -4",
      "R2 source passed>source_missing -4",
    ),
  },
  {
    name: "unreadable",
    rubric: "2.0",
    is: MOVED([24, 20], "S1 metadata passed>failed -4", "S2 metadata absent>failed 0"),
  },
  { name: "broken", rubric: "1.0", is: MOVED([28, 24], "H2 metadata passed>failed -4") },
  // A view is observed use: it changes a signal of 1.0 and no signal of 2.0.
  { name: "viewed", rubric: "2.0", is: null },
  { name: "viewed", rubric: "1.0", is: MOVED([24, 28], "R1 observed_use absent>passed 4") },
  { name: "cited", rubric: "2.0", is: null },
  { name: "added", rubric: "2.0", is: { kind: "added", reason: "new", totals: [null, 28], signals: [] } },
  { name: "tombstone", rubric: "2.0", is: WENT("tombstone", 24) },
  { name: "lost", rubric: "1.0", is: WENT("lost", 28) },
  { name: "trial", rubric: "2.0", is: WENT("source_gone", null) },
];

describe("planted changes", () => {
  test.each(PLANTED)("the diff finds the planted change $name under $rubric", ({ name, rubric, is }) => {
    expect(told(records, IDS[name], rubric)).toEqual(is);
  });

  test("the diff follows a dataset that one source no longer lists to its record from another source", () => {
    const found = records.filter(({ id, rubric }) => id === IDS.speaker && rubric === "2.0");
    expect(found).toMatchObject([
      { kind: "moved", previousId: IDS.silent, source: "datacite", previousSource: "zenodo", causes: ["source"] },
    ]);
    expect(records.filter(({ id }) => id === IDS.silent)).toEqual([]);
  });

  test("the diff contains only planted changes", () => {
    const planted = new Set(Object.values(IDS));
    expect(records.filter(({ id }) => !planted.has(id))).toEqual([]);
  });
});

describe("rules of releases", () => {
  const cases: readonly { name: string; change: (rules: Rules) => Rules; cause: string; moved: string }[] = [
    {
      name: "a pledge that now supports one more signal",
      change: (rules) => withoutSignal(rules, "zenodo", "2.0.0-beta.2", "S1"),
      cause: "pledge",
      moved: "S1 pledge unsupported>passed 4",
    },
    {
      name: "a contract that now requires less for one signal",
      change: (rules) => withRule(rules, "2.0.0-beta.2", "S1", "keyword_count >= 2"),
      cause: "contract",
      moved: "S1 contract absent>passed 4",
    },
  ];

  test.each(cases)(
    "the rules of the earlier release show that the cause is $name",
    async ({ change, cause, moved }) => {
      await using bench = await temporaryStore();
      if (before.rules === null) throw new Error("the release has no rules");
      const earlier = await rejudged(before, change(before.rules), bench.folder);
      const { records: found } = await listChanges(earlier, after);
      expect(told(found, IDS.same, "2.0")).toEqual(MOVED([20, 24], moved));
      expect(told(found, IDS.metadata, "2.0")?.signals).toEqual(
        // Under the old contract, four keywords would have passed as well, so the new keywords in the metadata are the cause.
        cause === "contract"
          ? ["S1 metadata absent>passed 4", "S2 metadata absent>passed 4"]
          : ["S1 pledge unsupported>passed 4", "S2 metadata absent>passed 4"],
      );
      expect(told(found, IDS.embargo, "1.0")).toEqual(MOVED([24, 28], "A4 as_of absent>passed 4"));
    },
  );

  test("every cause is unknown if the rules of the earlier release are missing, because no score can then be computed again", async () => {
    const { records: found, diff: unknown } = await listChanges({ ...before, rules: null }, after);
    expect(unknown.attributed).toBe(false);
    expect(told(found, IDS.metadata, "2.0")).toEqual(MOVED([24, 28], "S2 unknown absent>passed 4"));
    expect(new Set(found.flatMap(({ causes }) => causes))).toEqual(new Set(["unknown"]));
  });

  test("the rules of the earlier release are rejected if the digest of a pledge differs from the one in the receipt", async () => {
    const inputs = { ...pair.after.content.inputs, "pledge zenodo": `sha256:${"0".repeat(64)}` };
    const edited = { ...pair.after, content: { ...pair.after.content, inputs } };
    await expect(readReleaseRules(folder, edited)).rejects.toThrow(RulesDamaged);
    expect((await readReleaseRules(folder, pair.after))?.contracts.size).toBe(3);
  });

  test("the rules of the earlier release can contain additional contracts, and are rejected if a contract has an unknown field", async () => {
    await using at = await temporaryStore();
    const { contracts, pledges } = RULE_FILES;
    const write = async (path: string, change: (entries: Record<string, object>) => object) => {
      await mkdir(dirname(join(at.folder, path)), { recursive: true });
      await writeFile(
        join(at.folder, path),
        JSON.stringify(change(JSON.parse(await readFile(join(folder, path), "utf8")))),
      );
    };
    await write(contracts, (entries) => ({ ...entries, "9.0.0": { ...entries["1.0.0"], contract: "9.0.0" } }));
    await write(pledges, (entries) => entries);
    expect((await readReleaseRules(at.folder, pair.after))?.contracts.get("9.0.0")?.signals).toHaveLength(25);
    await write(contracts, (entries) => ({ ...entries, "9.0.0": { ...entries["1.0.0"], weights: [] } }));
    await expect(readReleaseRules(at.folder, pair.after)).rejects.toThrow(RulesUnreadable);
  });
});

describe("versions of readers", () => {
  /**
   * Returns the earlier release as if the reader of Zenodo had had another version, which found more keywords in an unchanged
   * payload.
   */
  async function readOtherwise(folder: string, digest: string | null): Promise<ReleaseSide> {
    if (before.rules === null) throw new Error("the release has no rules");
    const select = `select * replace (case when id = '${IDS.same}' then 4 else keyword_count end as keyword_count) from evidence`;
    const side = await rejudged(await altered(before, "evidence", select, folder), before.rules, folder);
    const sources = side.receipt.sources.map(({ reader, ...source }) => {
      const earlier = { version: (reader?.version ?? 1) + 1, digest: digest ?? reader?.digest ?? "" };
      return { ...source, reader: source.source === "zenodo" && digest !== null ? earlier : reader };
    });
    return { ...side, receipt: { ...side.receipt, sources } };
  }
  const OTHER = `sha256:${"0".repeat(64)}`;
  const version = () => after.receipt.sources.find(({ source }) => source === "zenodo")?.reader?.version ?? 0;
  const inWords = () => `version ${version() + 1} → ${version()}`;

  test("a new version of a source's reader is the cause of a change if the payload stayed the same, and of no other change", async () => {
    await using bench = await temporaryStore();
    const { records: found, diff: told } = await listChanges(await readOtherwise(bench.folder, OTHER), after);
    const same = found.filter(({ id, rubric }) => id === IDS.same && rubric === "2.0");
    expect(same).toMatchObject([{ causes: ["reading"], points: -4 }]);
    expect(same[0]?.signals).toEqual([
      { signal: "S2", cause: "reading", before: "passed", after: "absent", points: -4 },
    ]);
    const others = found.filter(({ id }) => id !== IDS.same);
    expect(others.length).toBeGreaterThan(0);
    // Only the as-of date changed these records, whichever version of the reader is used.
    expect(others.filter(({ id }) => id === IDS.embargo).flatMap(({ causes }) => causes)).toEqual(
      expect.arrayContaining(["as_of"]),
    );
    expect(others.flatMap(({ causes }) => causes)).not.toContain("reading");
    expect(told.readers).toMatchObject([
      { source: "zenodo", before: { version: version() + 1, digest: OTHER }, after: { version: version() } },
    ]);
  });

  test("the as-of date is the cause of a change if both releases have the same version of the reader", async () => {
    await using bench = await temporaryStore();
    const { records: found, diff: told } = await listChanges(await readOtherwise(bench.folder, null), after);
    expect(found.filter(({ id, rubric }) => id === IDS.same && rubric === "2.0")).toMatchObject([
      { causes: ["as_of"] },
    ]);
    expect(told.readers).toEqual([]);
  });

  test("a new version of a source's reader is reported with its effect by source, by signal and by record", async () => {
    await using bench = await temporaryStore();
    const impact = await readerImpact(await readOtherwise(bench.folder, OTHER), after, { threads: 1 });
    expect(impact).toMatchObject({
      from: pair.before.releaseDigest,
      readers: [{ source: "zenodo" }],
      largest: [{ id: IDS.same, rubric: "2.0" }],
    });
    expect(impact.sources.filter(({ rubric }) => rubric === "2.0")).toEqual([
      {
        rubric: "2.0",
        source: "zenodo",
        records: 1,
        gained: 0,
        lost: 4,
        signals: [{ signal: "S2", records: 1, points: -4 }],
      },
    ]);
    const words = readerImpactText(impact, after.receipt.releaseDigest);
    expect(words).toContain(`zenodo: ${inWords()}`);
    expect(words).toContain("zenodo under 2.0: 1 record changed, +0 −4 points");
    expect(await readerImpact(before, after, { threads: 1 })).toMatchObject({ readers: [], sources: [], largest: [] });
  });

  test("a new version of a source's reader is mentioned in the report and on the page of the release", async () => {
    await using bench = await temporaryStore();
    const { diff: told } = await listChanges(await readOtherwise(bench.folder, OTHER), after);
    const renderPage = (shown: typeof diff) => {
      const receipt = { ...after.receipt, publishedAt: `${DAYS.after}T00:00:00.000Z` };
      const contents = { receipt, citation: "", files: [] };
      return html`${movementView({ contents, diff: shown, digest: "sha256-0", retraction: null, sources: new Map(), origin: "" }).body}`
        .text;
    };
    expect(renderPage(told)).toContain(inWords());
    expect(movementSections({ diff: told, sources: new Map(), sourceMeans: [] })?.text).toContain(inWords());
    expect(renderPage(diff)).not.toContain("with other code or word lists");
    expect(movementSections({ diff, sources: new Map(), sourceMeans: [] })?.text).not.toContain(
      "with other code or word lists",
    );
  });
});

test.each([
  { figures: { moved: 192, up: 98, down: 74 }, text: "98 up, 74 down, 20 with other signals but no change in points" },
  { figures: { moved: 1, up: 1, down: 0 }, text: "1 up, 0 down" },
])("the text of a diff counts records that gained, lost or kept their points: $text", ({ figures, text }) => {
  expect(movedText(figures)).toBe(text);
});

test("the diff shows a new citation as a change in observed use, and not in the metadata", () => {
  const [cited] = records.filter(({ id, rubric }) => id === IDS.cited && rubric === "1.0");
  expect(cited).toMatchObject({ causes: ["observed_use"], points: 4, statusBefore: "scored", statusAfter: "scored" });
  expect(cited?.signals.map(({ signal, cause }) => [signal, cause])).toEqual([["R3", "observed_use"]]);
});

describe("changes of researchers", () => {
  test("the diff of researchers shows a researcher's first citation in S-Impact, and also in the S-Index under 1.0, where it is a signal", () => {
    const cited = diff.researchers.filter(({ sImpactAfter, sImpactBefore }) => sImpactAfter !== sImpactBefore);
    const moved = { name: "Quill, Hester", sImpactBefore: 0, sImpactAfter: 1, sIndexBefore: 0 };
    expect(cited).toMatchObject([
      { ...moved, rubric: "2.0", sIndexAfter: 0 },
      { ...moved, rubric: "1.0", sIndexAfter: 1 },
    ]);
    const [current] = diff.rubrics.filter(({ rubric }) => rubric === "2.0");
    expect(current?.researchers).toMatchObject({ sImpactUp: 1, sImpactDown: 0 });
  });

  test("the diff of researchers reports a researcher whose S-Impact alone changed", async () => {
    await using bench = await temporaryStore();
    const one = "rubric = '2.0' and id = (select min(id) from researcher where rubric = '2.0')";
    const select = `select * replace (case when ${one} then cast(7 as integer) else s_impact end as s_impact) from researcher`;
    const { diff: found } = await listChanges(await altered(after, "researcher", select, bench.folder), after);
    expect(found.researchers).toMatchObject([{ rubric: "2.0", sImpactBefore: 7 }]);
    expect(found.rubrics[0]?.researchers).toMatchObject({ up: 0, sImpactUp: 0, sImpactDown: 1 });
  });

  test("the diff of researchers ignores the columns `tier` and `quadrant`, which only releases of an earlier program have", async () => {
    await using bench = await temporaryStore();
    const select = "select *, 'early' as tier, 'low_sharing_low_impact' as quadrant from researcher";
    const { diff: found } = await listChanges(await altered(after, "researcher", select, bench.folder), after);
    expect(found.researchers).toEqual([]);
  });
});

describe("older releases", () => {
  test("a release from before the minimum of five judged signals has a total for every record, and `policy` is the cause if the new release has none", async () => {
    await using bench = await temporaryStore();
    const select = `select * exclude (status, total), cast(4 * bit_count(passed_mask) as integer) as total from score`;
    const earlier = await altered(after, "score", select, bench.folder);
    const { records: found } = await listChanges(earlier, after);
    expect(found.length).toBeGreaterThan(0);
    for (const record of found) {
      expect(record).toMatchObject({
        kind: "moved",
        statusBefore: "scored",
        statusAfter: "insufficient_evidence",
        totalAfter: null,
        points: null,
        causes: ["policy"],
        signals: [],
      });
    }
  });

  test("a release from before the minimum of five judged signals lacks newer columns about researchers, which the diff does not count as a change", async () => {
    await using bench = await temporaryStore();
    const select = "select * exclude (cited_known, cited_datasets, s_index_median, data_date) from researcher";
    const { diff: found } = await listChanges(await altered(after, "researcher", select, bench.folder), after);
    expect(found.researchers).toEqual([]);
  });
});

describe("the summary in the release", () => {
  test("the summary of a diff names both releases, and counts added and removed records", () => {
    expect(diff).toMatchObject({
      from: { releaseDigest: pair.before.releaseDigest, asOf: DAYS.before },
      to: { releaseDigest: pair.after.releaseDigest, asOf: DAYS.after },
      attributed: true,
      records: { before: 14, after: 12, added: 1, removed: 3 },
    });
    expect(diff.reasons.map(({ reason, records: count }) => [reason, count])).toEqual([
      ["new", 1],
      ["lost", 1],
      ["source_gone", 1],
      ["tombstone", 1],
    ]);
  });

  test("the summary of a diff has the same sum of points by cause, by signal and by record", () => {
    for (const { rubric, byCause, bySignal, up, down } of diff.rubrics) {
      const moved = records.filter((record) => record.rubric === rubric && record.kind === "moved");
      const sum = moved.reduce((points, record) => points + (record.points ?? 0), 0);
      expect(byCause.reduce((points, { gained, lost }) => points + gained - lost, 0)).toBe(sum);
      expect(bySignal.reduce((points, entry) => points + entry.points, 0)).toBe(sum);
      expect([up, down]).toEqual([
        moved.filter(({ points }) => (points ?? 0) > 0).length,
        moved.filter(({ points }) => (points ?? 0) < 0).length,
      ]);
    }
  });

  test("the summary of a diff has a row for every change in the published tables", async () => {
    const comparison = await compare(null, after, { threads: 1, memory: "256MB" });
    try {
      const count = async (table: string) => {
        const path = join(folder, "data", `${table}.parquet`);
        const [row] = await comparison.db.rows(
          `select cast(count(*) as integer) as n from read_parquet(${quote(path)})`,
        );
        return row?.n;
      };
      expect(await count(DIFF_TABLES.change.published)).toBe(records.length);
      expect(await count(DIFF_TABLES.signal_change.published)).toBe(records.flatMap(({ signals }) => signals).length);
      expect(diff.files).toContain("data/diff-researchers.parquet");
    } finally {
      comparison.db.close();
    }
  });

  test("the summary of a diff lists every record as new for a first release", async () => {
    const first = join(pair.store.release(pair.before.releaseDigest), DIFF_FILE);
    const found = releaseDiff.parse(JSON.parse(await readFile(first, "utf8")));
    expect(found).toMatchObject({ from: null, records: { before: 0, after: 14, added: 14, removed: 0 }, largest: [] });
  });

  test("the summary of a diff finds no difference if a release is compared with itself", async () => {
    const { records: found, diff: none } = await listChanges(after, after);
    expect(found).toEqual([]);
    expect(none.records).toEqual({ before: 12, after: 12, added: 0, removed: 0 });
  });
});

describe("share-release release diff", () => {
  const ask = (...more: string[]) =>
    runHosted([
      "release",
      "diff",
      pair.before.releaseDigest,
      pair.after.releaseDigest,
      "--store",
      pair.store.root,
      ...more,
    ]);

  test("release diff prints text by default", async () => {
    const { stdout, exitCode } = await ask();
    expect(exitCode).toBe(0);
    expect(stdout).toContain("records     14 → 12: 1 added, 3 removed");
    expect(stdout).toContain("as_of");
  });

  test("release diff prints JSON Lines with the summary last", async () => {
    const lines = jsonLines((await ask("--json")).stdout);
    expect(lines.slice(0, records.length)).toEqual(records);
    expect(lines.at(-1)).toMatchObject({ records: diff.records, rubrics: diff.rubrics });
  });

  test("release diff prints CSV with a line for each record", async () => {
    const [head, ...lines] = (await ask("--csv")).stdout.trimEnd().split("\n");
    expect(head).toBe(Object.keys(DIFF_TABLES.change.columns).join(","));
    expect(lines).toHaveLength(records.length);
  });

  test("release diff rejects CSV together with JSON", async () => {
    expect(await ask("--json", "--csv")).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
