/** An example response of each route, from a release of the bundled corpus. Examples of lists have two rows. */

import { z } from "zod";
import { type ExampleParts, exampleOfShape, isShape } from "../../schemas/public/account/shape.ts";
import type {
  DraftResult,
  EvaluationBasis,
  EvaluationJob,
  EvaluationResult,
} from "../../schemas/public/api/evaluation.ts";
import { type RecordDetail, recordDetail, recordList } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import {
  buildEndpointBadge,
  datasetBadge,
  datasetWords,
  repositoryBadge,
  repositoryWords,
  researcherBadge,
  researcherWords,
} from "../pages/badge.ts";
import { benchmark, publishedSet, testResultSet } from "../pages/fair-test-results.ts";
import { ROUTES } from "../routes/index.ts";
import type { Route } from "../routes/route.ts";
import examples from "./examples.json" with { type: "json" };
import { readableJson } from "./readable-json.ts";

/** The query of each example whose request needs one, by the name of the route. */
const QUERIES: Readonly<Record<string, string>> = {
  draft: "source=zenodo",
  records: "sortBy=score&sortOrder=desc&limit=2",
  authors: "sortBy=sIndex&sortOrder=desc&limit=2",
  institutions: "limit=2",
  geography: "limit=2",
  "release-changes": "kind=moved&limit=2",
};

function exampleTarget(route: Route): string {
  const path = route.path
    .replace(/\{file\}/, "manifest.ndjson")
    .replace(/\{\w+\}/, encodeURIComponent(route.key?.example ?? ""));
  const query = QUERIES[route.name];
  return query === undefined ? path : `${path}?${query}`;
}

export function exampleCommand(route: Route): string {
  const address = `"$SHARE${exampleTarget(route)}"`;
  if (route.method === "get") return [`curl ${route.ranges ? "-O " : ""}${address}`, ...cookie(route)].join(" \\\n  ");
  return [`curl ${address}`, ...changing(route), ...sent(route)].join(" \\\n  ");
}

/** Returns the options of curl that set the method and the session of a request. */
function changing(route: Route): string[] {
  const method = route.method === "delete" ? ["-X DELETE"] : route.body === null ? ["-X POST"] : [];
  return [...method, ...cookie(route)];
}

/**
 * Returns the option of curl that sends a session, if the route requires one. `$SESSION` stands for the value of the
 * session cookie.
 */
function cookie({ session }: Route): string[] {
  return session ? [`-H "Cookie: __Host-share_session=$SESSION"`] : [];
}

function sent(route: Route): string[] {
  if (route.body === null) return [];
  return ["-H 'Content-Type: application/json'", `-d '${readableJson(getExample(`${route.name} body`))}'`];
}

const BASIS = { datasets: 31, rubric: "2.0", date: "2026-11-01", median: 2, cap: 84.5 } as const;

const BADGES: Readonly<Record<string, unknown>> = {
  "dataset-badge": datasetBadge({ total: 80, cap: 100 }),
  "repository-badge": repositoryBadge({ sum: 5423, count: 100 }, { sum: 8450, count: 100 }),
  "researcher-badge": researcherBadge(25, BASIS),
  "dataset-badge-json": buildEndpointBadge(datasetWords({ total: 80, cap: 100 })),
  "repository-badge-json": buildEndpointBadge(repositoryWords({ sum: 5423, count: 100 }, { sum: 8450, count: 100 })),
  "researcher-badge-json": buildEndpointBadge(researcherWords(25, BASIS)),
};

const { json: recordedJson, csv } = z
  .object({ json: z.record(z.string(), z.json()), csv: z.record(z.string(), z.array(z.string())) })
  .parse(examples);

const DATASET = { identifier: "10.5072/complete-modern", rubricVersion: "2.0" } as const;

const JOB = {
  id: "j3f9d1c07a52e4b68901c7de2485ab630",
  identifier: "doi:10.5072/complete-modern",
  fresh: false,
  rubricVersion: "2.0",
  createdAt: "2026-11-02T12:00:00.000Z",
} as const;

/** Invented digests in the examples, because real digests change with every version of the program. */
const EVALUATED_BY: EvaluationBasis = {
  asOf: "2026-11-02",
  contract: { id: "2.0.0-beta.2", digest: "sha256:5b1cf0c4ae7f1c6f8d0c8e1b9a4d7e2f3061528394a5b6c7d8e9f0a1b2c3d4e5" },
  pledge: {
    source: "datacite",
    digest: "sha256:8e2d90b7c1a4f65e3d2c1b0a99887766554433221100ffeeddccbbaa99887766",
    neverCarries: ["view_count", "download_count"],
  },
  policy: { leastEvaluable: 5 },
  reader: { version: 1, digest: "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0" },
  unreadable: [],
};

const EVALUATION = {
  evaluation: {
    id: "e1f0a9c7d3b25e8846cc0172d",
    identifier: "datacite/10.5072/complete-modern",
    rubric: "2.0",
    contract: "2.0.0-beta.2",
    record: withoutLinks(recordDetail.parse(recordedJson.record)),
    basis: EVALUATED_BY,
    evaluatedAt: "2026-11-02T12:00:01.280Z",
    release: null,
  },
} as const satisfies EvaluationResult;

const PUBLISHED = { endedAt: "2026-11-01T06:00:00.000Z", licence: DEFAULT_DATA_LICENCE } as const;

const RUBRIC = rubricDescriptor.parse(recordedJson.rubric);

function exampleOfTests(detail: RecordDetail, set: string): object {
  const tests = testResultSet(detail, RUBRIC, { ...PUBLISHED, set });
  return { ...tests, hadMember: tests.hadMember.slice(0, 2) };
}

function exampleOfBenchmark(): object {
  const made = benchmark(RUBRIC, "/");
  return { ...made, hasAssociatedMetric: made.hasAssociatedMetric.slice(0, 2) };
}

const DRAFT = {
  draft: {
    source: "datacite",
    rubric: "2.0",
    contract: "2.0.0-beta.2",
    asOf: "2026-11-02",
    record: withoutLinks(recordDetail.parse(recordedJson.record)),
    basis: EVALUATED_BY,
    improvements: [],
  },
} as const satisfies DraftResult;

/** Examples of requests and responses that no release contains. They are made from a record of a release. */
const MADE: Readonly<Record<string, unknown>> = {
  "evaluation body": DATASET,
  evaluation: EVALUATION,
  "evaluation tests": exampleOfTests(EVALUATION.evaluation.record, `urn:share:evaluation:${EVALUATION.evaluation.id}`),
  "record tests": exampleOfTests(EVALUATION.evaluation.record, publishedSet(EVALUATION.evaluation.record, RUBRIC)),
  "rubric tests": exampleOfBenchmark(),
  "draft body": {
    metadata: {
      upload_type: "dataset",
      title: "Invented tides",
      description: "Heights of an invented tide, hour by hour.",
    },
  },
  draft: DRAFT,
  "new-evaluation-job body": { identifier: JOB.identifier, rubricVersion: JOB.rubricVersion },
  "new-dataset-submission body": { identifier: "https://zenodo.org/records/99000075", rubricVersion: "2.0" },
  "new-measurement body": DATASET,
  "lookup body": { identifiers: ["10.5281/zenodo.99000001", "10.5072/nothing"] },
  "new-evaluation-job": {
    ...JOB,
    status: "queued",
    startedAt: null,
    finishedAt: null,
    attempts: 0,
    failures: [],
    retryAt: null,
    result: null,
    error: null,
  } satisfies EvaluationJob,
  "evaluation-job": {
    ...JOB,
    status: "succeeded",
    startedAt: "2026-11-02T12:00:00.020Z",
    finishedAt: "2026-11-02T12:00:01.281Z",
    attempts: 2,
    failures: [{ at: "2026-11-02T12:00:00.320Z", detail: "DataCite did not answer in time; try again later." }],
    retryAt: null,
    result: EVALUATION,
    error: null,
  } satisfies EvaluationJob,
};

const PARTS: ExampleParts = {
  record: getFirst(recordList.parse(recordedJson.records).data),
  researcher: getFirst(researcherList.parse(recordedJson.authors).data),
  evaluation: EVALUATION.evaluation,
};

/** Examples that the schemas of accounts define themselves. */
const SHAPED: Readonly<Record<string, unknown>> = Object.fromEntries(
  ROUTES.flatMap(({ name, body, answer }) => [...shaped(`${name} body`, body), ...shaped(name, answer)]),
);

function shaped(name: string, schema: z.ZodType | null): [string, unknown][] {
  if (schema === null || !isShape(schema)) return [];
  return [[name, exampleOfShape(schema, PARTS)]];
}

function getFirst<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("a recorded list for the examples of the OpenAPI document has no rows");
  return row;
}

/**
 * Removes the links to researchers from the creators of a record. Evaluations have no such links, because researchers exist
 * only in releases.
 */
function withoutLinks(detail: RecordDetail): RecordDetail {
  return { ...detail, authors: detail.authors.map((author) => ({ ...author, id: null, slug: null })) };
}

/**
 * Returns the example with a name: the name of a route for its response, or followed by `body` for its request body, such
 * as `evaluation body`.
 */
export function getExample(name: string): unknown {
  const example = BADGES[name] ?? MADE[name] ?? SHAPED[name] ?? recordedJson[name];
  if (example === undefined)
    throw new Error(`the OpenAPI document has no example of ${name}; add one in api-static/openapi/examples.ts`);
  return example;
}

export function exampleLines(name: string): string {
  const { data } = z.object({ data: z.array(z.json()) }).parse(recordedJson[name]);
  return data.map((row) => `${JSON.stringify(row)}\n`).join("");
}

export function exampleCsv(name: string): string {
  const lines = csv[name];
  if (lines === undefined)
    throw new Error(`the OpenAPI document has no CSV example of ${name}; record one with the other responses`);
  return lines.map((line) => `${line}\r\n`).join("");
}
