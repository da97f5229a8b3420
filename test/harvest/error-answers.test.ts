/** Tests that every source rejects a service's error message that was stored in place of a record. */

import { describe, expect, test } from "vitest";
import { findRecords } from "../../pipeline/1-harvest/document.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";

/** Error bodies in the forms that the services send. */
const BODIES = [
  { name: "JSON:API with a list of errors", body: { errors: [{ detail: "Not found." }] }, says: "Not found." },
  { name: "JSON:API with errors and meta", body: { meta: { version: "2" }, errors: [{ detail: "No." }] }, says: "No." },
  { name: "errors as an object", body: { errors: { title: "parse_exception: x" } }, says: "parse_exception: x" },
  { name: "errors as texts", body: { errors: ["The mime types are not supported."] }, says: "The mime types" },
  { name: "a code as a number, with a message", body: { code: 400, message: "Bad" }, says: "400: Bad" },
  { name: "a code as a word, with a message", body: { code: "EntityNotFound", message: "Gone" }, says: "Gone" },
  { name: "a status and a message", body: { status: 404, message: "PID does not exist." }, says: "404: PID" },
  { name: "an error of Dataverse", body: { status: "ERROR", message: "Not found" }, says: "Not found" },
  { name: "an error of OpenAIRE", body: { error: "Too many requests", description: "Wait" }, says: "Wait" },
  { name: "an error of NCBI in a summary", body: { esummaryresult: ["Invalid db name"] }, says: "Invalid db name" },
  { name: "an error of NCBI in a search", body: { esearchresult: { ERROR: "Invalid" } }, says: "Invalid" },
  {
    name: "an error of GraphQL",
    body: { errors: [{ message: "not public" }], data: null },
    says: /not public|without a message/,
  },
];

describe.each(SOURCES.map((source) => ({ name: source.name, source })))(
  "error bodies in an import for $name",
  ({ source }) => {
    test.each(BODIES)("an error body is rejected as an error, and not stored as a record: $name", ({ body, says }) => {
      const { records, rejected } = findRecords(Buffer.from(JSON.stringify(body)), source);
      expect(records).toEqual([]);
      expect(rejected).toMatchObject([{ reason: "error-answer" }]);
      expect(rejected[0]?.detail).toMatch(says);
    });
  },
);

test("an error of Dataverse is recognised even if it has no message", () => {
  const source = SOURCES.find(({ name }) => name === "dataverse");
  const found = source === undefined ? null : findRecords(Buffer.from(`{"status":"ERROR"}`), source);
  expect(found?.rejected).toMatchObject([{ reason: "error-answer", detail: "an error without a message" }]);
});
