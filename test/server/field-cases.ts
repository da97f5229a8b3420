/** Every field that interface.md's tables name is there, under its name and with its type, in real answers. */

import { beforeAll, describe, expect, test } from "vitest";
import { ask } from "./ask.ts";
import { idOf, type Listening, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

const ENVELOPE = {
  data: "array",
  "pagination.total": "integer",
  "pagination.page": "integer",
  "pagination.limit": "integer",
  "pagination.totalPages": "integer",
  "pagination.hasNext": "boolean",
  "pagination.hasPrev": "boolean",
  "_meta.scoreRelease.scoreReleaseVersion": "string",
  "_meta.scoreRelease.releaseDigest": "string",
};

const RECORD_ROW = {
  id: "string",
  doi: "string or null",
  repository: "string or null",
  title: "string or null",
  pubDate: "string or null",
  score: "object",
  "score.total": "number",
  "score.bucketScores.S": "number",
  "score.bucketScores.H": "number",
  "score.bucketScores.A": "number",
  "score.bucketScores.R": "number",
  "score.bucketScores.E": "number",
  "score.status": "string",
  shareScore: "number",
  stewardshipScore: "number",
  harmonizationScore: "number",
  accessScore: "number",
  engagementScore: "number",
};

const RECORD_DETAIL = {
  ...RECORD_ROW,
  "score.supportedMask": "integer",
  "score.evaluableMask": "integer",
  "score.passedMask": "integer",
  "score.sourceMissingMask": "integer",
  "score.failedMask": "integer",
  authors: "array",
  "authors.0.id": "string or null",
  "authors.0.name": "string",
  "authors.0.affiliation": "string or null",
};

const RESEARCHER_ROW = {
  id: "string",
  name: "string",
  slug: "string",
  affiliation: "string",
  sIndex: "number",
  sImpact: "number",
  datasetCount: "integer",
  avgScore: "number",
  maxScore: "number",
  shareScore: "number",
};

const RANGES = ["0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90-99", "100"];

const METRICS = {
  totalRecords: "integer",
  totalAuthors: "integer",
  repositoryCount: "integer",
  meanShareScore: "number",
  pctAbove70: "number",
  meanStewardship: "number",
  meanHarmonization: "number",
  meanAccess: "number",
  meanEngagement: "number",
  meanReuse: "number",
  meanSIndex: "number",
  maxSIndex: "number",
  ...Object.fromEntries(RANGES.map((range) => [`scoreDistribution.${range}`, "integer"])),
  repositoryBreakdown: "array",
  "repositoryBreakdown.0.repository": "string",
  "repositoryBreakdown.0.count": "integer",
  "repositoryBreakdown.0.meanScore": "number",
  "release.rubric.version": "string",
  "release.releaseDigest": "string",
  "release.publishedAt": "string",
  "release.coverage.harvested": "integer",
};

function rowsOf(row: object): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, type]) => [`data.0.${name}`, type]));
}

const CASES = [
  { path: "/records", fields: { ...ENVELOPE, ...rowsOf(RECORD_ROW) } },
  { path: "/records?rubric=1.0", fields: { ...ENVELOPE, ...rowsOf({ ...RECORD_ROW, reuseScore: "number" }) } },
  { path: `/records/${idOf(SPECIAL.winner)}`, fields: RECORD_DETAIL },
  { path: `/records/${idOf(SPECIAL.winner)}?rubric=1.0`, fields: { ...RECORD_DETAIL, reuseScore: "number" } },
  { path: `/records/${idOf(SPECIAL.winner)}/impact`, fields: { stewardship: "object", outcomes: "object" } },
  { path: "/authors", fields: { ...ENVELOPE, ...rowsOf(RESEARCHER_ROW) } },
  { path: "/metrics/live", fields: METRICS },
  { path: "/metrics/live?rubric=1.0", fields: METRICS },
  { path: "/metrics/history", fields: { "0.totalRecords": "integer", "0.totalAuthors": "integer" } },
  { path: "/rubrics", fields: { "0.version": "string", "0.available": "boolean", "1.version": "string" } },
  { path: "/rubrics/2.0", fields: { version: "string", "signals.24.id": "string", comparability: "null" } },
  // What others publish under that name is not to be compared with it, and it says why.
  { path: "/rubrics/1.0", fields: { version: "string", "signals.24.id": "string", comparability: "string" } },
  { path: "/institutions", fields: { ...ENVELOPE, "data.0.id": "string", "data.0.label": "string" } },
  { path: "/geography", fields: { ...ENVELOPE, "data.0.countryCode": "string" } },
];

/** The value at a path such as `data.0.score.total`. */
function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
      value,
    );
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    case "string or null":
      return value === null || typeof value === "string";
    default:
      return typeof value === type;
  }
}

export function fieldCases(world: () => World): void {
  describe("fields of interface.md", () => {
    let server: Listening;
    beforeAll(async () => {
      server = await world().serve(world().store);
    });

    test.each(CASES)("$path", async ({ path, fields }) => {
      const { status, text } = await ask(server.port, path);
      expect(status).toBe(200);
      const answer: unknown = JSON.parse(text);
      const wrong = Object.entries(fields).filter(([name, type]) => !isOf(type, at(answer, name)));
      expect(wrong).toEqual([]);
    });

    test("the eleven ranges are all there are", async () => {
      const { scoreDistribution } = JSON.parse((await ask(server.port, "/metrics/live")).text);
      expect(Object.keys(scoreDistribution).sort()).toEqual([...RANGES].sort());
    });

    test("a researcher's page adds datasets, best first", async () => {
      const [first] = await world().researchers();
      const { text } = await ask(server.port, `/authors/${first?.slug}`);
      const totals = JSON.parse(text).datasets.map((record: { shareScore: number }) => record.shareScore);
      expect(totals.length).toBeGreaterThan(0);
      expect(totals).toEqual(totals.toSorted((one: number, other: number) => other - one));
    });
  });
}
