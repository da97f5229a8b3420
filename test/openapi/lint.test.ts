/** A public linter reports nothing about the OpenAPI document under its strict rules. */

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { openApi } from "../../api-static/openapi/index.ts";

/** Returns the errors and warnings of all rules of the set recommended-strict, one in each line. */
async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

test.each([null, "ada@example.org", "https://example.org/help"])(
  "the linter reports no fault in the document with the contact %s",
  async (contact) => {
    expect(await lint(openApi(contact))).toEqual([]);
  },
);

test("the linter finds a fault in a damaged document", async () => {
  const document = openApi();
  const worse = { ...document, info: { title: document.info.title }, security: [{ Nothing: [] }] };
  expect((await lint(worse)).map((line) => line.split(" ")[0])).toEqual(
    expect.arrayContaining(["struct", "security-defined", "info-license"]),
  );
});
