/**
 * Tests the OpenAPI document with third-party tools: a linter finds nothing, and generated clients compile and read every
 * example. `make clients` installs the tools.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DOCUMENT, namedExamples } from "./examples.ts";

const HERE = import.meta.dirname;
const PACKAGES = join(HERE, "node_modules");
const PYTHON = join(HERE, ".python", "bin");
const HAS_PACKAGES = existsSync(join(PACKAGES, "openapi-typescript"));
const HAS_PYTHON = existsSync(join(PYTHON, "openapi-python-client"));
if (!HAS_PACKAGES) console.warn("suites on generated TypeScript skipped: run `make clients`");
if (!HAS_PYTHON) console.warn("suite on generated Python skipped: run `make clients`");

/** Time limit in milliseconds, long because generators and compilers start slowly and other suites run beside them. */
const PATIENCE = 300_000;

let folder = "";
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "share-clients-"));
  writeFileSync(at("openapi.json"), JSON.stringify(DOCUMENT));
  writeFileSync(at("examples.json"), JSON.stringify(namedExamples()));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command, and returns its exit code and its output. */
function run(
  command: string,
  ...parameters: readonly string[]
): { readonly status: number | null; readonly said: string } {
  const environment = { ...process.env, PATH: `${PYTHON}:${process.env.PATH}`, SCARF_ANALYTICS: "false", CI: "true" };
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    cwd: folder,
    encoding: "utf8",
    env: environment,
    timeout: PATIENCE,
  });
  if (error !== undefined) throw error;
  return { status, said: `${stdout}${stderr}` };
}

const node = (script: string, ...parameters: readonly string[]) =>
  run(process.execPath, join(PACKAGES, script), ...parameters);

/** Compiles files in strict mode, with the version of TypeScript for which the generators were made. */
function compile(...files: readonly string[]) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
  };
  writeFileSync(at("tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  return node("typescript/bin/tsc", "--project", "tsconfig.json");
}

/** Returns a program that assigns each example to its type. */
function program(header: string, getType: (schema: string) => string): string {
  const lines = namedExamples().map(({ schema, isList, value }, i) => {
    const type = isList ? `${getType(schema)}[]` : getType(schema);
    return `export const example${i}: ${type} = ${JSON.stringify(value)};`;
  });
  return [header, ...lines, ""].join("\n");
}

test("the OpenAPI document has more than a hundred JSON examples for these tests", () => {
  expect(namedExamples().length).toBeGreaterThan(100);
});

describe.skipIf(!HAS_PACKAGES)("the OpenAPI document and tools in TypeScript", { timeout: PATIENCE }, () => {
  test("the linter Spectral reports no fault in the OpenAPI document", () => {
    const linted = node(
      "@stoplight/spectral-cli/dist/index.js",
      ...["lint", "openapi.json", "--ruleset", join(HERE, ".spectral.json"), "--fail-severity", "hint"],
    );
    expect(linted).toEqual({ status: 0, said: expect.stringContaining("No results") });
  });

  test("openapi-typescript generates types that every example of the OpenAPI document has", () => {
    expect(node("openapi-typescript/bin/cli.js", "openapi.json", "-o", "described.d.ts").status).toBe(0);
    const header = 'import type { components } from "./described";';
    const getType = (schema: string) => `components["schemas"]["${schema}"]`;
    writeFileSync(at("described.ts"), program(header.replace("./described", "./described.d"), getType));
    expect(compile("described.ts")).toEqual({ status: 0, said: "" });
    // The compiler would report a wrong type.
    writeFileSync(at("wrong.ts"), `${header}\nexport const wrong: ${getType("Problem")} = { status: "404" };\n`);
    expect(compile("wrong.ts").status).not.toBe(0);
  });

  test("@hey-api/openapi-ts generates a client that compiles, with types that every example has", () => {
    const made = node("@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "client", "--silent");
    expect(made.status).toBe(0);
    writeFileSync(
      at("examples.ts"),
      program('import type * as api from "./client";', (schema) => `api.${schema}`),
    );
    expect(compile("examples.ts", "client/sdk.gen.ts")).toEqual({ status: 0, said: "" });
    expect(readFileSync(at("client/sdk.gen.ts"), "utf8")).toContain("export const records");
  });
});

describe.skipIf(!HAS_PYTHON)("the OpenAPI document and tools in Python", { timeout: PATIENCE }, () => {
  test("openapi-spec-validator reports no fault in the OpenAPI document", () => {
    expect(run(join(PYTHON, "openapi-spec-validator"), "openapi.json")).toEqual({
      status: 0,
      said: "openapi.json: OK\n",
    });
  });

  test("schemathesis can generate requests for every operation, and so accepts every pattern", () => {
    const made = run(join(PYTHON, "python"), join(HERE, "generate_requests.py"), "openapi.json");
    expect(made).toEqual({ status: 0, said: expect.any(String) });
    const operations = Object.values(DOCUMENT.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    expect(JSON.parse(made.said)).toEqual({ operations, failed: [] });
  });

  test("openapi-python-client generates a client without warnings, and its models reproduce every example", () => {
    const settings = ["--meta", "none", "--config", join(HERE, "python-client.yml"), "--fail-on-warning"];
    const made = run(
      join(PYTHON, "openapi-python-client"),
      ...["generate", "--path", "openapi.json", "--output-path", "share_client", ...settings],
    );
    expect(made).toEqual({ status: 0, said: expect.not.stringMatching(/warning/i) });
    const read = run(join(PYTHON, "python"), join(HERE, "read_examples.py"), folder, "examples.json");
    expect(read).toEqual({ status: 0, said: expect.any(String) });
    expect(JSON.parse(read.said).read).toBeGreaterThanOrEqual(namedExamples().length);
  });
});
