/**
 * Writes the two files of `client/` that follow from the OpenAPI document: its types, by openapi-typescript, and a table of
 * its operations. They are not in git: `make test`, `npm run types` and the package's build write them first.
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

/** The generator writes the link of a file of its own; ours opens with a sentence on its purpose. */
function describedTypes(): string {
  const folder = mkdtempSync(join(tmpdir(), "share-types-"));
  try {
    const [from, to] = [join(folder, "openapi.json"), join(folder, "described.ts")];
    writeFileSync(from, JSON.stringify({ ...document, paths: pathsWithWholeRows() }, withoutExamples));
    execFileSync(process.execPath, [GENERATOR, from, "--output", to], { stdio: ["ignore", "ignore", "inherit"] });
    const [, ...lines] = readFileSync(to, "utf8").split(/^ \*\/\n/m);
    return `/** Every address of the API and every shape it takes and gives, as types. ${HEAD}. */\n${lines.join(" */\n")}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Types say nothing of examples, headers and the ways to ask: comments would repeat them by the thousand lines. */
function withoutExamples(name: string, value: unknown): unknown {
  return ["example", "examples", "headers", "x-codeSamples"].includes(name) ? undefined : value;
}

function pathsWithWholeRows(): typeof document.paths {
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withWholeRows(operation)])),
    ]),
  );
}

/** Rows are typed whole: who asks for some `fields` alone knows which. */
function withWholeRows(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if ("$ref" in response || response.content === undefined) return [status, response];
    const content = Object.entries(response.content).map(([type, media]) => [type, withFirst(media)]);
    return [status, { ...response, content: Object.fromEntries(content) }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

function withFirst(media: MediaType): MediaType {
  const [whole] = media.schema?.anyOf ?? [];
  return whole === undefined ? media : { ...media, schema: whole };
}

/** How an answer is read: a file is its bytes, whatever it is of; where programs get JSON, it is JSON; else it is text. */
function formOf({ responses }: Operation): "bytes" | "json" | "text" {
  const types = Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith("2") ? Object.keys(contentOf(response)) : [],
  );
  if (types.includes("application/octet-stream")) return "bytes";
  return types.includes("application/json") ? "json" : "text";
}

function contentOf(response: Operation["responses"][string]): NonNullable<Response["content"]> {
  return "$ref" in response ? {} : (response.content ?? {});
}

function operationTable(): string {
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  ${operation.operationId}: ["${method.toUpperCase()}", "${path}", "${formOf(operation)}"],`,
    ),
  );
  return [
    `/** Every operation of the API: its method, its address, and the form of its answer. ${HEAD}. */`,
    "",
    'import type { operations } from "./described.ts";',
    "",
    "/** What an answer is given as: an object, a text, or the bytes of a file. */",
    'export type Form = "json" | "text" | "bytes";',
    "",
    "export const OPERATIONS = {",
    ...rows,
    '} as const satisfies Record<keyof operations, readonly ["GET" | "POST" | "DELETE", string, Form]>;',
    "",
  ].join("\n");
}

const FILES = { "described.ts": describedTypes, "operations.ts": operationTable };

for (const [name, written] of Object.entries(FILES)) {
  const path = join(CLIENT, name);
  const text = written();
  if (readBefore(path) !== text) writeFileSync(path, text);
}

function readBefore(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
