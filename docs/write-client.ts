/**
 * Writes two files of `client/` from the OpenAPI document: types, made by openapi-typescript, and a table of the
 * operations. The files are not in git, so `make test`, `npm run types` and the build of the package write them first.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApi } from "../api-static/openapi/index.ts";
import type { MediaType, Operation, Response } from "../api-static/openapi/types.ts";

const CLIENT = fileURLToPath(new URL("../client/", import.meta.url));
const GENERATOR = join(CLIENT, "node_modules/openapi-typescript/bin/cli.js");

const HEAD = "Written by `npm run client-types` from the OpenAPI document";

const document = openApi();

/** Returns the generated types. A sentence on the purpose of the file replaces the generator's first comment. */
function describedTypes(): string {
  const folder = mkdtempSync(join(tmpdir(), "share-types-"));
  try {
    const [from, to] = [join(folder, "openapi.json"), join(folder, "described.ts")];
    writeFileSync(from, JSON.stringify({ ...document, paths: pathsWithAllFields() }, withoutExamples));
    execFileSync(process.execPath, [GENERATOR, from, "--output", to], { stdio: ["ignore", "ignore", "inherit"] });
    const [, ...lines] = readFileSync(to, "utf8").split(/^ \*\/\n/m);
    return `/** Types of every endpoint, request and response of the API. ${HEAD}. */\n${lines.join(" */\n")}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns undefined for examples and headers, which the generator would repeat in thousands of lines of comments. */
function withoutExamples(name: string, value: unknown): unknown {
  return ["example", "examples", "headers", "x-codeSamples"].includes(name) ? undefined : value;
}

function pathsWithAllFields(): typeof document.paths {
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withAllFields(operation)])),
    ]),
  );
}

/** Changes an operation so that the type of a row has all fields, although a request may select some of them. */
function withAllFields(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if ("$ref" in response || response.content === undefined) return [status, response];
    const content = Object.entries(response.content).map(([type, media]) => [type, withFirstSchema(media)]);
    return [status, { ...response, content: Object.fromEntries(content) }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

function withFirstSchema(media: MediaType): MediaType {
  const [first] = media.schema?.anyOf ?? [];
  return first === undefined ? media : { ...media, schema: first };
}

/**
 * Returns the form in which a client reads the response: the bytes of a file, otherwise JSON if available, and
 * otherwise text.
 */
function chooseForm({ responses }: Operation): "bytes" | "json" | "text" {
  const types = Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith("2") ? Object.keys(getContent(response)) : [],
  );
  if (types.includes("application/octet-stream")) return "bytes";
  return types.includes("application/json") ? "json" : "text";
}

function getContent(response: Operation["responses"][string]): NonNullable<Response["content"]> {
  return "$ref" in response ? {} : (response.content ?? {});
}

function operationTable(): string {
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  ${operation.operationId}: ["${method.toUpperCase()}", "${path}", "${chooseForm(operation)}"],`,
    ),
  );
  return [
    `/** The method, the path and the form of the response of every operation. Written by \`npm run client-types\`. */`,
    "",
    'import type { operations } from "./described.ts";',
    "",
    "/** The form of a response: an object, a text, or the bytes of a file. */",
    'export type Form = "json" | "text" | "bytes";',
    "",
    "export const OPERATIONS = {",
    ...rows,
    '} as const satisfies Record<keyof operations, readonly ["GET" | "POST" | "DELETE", string, Form]>;',
    "",
  ].join("\n");
}

const FILES = { "described.ts": describedTypes, "operations.ts": operationTable };

for (const [name, make] of Object.entries(FILES)) {
  const path = join(CLIENT, name);
  const text = make();
  if (textOrNull(path) !== text) writeFileSync(path, text);
}

function textOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
