/** The service judged from outside: every statement of its interface, asked of listening servers. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POSTGRES_PROGRAMS } from "../support/postgres.ts";
import { faultsOf, STATEMENTS, STORED_STATEMENTS } from "./conformance/index.ts";
import { World } from "./world.ts";

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
});

describe.each([...Map.groupBy(STATEMENTS, ({ clause }) => clause)])("%s", (_clause, statements) => {
  test.each(statements)("$says [$of] $path", async (statement) => {
    expect(await faultsOf(statement, world())).toEqual([]);
  });
});

describe.skipIf(POSTGRES_PROGRAMS === null)("what is stored, with accounts in PostgreSQL", () => {
  test.each(STORED_STATEMENTS)("$clause: $says $path", async (statement) => {
    expect(await faultsOf({ ...statement, of: "full, with PostgreSQL" }, world())).toEqual([]);
  });
});
