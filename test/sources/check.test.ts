/**
 * Tests `source check` with the fixtures: the evidence of a signal comes from the field of the payload that the pledge names.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkRecord, checkText, type SourceCheck } from "../../cli/commands/source.ts";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { pledgedValues, readPledges } from "../../pipeline/sources/pledges.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { AS_OF } from "./fragment.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/payloads");
const plain = (_style: string, text: string) => text;

/** Runs the check for every complete record in the fixtures of a source, under every contract. */
async function runChecks(source: Source): Promise<SourceCheck[]> {
  const pledge = (await readPledges()).get(source.name);
  if (pledge === undefined) throw new Error(`${source.name} has no pledge`);
  const checks: SourceCheck[] = [];
  for (const file of readdirSync(join(FIXTURES, source.name))) {
    // Uses only fixtures of the API, because a pledge names the API's fields, and not those of dumps or other endpoints.
    if (!/^(?:complete|modern|list-answer)/.test(file) || !/\.(?:json|xml)$/.test(file)) continue;
    for (const record of findRecords(readFileSync(join(FIXTURES, source.name, file)), source).records) {
      const fetched = {
        kind: "record",
        record,
        left: [],
        url: "https://example.org/1",
        retrievedAt: "2026-11-01T00:00:00Z",
      } as const;
      for (const contract of (await readContracts()).values()) {
        checks.push(await checkRecord(fetched, { source, sourceId: record.sourceId, pledge, contract, asOf: AS_OF }));
      }
    }
  }
  return checks;
}

const says = (value: unknown) => value !== null && value !== 0 && value !== false && value !== "";

describe.each(SOURCES.map((source) => ({ name: source.name, source })))(
  "source check of a record of $name",
  ({ source }) => {
    test("source check shows a value in a pledged field for every signal that has evidence", async () => {
      const checks = (await runChecks(source)).filter(({ outcome }) => outcome === "record");
      expect(checks.length).toBeGreaterThanOrEqual(CONTRACTS.length);
      const silent = checks.flatMap(({ sourceId, signals }) =>
        signals
          .filter(({ fields, evidence }) => fields.length > 0 && Object.values(evidence).some(says))
          .filter(({ fields }) => fields.every(({ count }) => count === 0))
          .map(({ signal, fields }) => `${sourceId} ${signal} ${fields.map(({ path }) => path).join(", ")}`),
      );
      expect(silent).toEqual([]);
    });

    test("source check prints all 25 signals, and no control characters", async () => {
      const [check] = await runChecks(source);
      if (check === undefined) throw new Error("the fixtures of the source have no complete record");
      const text = checkText(check, plain);
      for (const { signal } of check.signals) expect(text).toContain(`\n${signal} `);
      expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    });

    test("the example of the source is a valid id", () => {
      const { example, canonicalId, readSourceId } = source;
      expect(canonicalId?.(example) ?? readSourceId(example)).toBe(example);
    });
  },
);

describe("the search for values in a payload", () => {
  test.each([
    { name: "by field names", field: "a.b", payload: { a: { b: 1 } }, values: ["1"] },
    {
      name: "through lists",
      field: "a[].b[]",
      payload: { a: [{ b: ["x", "y"] }, { b: [true] }] },
      values: ["x", "y", "true"],
    },
    {
      name: "inside outer objects that the path in the pledge omits",
      field: "b.c",
      payload: { w: { v: { b: { c: "x" } } } },
      values: ["x"],
    },
    { name: "at the outermost level that has the name", field: "b", payload: { b: "x", a: { b: "y" } }, values: ["x"] },
    { name: "in XML inside text", field: "a/b/@c", payload: { a: ` <b c="x"/><b c="y"/>` }, values: ["x", "y"] },
    { name: "nowhere in text that only looks like XML", field: "a/b", payload: { a: "<b" }, values: [] },
    {
      name: "in fields of the form typeName and value",
      field: "b.n",
      payload: { f: [{ typeName: "b", value: [{ n: { value: "x" } }] }] },
      values: ["x"],
    },
    { name: "in objects by their keys", field: "a", payload: { a: { x: 1, y: 2 } }, values: ["{x, y}"] },
    { name: "nowhere if the field is missing", field: "z", payload: { a: 1 }, values: [] },
    { name: "nowhere if the payload is null", field: "a", payload: null, values: [] },
    { name: "nowhere in a prototype", field: "constructor.name", payload: {}, values: [] },
  ])("pledged values are found $name", ({ field, payload, values }) => {
    expect(pledgedValues(field, payload)).toEqual([{ path: field, values }]);
  });

  test("if a pledge names several fields for a signal, each field is returned with its own values", () => {
    expect(pledgedValues("a, b[] of /here", { a: 1, b: [2] })).toEqual([
      { path: "a", values: ["1"] },
      { path: "b[] of /here", values: ["2"] },
    ]);
  });
});
