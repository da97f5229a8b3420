/** Checks every statement of the interface against listening servers, and writes `coverage/conformance.md`. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../api-static/routes/index.ts";
import { DOCUMENT } from "../openapi/validator.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { POSTGRES_PROGRAMS } from "../support/postgres.ts";
import { faultsOf, STATEMENTS, STORED_STATEMENTS, SUCCEEDED } from "./conformance/index.ts";
import type { Statement } from "./conformance/statement.ts";
import { conformancePage } from "./conformance-page.ts";
import { World } from "./world.ts";

const REPORT = join(REPOSITORY, "coverage/conformance.md");

const failed = new Set<Statement>();
let built: World | null = null;

function world(): World {
  if (built === null) throw new Error("the releases are not built yet");
  return built;
}

beforeAll(async () => {
  built = await World.make({ postgres: POSTGRES_PROGRAMS !== null });
}, 300_000);

afterAll(async () => {
  await built?.end();
  await mkdir(join(REPOSITORY, "coverage"), { recursive: true });
  await writeFile(REPORT, conformancePage(failed));
});

describe.each([...Map.groupBy(STATEMENTS, ({ clause }) => clause)])("%s", (_clause, statements) => {
  test.each(statements)("$says [$of] $path", async (statement) => {
    failed.add(statement);
    expect(await faultsOf(statement, world())).toEqual([]);
    failed.delete(statement);
  });
});

test("every operation of the OpenAPI document has answered with success, as it is described", () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  const names = ROUTES.filter(({ path, method }) => DOCUMENT.paths[path]?.[method] !== undefined).map(
    ({ name }) => name,
  );
  expect(names).toHaveLength(operations.length);
  expect(names.filter((name) => !SUCCEEDED.has(name))).toEqual([]);
});

describe.skipIf(POSTGRES_PROGRAMS === null)("what is stored, with accounts in PostgreSQL", () => {
  test.each(STORED_STATEMENTS)("$clause: $says $path", async (statement) => {
    expect(await faultsOf({ ...statement, of: "full, with PostgreSQL" }, world())).toEqual([]);
  });
});
