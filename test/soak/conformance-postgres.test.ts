/** The statements about what is stored, asked of a server whose accounts are in PostgreSQL. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, STORED_STATEMENTS } from "../contract/conformance/index.ts";
import { World } from "../contract/world.ts";
import { POSTGRES_PROGRAMS } from "../support/postgres.ts";

describe.skipIf(POSTGRES_PROGRAMS === null)("with accounts in PostgreSQL", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.make({ postgres: true });
  }, 120_000);

  afterAll(() => world?.end());

  test.each(STORED_STATEMENTS)("$clause: $says $path", async (statement) => {
    expect(await faultsOf({ ...statement, of: "full, with PostgreSQL" }, world)).toEqual([]);
  });
});
