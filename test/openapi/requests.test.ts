/**
 * Sends requests to a real server that are made from the OpenAPI document alone, as generated clients and fuzzers make them: the
 * examples of each operation, and values that a schema just accepts or rejects.
 */

import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getExample } from "../../api-static/openapi/examples.ts";
import { listParameters } from "../../api-static/openapi/parameters.ts";
import { refTo } from "../../api-static/openapi/schemas.ts";
import type { Operation, Parameter, Schema } from "../../api-static/openapi/types.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { parseIdentifier } from "../../pipeline/parse-identifier.ts";
import { evaluationRequest } from "../../schemas/public/api/evaluation.ts";
import { readBody } from "../../server/http/read-body.ts";
import { ProblemError } from "../../server/http/response.ts";
import { readQuery } from "../../server/http/routes.ts";
import { type AccountServer, serveAccounts } from "../account/world.ts";
import type { Reply } from "../server/ask.ts";
import { openIdentityProvider } from "../sign-in/identity-provider.ts";
import { openMailbox } from "../sign-in/mailbox.ts";
import { sharedStore } from "../support/temporary-store.ts";
import { DOCUMENT, findFaults, findValues } from "./validator.ts";

const cleanup = new AsyncDisposableStack();
let server: AccountServer;

beforeAll(async () => {
  const released = cleanup.use(await sharedStore({ bundled: true, builds: [{ asOf: "2026-10-31" }, {}] }));
  const [mailbox, provider] = await Promise.all([openMailbox(), openIdentityProvider()]);
  cleanup.defer(() => mailbox.close());
  cleanup.defer(() => provider.close());
  const signIn = { smtpUrl: mailbox.url, orcid: provider };
  server = await serveAccounts(released.store, { sqlite: join(released.folder, "accounts.sqlite") }, { signIn });
  cleanup.defer(() => server.close());
  provider.allow(`http://localhost:${server.port}/auth/orcid/callback`);
}, 300_000);

afterAll(() => cleanup.disposeAsync());

const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, name: operation.operationId })),
);

interface Shown {
  readonly name: string;
  readonly in: Parameter["in"];
  readonly value: string;
}

/** Lists the example or the default of each parameter, as generators send it. */
function listExamples({ parameters = [] }: Operation): Shown[] {
  return parameters.map(resolved).flatMap(({ name, in: place, example, schema }) => {
    const value = example ?? schema.default;
    return value === undefined ? [] : [{ name, in: place, value: String(value) }];
  });
}

function resolved(parameter: NonNullable<Operation["parameters"]>[number]): Parameter {
  if ("name" in parameter) return parameter;
  const found = DOCUMENT.components.parameters[parameter.$ref.replace("#/components/parameters/", "")];
  if (found === undefined) throw new Error(`${parameter.$ref} leads nowhere`);
  return found;
}

/** Calls an operation as a new user, because some operations end sessions or accounts. */
async function send(path: string, method: string, { requestBody }: Operation, sent: readonly Shown[]): Promise<Reply> {
  const user = await server.person();
  const of = (place: Shown["in"]) =>
    sent.filter((each) => each.in === place).map(({ name, value }): [string, string] => [name, value]);
  const inPath = of("path").reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(of("query")).toString();
  const body = requestBody?.content["application/json"]?.example;
  return user.ask(
    method.toUpperCase(),
    query === "" ? inPath : `${inPath}?${query}`,
    body,
    Object.fromEntries(of("header")),
  );
}

/** Types of problems that mean that the server did not understand the request. */
const MALFORMED = /\/problems\/(?:invalid-|unsupported-|not-acceptable|body-too-large)/;

/** Returns the fault of a reply: the server did not understand the request, or the operation does not document the reply. */
function findFault({ status, text }: Reply, { responses }: Operation): string | null {
  if (responses[String(status)] === undefined) return `${status} is not described: ${text}`;
  return status < 500 && !MALFORMED.test(text.slice(0, 200)) ? null : `${status}: ${text}`;
}

describe.each(operations)("the examples of $name in the OpenAPI document", ({ path, method, operation }) => {
  const examples = listExamples(operation);
  const required = examples.filter((each) => each.in === "path");
  const optional = examples.filter((each) => each.in !== "path");

  test("the server accepts each example of an optional parameter", async () => {
    const faults: unknown[] = [];
    for (const one of optional)
      faults.push([one.name, findFault(await send(path, method, operation, [...required, one]), operation)]);
    expect(faults).toEqual(optional.map(({ name }) => [name, null]));
  });

  test("the server accepts the examples of all parameters together", async () => {
    expect(findFault(await send(path, method, operation, examples), operation)).toBeNull();
  });
});

/** A value in a request: a query parameter, or a field of a JSON body. */
interface Place {
  readonly name: string;
  readonly schema: Schema;
  readonly seeds: readonly unknown[];
  /** Returns the fault that the server finds in a value; null if the server accepts the value. */
  readonly rejection: (value: unknown) => string | null;
}

/** Fields with rules that no schema can state. The rules are documented in words, and other suites test them. */
const BEYOND_SCHEMAS = [
  ...["doi", "ror", "orcid", "countryCode"].map((name) => [name, "checked against a registry or a check digit"]),
  ["cursor", "only the server can read it"],
  ["fields", "names of the fields of the list's rows"],
  ["email", "the format of JSON Schema"],
  ["identifier", "a body with other text is 400, as its description says"],
] as const;

const isBeyond = (name: string) => BEYOND_SCHEMAS.some(([other]) => other === name);

function faultIn(name: string, read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.errors?.find(({ path }) => path.split(".")[0] === name)?.message ?? null;
  }
}

function queryPlaces(): Place[] {
  return ROUTES.flatMap((route) =>
    listParameters(route).flatMap((each) => {
      if (!("name" in each) || each.in !== "query" || isBeyond(each.name)) return [];
      const { name, schema, example } = each;
      const rejection = (value: unknown) =>
        faultIn(name, () => readQuery(route, new URLSearchParams([[name, String(value)]]).toString()));
      return [{ name, schema, seeds: [example ?? schema.default ?? ""], rejection }];
    }),
  );
}

function bodyPlaces(): Place[] {
  return ROUTES.flatMap(({ body, bodyKind, name: route }) => {
    if (body === null || bodyKind !== "json") return [];
    const { $ref = "" } = refTo(body, route);
    const { properties = {} } = DOCUMENT.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {};
    const example: object = Object(getExample(`${route} body`));
    return Object.entries(properties)
      .filter(([name]) => !isBeyond(name))
      .map(([name, schema]) => ({
        name: `${name} in a body`,
        schema,
        seeds: [
          ...Object.entries(example).flatMap(([key, value]) => (key === name ? [value] : [])),
          null,
          7,
          true,
          [],
          ["a"],
          {},
        ],
        rejection: (value: unknown) => faultIn(name, () => readBody(body, { ...example, [name]: value })),
      }));
  });
}

/** Characters for changes of texts: those on which patterns depend, and ordinary characters. */
const CHARACTERS = [
  ...[..."aZ09rS1E5:,.-_~/%?#&'\"@ ", "\n", "\t", "\u0000", "\u0085", "\u00a0", "\u00ad", "\u200b", "\u2028", "\u202e"],
  ...[
    "\ufeff",
    "é",
    "水",
    "\u{1f600}",
    "\u{e0001}",
    "\u{10ffff}",
    "%2e",
    "%2F",
    "%5c",
    "%25",
    "%2541",
    "%c3%a9",
    "%EF%BC%8F",
  ],
  ...["/auth", "/%61uth", "..", "//", "E1:absent", ",R1:passed"],
];

/** A change of a text: the place, the number of removed characters, and the inserted characters. */
const change = fc.record({
  at: fc.nat(1000),
  removed: fc.nat(2),
  inserted: fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 3 }),
});

/** Generates values that a schema just accepts or rejects: values at its limits, and examples with changed characters. */
function valuesNear({ schema, seeds }: Place): fc.Arbitrary<unknown> {
  const limits = findValues("maxLength", schema).map(Number);
  const numbers = ["minimum", "maximum"].flatMap((name) => findValues(name, schema).map(Number));
  const texts = [...seeds, ...findValues("enum", schema).flat()].filter((value) => typeof value === "string");
  if (/integer|number/.test(String(schema.type))) {
    const near = numbers.flatMap((limit) => [limit - 1, limit - 0.5, limit, limit + 0.5, limit + 1]);
    return fc.oneof(fc.constantFrom(...near), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  }
  const changed = fc.tuple(fc.constantFrom("", ...texts), fc.array(change, { maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((before, { at, removed, inserted }) => {
      const letters = Array.from(before);
      letters.splice(at % (letters.length + 1), removed, ...inserted);
      return letters.join("");
    }, text),
  );
  const long = limits.flatMap((limit) =>
    ["a", "\u{1f600}", " "].flatMap((each) => [each.repeat(limit), each.repeat(limit + 1)]),
  );
  return fc.oneof(changed, changed, fc.constantFrom(...seeds, ...long, "", " ", " a "), fc.string({ unit: "binary" }));
}

describe("values that the schema and the server accept", () => {
  // The same parameter of several routes is tested once.
  const places = new Map([...queryPlaces(), ...bodyPlaces()].map((place) => [JSON.stringify(place), place]));
  test.each([...places.values()])(
    "the server accepts the values of $name that the schema accepts, and no others",
    (place) => {
      let accepted = 0;
      fc.assert(
        fc.property(valuesNear(place), (value) => {
          const [server, schema] = [place.rejection(value), findFaults(place.schema, value)];
          if (server === null) accepted += 1;
          expect({ value, server, schema: schema.length === 0 ? null : expect.anything() }).toEqual({
            value,
            server: schema.length === 0 ? null : expect.any(String),
            schema: server === null ? null : expect.anything(),
          });
        }),
        { numRuns: 400 },
      );
      expect(accepted).toBeGreaterThan(0);
    },
  );

  test("the server accepts the values of identifier in a body that the schema accepts, if they are identifiers", async () => {
    const { identifier } = DOCUMENT.components.schemas.EvaluationRequest?.properties ?? {};
    const seeds = ["10.5072/complete-modern", "zenodo/99000075", "PDB:1ABC", "NCT01234567", "<10.5072/a>"];
    const near = valuesNear({ name: "", schema: identifier ?? {}, seeds, rejection: () => null });
    await fc.assert(
      fc.asyncProperty(near, async (value) => {
        const rejection = faultIn("identifier", () =>
          readBody(evaluationRequest, { identifier: value, rubricVersion: "2.0" }),
        );
        const parsed = rejection === null ? parseIdentifier(String(value)) : null;
        const formal =
          rejection !== null || (parsed?.kind === "rejected" && /invisible|empty|at most/.test(parsed.reason));
        expect([value, formal]).toEqual([value, findFaults(identifier ?? {}, value).length > 0]);
      }),
      { numRuns: 1000 },
    );
  });
});
