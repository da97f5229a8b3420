/** Tests that the state of every signal can be computed again from the page of a record, its contract and its pledge. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import { PUBLIC_VERSIONS, type PublicVersion, rubric, type Signal } from "../../schemas/public/rubric.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";

type Result = z.infer<typeof recordDetail>["signals"][number];
interface Shown {
  readonly id: string;
  readonly source: string;
  readonly result: Result;
}

let bundled: BundledRelease;

beforeAll(async () => {
  bundled = await bundledRelease();
}, 300_000);

afterAll(() => bundled[Symbol.asyncDispose]());

const pledges = z.record(z.string(), z.object({ neverCarries: z.array(z.string()) }));

async function json(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(bundled.folder, path), "utf8"));
}

/** Returns the pages of all records under a public version of the contract. */
async function readPages(version: PublicVersion): Promise<z.infer<typeof recordDetail>[]> {
  const store = await PageStore.open(bundled.folder);
  try {
    const family = `${version}/record`;
    return [...store.entries(family)].map(({ key }) =>
      recordDetail.parse(JSON.parse(store.get({ family, key })?.bytes.toString("utf8") ?? "")),
    );
  } finally {
    store.close();
  }
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  int: "integer",
  bool: "boolean",
  text: "varchar",
  bigint: "bigint",
};

/** Computes the state of a signal on each page, only from the evidence that the page shows. */
async function statesFrom(signal: Signal, shown: readonly Shown[], never: (source: string) => readonly string[]) {
  const columns = EVIDENCE.filter(({ name }) => shown.some(({ result }) => name in result.evidence));
  const value = (of: Shown["result"]["evidence"][string] | undefined) =>
    of === null || of === undefined ? "null" : typeof of === "string" ? quote(of) : String(of);
  const rows = shown.map(({ id, source, result }) => {
    const own = columns.flatMap(({ name, type }) => {
      const zero = type === "int" && result.evidence[name] === null && never(source).includes(name);
      return [value(result.evidence[name]), zero ? "0" : value(result.evidence[name])];
    });
    return `(${[quote(id), ...own].join(", ")})`;
  });
  const names = columns.flatMap(({ name }) => [name, `${name}_or_none`]);
  const casts = columns.flatMap(({ name, type }) =>
    [name, `${name}_or_none`].map((each) => `${each}::${SQL_TYPES[type] ?? "varchar"} as ${each}`),
  );
  const rule = /\bor\b/.test(signal.rule)
    ? signal.needs.reduce(
        (text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}_or_none`),
        signal.rule,
      )
    : signal.rule;
  const db = await openDuckDB({ threads: 1, memory: "256MB" });
  try {
    const found = await db.rows(
      `select id, case when (${rule}) then 'passed' when (${signal.notEvaluableWhen ?? "false"}) then 'not_evaluable'
         when (${rule}) is null then 'source_missing' else 'absent' end as state
       from (select id, ${casts.join(", ")} from (values ${rows.join(", ")}) as page(id, ${names.join(", ")}))`,
    );
    return new Map(found.map((row) => [String(row.id), String(row.state)]));
  } finally {
    db.close();
  }
}

describe.each(PUBLIC_VERSIONS)("pages of records under %s", (version) => {
  test("the pages of records show all evidence that is needed to compute the states of their signals again", async () => {
    const contracts = z.record(z.string(), rubric).parse(await json("data/contracts.json"));
    const known = pledges.parse(await json("data/pledges.json"));
    const contract = Object.values(contracts).find(({ publicVersion }) => publicVersion === version);
    const pages = await readPages(version);
    expect(pages.length).toBeGreaterThan(50);
    const seen = new Set<string>();
    for (const signal of contract?.signals ?? []) {
      const shown = pages
        .map(({ id, identifier, signals }) => ({
          id,
          source: identifier.slice(0, identifier.indexOf("/")),
          result: signals.find((each) => each.id === signal.id),
        }))
        .flatMap(({ result, ...page }) => (result === undefined ? [] : [{ ...page, result }]))
        // The page itself marks signals that could not be read, and signals that no pledge supports.
        .filter(({ result }) => result.state !== "unsupported" && result.state !== "failed");
      if (shown.length === 0) continue;
      const states = await statesFrom(signal, shown, (source) => known[source]?.neverCarries ?? []);
      for (const { id, result } of shown) {
        expect([id, signal.id, states.get(id)]).toEqual([id, signal.id, result.state]);
        seen.add(result.state);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(["passed", "absent", "source_missing"]));
    expect(seen.has("not_evaluable")).toBe(contract?.signals.some(({ notEvaluableWhen }) => notEvaluableWhen !== null));
  });
});
