/** Checks the OpenAPI document: its identity, every route in it, references that resolve, and valid examples. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { getExample } from "../../api-static/openapi/examples.ts";
import { openApi } from "../../api-static/openapi/index.ts";
import { makeOperationId } from "../../api-static/openapi/operation.ts";
import { listParameters } from "../../api-static/openapi/parameters.ts";
import { refTo } from "../../api-static/openapi/schemas.ts";
import type { Parameter, Response } from "../../api-static/openapi/types.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { mediaType, TAGS } from "../../api-static/routes/route.ts";
import { arrowColumns } from "../../schemas/public/api/arrow-columns.ts";
import { recordDetail, recordList } from "../../schemas/public/api/record.ts";
import { named } from "../../schemas/public/named.ts";
import { PROBLEMS } from "../../schemas/public/problem.ts";
import { POINTS_PER_SIGNAL, popcount } from "../../schemas/public/signal.ts";
import { SCORE_TABLES } from "../../schemas/public/tables.ts";
import { readQuery } from "../../server/http/routes.ts";
import { DOCUMENT, findFaults, findValues } from "./validator.ts";

const operations = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

test("the document identifies API 1.6.0, SHARE 2.0 and OpenAPI 3.1 for code generators", () => {
  expect(DOCUMENT.openapi).toMatch(/^3\.1\.\d$/);
  expect(DOCUMENT.info.version).toBe("1.6.0");
  expect([DOCUMENT["x-share-version"], DOCUMENT.info["x-share-version"]]).toEqual(["2.0", "2.0"]);
});

test("every route is an operation of the document with its own id, and the document has no other operations", () => {
  const wanted = ROUTES.map((route) => [route.path, route.method, makeOperationId(route), route.tag]);
  const found = operations.map(({ path, method, operationId, tags }) => [path, method, operationId, ...tags]);
  expect(found.sort()).toEqual(wanted.sort());
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
});

test("the example of the ORCID callback has a code, and therefore no error", () => {
  const callback = DOCUMENT.paths["/auth/orcid/callback"]?.get?.parameters ?? [];
  const shown = callback.flatMap((parameter) => ("name" in parameter && "example" in parameter ? parameter.name : []));
  expect(shown).toContain("code");
  expect(shown).not.toContain("error");
});

test("every tag of the document is described and used", () => {
  expect(DOCUMENT.tags.map(({ name }) => name)).toEqual(Object.keys(TAGS));
  expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(Object.keys(TAGS)));
});

test("every reference in the document resolves, and every component is used", () => {
  const references = new Set(findValues("$ref", DOCUMENT).map(String));
  const components = Object.entries(DOCUMENT.components)
    .filter(([kind]) => kind !== "securitySchemes")
    .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
  expect([...references].filter((reference) => !components.includes(reference))).toEqual([]);
  expect(components.filter((component) => !references.has(component))).toEqual([]);
});

test("the document has an example of every type of problem", () => {
  expect(Object.keys(DOCUMENT.components.examples).sort()).toEqual(Object.keys(PROBLEMS).sort());
});

test("every operation has a description besides its summary, and the document has a contact", () => {
  expect(operations.filter(({ description = "" }) => description.length < 20).map(({ path }) => path)).toEqual([]);
  expect(DOCUMENT.info.contact).toEqual({ name: expect.any(String) });
  const name = expect.any(String);
  expect(openApi("ada@example.org").info.contact).toEqual({ name, email: "ada@example.org" });
  expect(openApi("https://example.org/help").info.contact).toEqual({ name, url: "https://example.org/help" });
});

/** Routes with JSON bodies. Routes for drafts are left out, because a draft has the format of its source. */
const JSON_ROUTES = ROUTES.filter(({ bodyKind }) => bodyKind === "json");

test("a request body requires no field that has a default", () => {
  const required = (name: string) => DOCUMENT.components.schemas[name]?.required;
  expect(required("LinkRequest")).toEqual(["email"]);
  expect(required("EvaluationRequest")).toEqual(["identifier", "rubricVersion"]);
  expect(required("DatasetRequest")).toEqual(["identifier"]);
  expect(required("RegistrationRequest")).toEqual(["name", "email"]);
});

test("the body of each request requires the same fields as the schema that checks it", () => {
  // A field with a default is required in a response, and optional in a request.
  const bodies = JSON_ROUTES.flatMap(({ body, name }) => (body === null ? [] : [{ body, name }]));
  expect(bodies.length).toBeGreaterThan(8);
  for (const { body, name } of bodies) {
    const { $ref = "" } = refTo(body, name);
    const { required = [] } = z.toJSONSchema(body, { io: "input" });
    expect([name, DOCUMENT.components.schemas[$ref.split("/").at(-1) ?? ""]?.required]).toEqual([name, required]);
  }
});

test("the points of a signal are zero or four", () => {
  expect(DOCUMENT.components.schemas.SignalResult?.properties?.points).toEqual({ type: "integer", enum: [0, 4] });
});

test("a total is an integer in JSON, Arrow and Parquet", () => {
  const { Score, DetailedScore, RecordRow } = DOCUMENT.components.schemas;
  for (const described of [Score?.properties?.total, DetailedScore?.properties?.total])
    expect(described).toMatchObject({ type: "integer", minimum: 0, maximum: 100 });
  expect(RecordRow?.properties?.shareScore?.anyOf).toMatchObject([{ type: "integer" }, { type: "null" }]);
  const score = arrowColumns(recordList).find(({ name }) => name === "score")?.of;
  expect(score).toMatchObject({
    members: expect.arrayContaining([expect.objectContaining({ path: "score.total", of: { kind: "int32" } })]),
  });
  expect(SCORE_TABLES.score.columns.total).toBe("int");
});

test("files of a release are documented with the content types that the server sends", () => {
  const file = operations.find(({ operationId }) => operationId === "releaseFile");
  const types = [
    "manifest.ndjson",
    "release.json",
    "data/a.parquet",
    "data/a.csv.gz",
    "report.html",
    "a.zst",
    "a.cff",
    "x",
  ];
  expect(Object.keys(Object(file?.responses["200"]).content).sort()).toEqual(
    [...new Set(types.map((name) => mediaType(name).split(";")[0]))].sort(),
  );
});

/** Text fields of requests, each with values that both the pattern in the document and the server accept or reject. */
const TEXTS = [
  {
    schema: "RegistrationRequest",
    member: "name",
    taken: ["A", " A b ", "Zoë 10"],
    rejected: ["", " ", "a\u0007b", "a\u202eb", "a\nb"],
  },
  { schema: "RegistrationRequest", member: "description", taken: ["", "a\nb\tc"], rejected: ["a\u0000", "\u2066x"] },
  { schema: "SaveRecordRequest", member: "note", taken: ["", "two\nlines"], rejected: ["\u001b[31m", "x".repeat(501)] },
  {
    schema: "LinkRequest",
    member: "returnTo",
    taken: ["/", "/account?a=%20"],
    rejected: ["", "account", "/a b", "/a\\b", "/é", "/%zz"],
  },
  { schema: "EvaluationRequest", member: "identifier", taken: ["10.5072/a"], rejected: ["", " \n"] },
] as const;
test.each(TEXTS)(
  "the field $member of $schema has the pattern that the server enforces",
  ({ schema, member, taken, rejected }) => {
    const body = JSON_ROUTES.map((route) => route.body).find(
      (each) => each !== null && refTo(each, "any").$ref?.endsWith(`/${schema}`),
    );
    const shape = z.toJSONSchema(body ?? z.never(), { io: "input" });
    const described = DOCUMENT.components.schemas[schema]?.properties?.[member];
    expect(shape.properties).toHaveProperty(member);
    const parsed = (value: string) => body instanceof z.ZodObject && body.shape[member]?.safeParse(value).success;
    for (const value of taken)
      expect([value, parsed(value), findFaults(described ?? {}, value)]).toEqual([value, true, []]);
    for (const value of rejected) {
      expect([value, parsed(value)]).toEqual([value, false]);
      expect([value, findFaults(described ?? {}, value)]).not.toEqual([value, []]);
    }
  },
);

test.each(ROUTES)("the example parameters of $path work together in one request", (route) => {
  const own = listParameters(route).filter((parameter) => "name" in parameter);
  const examples = new URLSearchParams();
  for (const { name, in: place, example } of own)
    if (place === "query" && example !== undefined) examples.set(name, String(example));
  expect(() => readQuery(route, examples.toString())).not.toThrow();
});

test("every pattern of the document compiles without flags, and uses nothing that Python reads differently", () => {
  const patterns = [...new Set(findValues("pattern", DOCUMENT).filter((pattern) => typeof pattern === "string"))];
  expect(patterns.length).toBeGreaterThan(20);
  for (const pattern of patterns) {
    expect(pattern).not.toMatch(/\\[pPkKcC]|\\u\{|\\x\{|\(\?(?!:|=|!)/);
    expect(() => new RegExp(pattern)).not.toThrow();
  }
});

/** The bounds of parameters in interface.md, "Shared list query parameters", "GET /records filters" and "Limits". */
const BOUNDS: readonly { path: string; name: string; schema: object }[] = [
  ...["/records", "/authors", "/institutions", "/geography"].flatMap((path) => [
    { path, name: "rubric", schema: { type: "string", enum: ["2.0", "1.0"], default: "2.0" } },
    { path, name: "page", schema: { type: "integer", minimum: 1, maximum: 10_000, default: 1 } },
    { path, name: "sortOrder", schema: { type: "string", enum: ["asc", "desc"], default: "asc" } },
  ]),
  { path: "/records", name: "limit", schema: { type: "integer", minimum: 1, maximum: 100, default: 10 } },
  { path: "/authors", name: "limit", schema: { type: "integer", minimum: 1, maximum: 100, default: 10 } },
  { path: "/institutions", name: "limit", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
  { path: "/geography", name: "limit", schema: { type: "integer", minimum: 1, maximum: 250, default: 250 } },
  { path: "/records", name: "identifier", schema: { type: "string", maxLength: 512 } },
  { path: "/records", name: "recordKind", schema: { type: "string", maxLength: 80 } },
  { path: "/records", name: "disease", schema: { type: "string", maxLength: 256 } },
  { path: "/records", name: "ageGroup", schema: { type: "string", maxLength: 120 } },
  { path: "/records", name: "dataType", schema: { type: "string", maxLength: 256 } },
  { path: "/records", name: "accessStatus", schema: { type: "string", maxLength: 80 } },
  { path: "/records", name: "minScore", schema: { type: "number", minimum: 0, maximum: 100 } },
  { path: "/records", name: "maxScore", schema: { type: "number", minimum: 0, maximum: 100 } },
  { path: "/records", name: "minSupportedChecks", schema: { type: "number", minimum: 0, maximum: 25 } },
  { path: "/authors", name: "minSIndex", schema: { type: "number", minimum: 0 } },
  { path: "/authors", name: "minDatasets", schema: { type: "number", minimum: 0 } },
  { path: "/institutions", name: "search", schema: { type: "string", maxLength: 240 } },
  { path: "/institutions", name: "countryCode", schema: { type: "string", pattern: "^[A-Za-z]{3}$" } },
];

test.each(BOUNDS)(
  "the document has the bounds of interface.md for the parameter $name of $path",
  ({ path, name, schema }) => {
    expect(findParameter(path, name)).toMatchObject({ in: "query", required: false, schema });
  },
);

function findParameter(path: string, name: string): Parameter | undefined {
  const found = DOCUMENT.paths[path]?.get?.parameters ?? [];
  return found.filter((parameter) => "name" in parameter).find((parameter) => parameter.name === name);
}

describe("completeness of the description of an operation", () => {
  test.each(operations)(
    "the description of $method $path is complete",
    ({ path, parameters = [], responses, summary }) => {
      expect(summary).not.toBe("");
      const own = parameters.filter((parameter) => "name" in parameter);
      expect(own.filter((parameter) => parameter.in === "path").map(({ name }) => `{${name}}`)).toEqual(
        path.match(/\{\w+\}/g) ?? [],
      );
      for (const { description, schema, example, in: place, name } of own) {
        expect(description).not.toBe("");
        // A provider sends either a code or an error; examples of both would contradict each other.
        const isExclusive = path === "/auth/orcid/callback" && name === "error";
        if (place !== "header" && !isExclusive)
          expect(example ?? schema.default, `an example of ${name}`).toBeDefined();
        if (example !== undefined) expect(findFaults(schema, example)).toEqual([]);
        if (schema.default !== undefined) expect(findFaults(schema, schema.default)).toEqual([]);
      }
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "429", "500", "503", "default"]));
      for (const [status, response] of Object.entries(responses)) expectResponse(status, resolved(response), path);
    },
  );

  function expectResponse(status: string, { headers = {}, content = {} }: Response, path: string): void {
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(["X-Request-Id", "RateLimit", "RateLimit-Policy"]));
    if (status === "429") expect(Object.keys(headers)).toContain("Retry-After");
    if (status.startsWith("3")) expect(content).toEqual({});
    if (/^[45]|default/.test(status))
      expect(Object.keys(content)).toEqual([
        path.endsWith("/badge.svg") && status !== "default" ? "image/svg+xml" : "application/problem+json",
      ]);
  }

  test.each(ROUTES.filter(({ list }) => list))(
    "the list $path is documented as JSON, CSV, JSON Lines and Arrow",
    ({ path }) => {
      const answer = DOCUMENT.paths[path]?.get?.responses["200"];
      expect(Object.keys(findValues("content", answer)[0] ?? {})).toEqual([
        "application/json",
        "text/csv",
        "application/x-ndjson",
        "application/vnd.apache.arrow.stream",
      ]);
    },
  );
});

function resolved(response: Response | { readonly $ref: string }): Response {
  if (!("$ref" in response)) return response;
  return DOCUMENT.components.responses[response.$ref.replace("#/components/responses/", "")] ?? { description: "" };
}

describe("the examples of the document", () => {
  test.each(Object.entries(PROBLEMS).filter(([type]) => type !== "repository-not-found"))(
    "the example of the problem %s has its type",
    (type, { status, title }) => {
      const value = DOCUMENT.components.examples[type]?.value;
      expect(findFaults({ $ref: "#/components/schemas/Problem" }, value)).toEqual([]);
      expect(value).toMatchObject({ type: `/problems/${type}`, status, title });
    },
  );

  test.each(Object.entries(DOCUMENT.components.headers))(
    "the example of the header %s is valid",
    (_name, { schema, example }) => {
      expect(findFaults(schema, example)).toEqual([]);
    },
  );

  const bodies = ROUTES.flatMap(({ name, answer, body, bodyKind }) => [
    ...(answer === null ? [] : [{ name, schema: answer }]),
    ...(body === null || bodyKind !== "json" ? [] : [{ name: `${name} body`, schema: body }]),
  ]);
  test.each(bodies)(
    "the example of $name is valid under its schema, and the schema drops no field",
    ({ name, schema }) => {
      expect(schema.parse(getExample(name))).toEqual(getExample(name));
    },
  );

  const contents = operations.flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap((response) =>
      Object.entries(resolved(response).content ?? {}).flatMap(([type, { schema, example }]) =>
        schema === undefined || example === undefined ? [] : [{ operationId, type, schema, example }],
      ),
    ),
  );
  test.each(contents)(
    "the example of the response of $operationId as $type is valid under its schema",
    ({ schema, example }) => {
      expect(findFaults(schema, example)).toEqual([]);
    },
  );

  test("the total in the example of a record is four points for each passed signal, in its masks and in its signals", () => {
    const { score, signals, cap } = recordDetail.parse(getExample("record"));
    expect(score?.total).toBe(POINTS_PER_SIGNAL * popcount(score?.passedMask ?? 0));
    expect(signals.reduce((sum, { points }) => sum + points, 0)).toBe(score?.total);
    expect(cap).toBe(POINTS_PER_SIGNAL * popcount(score?.supportedMask ?? 0));
  });
});

test("the check of examples finds a value that violates its schema at any depth", () => {
  const broken = { ...recordDetail.parse(getExample("record")), cap: 101, extra: 1 };
  expect(findFaults({ $ref: "#/components/schemas/RecordDetail" }, broken)).toHaveLength(2);
});

test("a second schema with the same name is an error", () => {
  expect(() => named("RecordRow", z.string())).toThrow("two schemas have the public name RecordRow");
});

describe("the additions to interface.md in x-additions of the document", () => {
  const contract = readFileSync(new URL("../../docs/spec/interface.md", import.meta.url), "utf8");
  const section = (title: string) => contract.split(/^#{2,3} /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  const endpoints = [...section("Endpoint table").matchAll(/^\| (GET|POST|DELETE) \| (\S+) \| (.*) \|.*\|$/gm)].map(
    ([, method = "", path = "", request = ""]) => ({ method: method.toLowerCase(), path, request }),
  );
  const { operations: added, parameters, fields } = DOCUMENT["x-additions"];

  /** Returns all words of interface.md about the request of an operation, among which are the names of its parameters. */
  function findWords(path: string, request: string): string[] {
    const described = ["filters", "parameters"].map((kind) => section(`GET ${path} ${kind}`)).join("");
    const shared = request.includes("shared list") ? section("Shared list query parameters") : "";
    // A name is the first cell of a row, or the word before a colon.
    const names = `${described}\n${shared}`.match(/(?<=^\| )\w+|\w+(?=:)/gm) ?? [];
    const errors = section("Errors")
      .split("\n")
      .filter((line) => line.split(/[|,]/).some((cell) => cell.trim() === path));
    return [...names, ...`${request} ${errors.join(" ")}`.split(/\W+/)];
  }

  test("the added operations are exactly those that interface.md does not have", () => {
    const contracted = endpoints.map(({ method, path }) => `${method} ${path.replace("/idp/", "/orcid/")}`);
    expect(contracted).toHaveLength(33);
    const others = operations.filter(({ path, method }) => !contracted.includes(`${method} ${path}`));
    expect(added).toEqual(others.map(({ operationId }) => operationId));
    expect(added).toContain("lookup");
  });

  test.each(endpoints)(
    "the added parameters of $method $path are those that interface.md does not have",
    (endpoint) => {
      const path = endpoint.path.replace("/idp/", "/orcid/");
      const found = operations.find((each) => each.path === path && each.method === endpoint.method);
      const names = (found?.parameters ?? []).flatMap((each) =>
        "in" in each && each.in === "query" ? [each.name] : [],
      );
      const words = findWords(endpoint.path, endpoint.request);
      expect(parameters[found?.operationId ?? ""] ?? []).toEqual(names.filter((name) => !words.includes(name)));
    },
  );

  test("the added fields of bodies are those that interface.md does not have", () => {
    const shapes = section("Request body shapes") + section("Registration request and result");
    const bodies = operations.filter(({ operationId, requestBody }) => requestBody && !added.includes(operationId));
    expect(bodies.length).toBeGreaterThan(8);
    for (const { operationId, requestBody } of bodies) {
      const { $ref = "" } = requestBody?.content["application/json"]?.schema ?? {};
      const { properties = {} } = DOCUMENT.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {};
      // interface.md shows no body of this operation.
      if (operationId === "magicConsume") continue;
      const further = Object.keys(properties).filter((name) => !shapes.includes(name));
      expect([operationId, fields[operationId] ?? []]).toEqual([operationId, further]);
    }
  });
});
