/** A single payload that is scored alone: its outcome, the as-of date, scoring several at once, and the next steps. */

import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listImprovements } from "../../pipeline/evaluate/evaluation.ts";
import type { ObtainedPayload } from "../../pipeline/evaluate/obtain.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { SignalState } from "../../schemas/public/signal.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { casesToRun, IS_FIRST } from "../tiers.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";

const CONTRACT = "2.0.0-beta.2";

let opened: OpenEvaluator;
beforeAll(async () => {
  opened = await openEvaluator();
});
afterAll(() => opened[Symbol.asyncDispose]());

function given(source: string, payload: string, more: Partial<ObtainedPayload> = {}): ObtainedPayload {
  const document: unknown = payload.startsWith("{") ? JSON.parse(payload) : null;
  const sourceId = sourceNamed(source)?.identify(document) ?? "1";
  return { source, sourceId, payload, payloadDigest: hash("sha256", payload), status: 200, retrievedAt: null, ...more };
}

function fixture(path: string): string {
  return readFileSync(join(PAYLOADS, path), "utf8");
}

const OUTCOMES: readonly (readonly [
  name: string,
  given: () => ObtainedPayload,
  outcome: string,
  reason: RegExp | null,
])[] = [
  ["a record", () => given("zenodo", fixture("zenodo/modern-files.json")), "record", null],
  ["a deposit marked as deleted", () => given("zenodo", fixture("zenodo/deleted.json")), "tombstone", /deleted/],
  ["a response with status 410", () => given("zenodo", "", { status: 410 }), "tombstone", /gone/],
  ["software", () => given("zenodo", fixture("zenodo/software.json")), "not_dataset", /software/],
  ["a text that is not JSON", () => given("zenodo", "[1,"), "failed", /cannot be read/],
  ["the JSON null", () => given("zenodo", "null"), "tombstone", /gone/],
  ["a record without metadata", () => given("zenodo", '{"id":7}'), "failed", /the object metadata is missing/],
];

describe("the outcome of scoring", () => {
  test.each(OUTCOMES)("the outcome of scoring is the expected one for %s", async (_name, payload, outcome, reason) => {
    const found = await opened.score(payload(), CONTRACT, "2026-11-01");
    expect(found.outcome).toBe(outcome);
    expect(found.reason ?? "").toMatch(reason ?? /^$/);
    expect(found.record === null).toBe(outcome === "tombstone" || outcome === "not_dataset");
    expect(found.record?.scoreStatus).toBe({ record: "scored", failed: "failed" }[outcome]);
  });
});

test("the as-of date of the request decides whether an embargo has ended", async () => {
  const payload = given("zenodo", fixture("zenodo/embargo-future.json"));
  const stateAt = async (asOf: string) => {
    const { record } = await opened.score(payload, "1.0.0", asOf);
    return record?.signals.find(({ id }) => id === "A4")?.state;
  };
  expect([await stateAt("2026-11-01"), await stateAt("2036-11-01")]).toEqual(["absent", "passed"]);
});

test("payloads that are scored at the same time do not affect the scores of each other", async () => {
  const all = casesToRun(["clinicaltrials", "zenodo", "datacite"]).flatMap((source) =>
    readdirSync(join(PAYLOADS, source))
      .filter((name) => name.endsWith(".json") && !/list|family|versions|sparse|malformed|packed/.test(name))
      .map((name) => given(source, fixture(`${source}/${name}`))),
  );
  expect(all.length).toBeGreaterThan(IS_FIRST ? 10 : 50);
  const apart = await openEvaluator();
  try {
    const together = await Promise.all(all.map((each) => opened.score(each, CONTRACT, "2026-10-31")));
    for (const [i, each] of all.entries()) {
      expect(together[i]).toEqual(await apart.score(each, CONTRACT, "2026-10-31"));
    }
  } finally {
    await apart[Symbol.asyncDispose]();
  }
});

test("a payload that is scored again has the new time of retrieval", async () => {
  const payload = fixture("zenodo/modern-files.json");
  const times = ["2026-10-01T00:00:00.000Z", "2026-10-02T00:00:00.000Z"];
  const found = await Promise.all(
    times.map((retrievedAt) => opened.score(given("zenodo", payload, { retrievedAt }), CONTRACT)),
  );
  expect(found.map(({ record }) => record?.source.retrievedAt)).toEqual(times);
  expect(opened.fetched).toEqual([]);
});

test("a private record is scored as a draft of its owner, but withdrawn if it was harvested", async () => {
  const payload = fixture("osf/private.json");
  const osf = sourceNamed("osf");
  if (osf === null) throw new Error("the source osf is missing in pipeline/sources");
  const owned = () => opened.evaluator.draft(osf, Buffer.from(JSON.stringify(JSON.parse(payload))), CONTRACT);
  const harvested = () => opened.score(given("osf", JSON.stringify(JSON.parse(payload))), CONTRACT);
  const outcomes = [await harvested(), await owned(), await harvested()].map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["tombstone", "record", "tombstone"]);
});

test("a payload that is scored under two identifiers is returned with the identifier of each request", async () => {
  const payload = fixture("zenodo/modern-files.json");
  const ids = ["11", "12"];
  const found = await Promise.all(
    ids.map((sourceId) => opened.score(given("zenodo", payload, { sourceId }), CONTRACT)),
  );
  expect(found.map(({ identifier }) => identifier)).toEqual(["zenodo/11", "zenodo/12"]);
});

describe("the next steps that gain points", () => {
  type Result = RecordDetail["signals"][number];
  const signal = (id: string, state: SignalState, field: string | null, more: Partial<Result> = {}): Result => ({
    id,
    name: `Name ${id}`,
    bucket: "S",
    bit: 0,
    state,
    points: state === "passed" ? 4 : 0,
    field,
    evidence: {},
    advice: null,
    adviceFor: null,
    effort: null,
    ...more,
  });
  const own = { adviceFor: "depositor", effort: "record" } as const;
  const centre = { adviceFor: "data centre", effort: "record" } as const;
  const asked = { adviceFor: "depositor", effort: null } as const;
  const found = listImprovements({
    signals: [
      signal("S1", "passed", "a"),
      signal("S2", "source_missing", "e", { ...asked, advice: "Is there an e?" }),
      signal("S3", "unsupported", null),
      signal("S4", "absent", "c, f", { ...centre, advice: "Do c." }),
      signal("S5", "absent", "g, c", { ...centre, advice: "Do more of c." }),
      signal("H1", "absent", "c", { ...centre, advice: "Do c." }),
      signal("H2", "absent", "b", { ...own, advice: "Do b." }),
      signal("H3", "absent", "d", { ...own, advice: "Do d." }),
      signal("H4", "absent", "d", { ...own, advice: "Do d." }),
      signal("H5", "absent", "d", { ...own, effort: "files", advice: "Upload d." }),
      signal("A1", "failed", "c", { ...asked, advice: "Is there a c?" }),
      signal("A2", "not_evaluable", "c", { ...asked, advice: "Is there more of c?" }),
    ],
  });

  test("next steps list the tasks of the depositor first, then those of others, and then questions without points", () => {
    expect(
      found.map(({ points, field, adviceFor, effort, advice }) => [points, field, adviceFor, effort, advice]),
    ).toEqual([
      [8, "d", "depositor", "record", ["Do d."]],
      [4, "b", "depositor", "record", ["Do b."]],
      [4, "d", "depositor", "files", ["Upload d."]],
      [12, "c, f, g", "data centre", "record", ["Do c.", "Do more of c."]],
      [null, "e", "depositor", null, ["Is there an e?"]],
      [null, "c", "depositor", null, ["Is there a c?", "Is there more of c?"]],
    ]);
  });

  test("each next step names its signals and their states", () => {
    expect(found.at(-1)?.signals).toEqual([
      { id: "A1", name: "Name A1", state: "failed" },
      { id: "A2", name: "Name A2", state: "not_evaluable" },
    ]);
  });
});
