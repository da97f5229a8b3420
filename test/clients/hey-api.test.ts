/** A client that @hey-api/openapi-ts generates from the OpenAPI document calls every operation of a real server once. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Given, World } from "./every-operation.ts";
import { DOCUMENT } from "./examples.ts";

const GENERATOR = join(import.meta.dirname, "node_modules/@hey-api/openapi-ts/bin/run.js");
const PATIENCE = 300_000;

/** The functions of the generated client. Every function has one object as its parameter. */
interface Sdk {
  readonly [operation: string]: (options: object) => Promise<{ readonly data?: unknown; readonly error?: unknown }>;
}

interface Made {
  readonly sdk: Sdk;
  readonly client: { setConfig(config: object): void };
}

describe.skipIf(!existsSync(GENERATOR))("a client that @hey-api/openapi-ts generates", () => {
  let folder: string;
  let world: World;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "share-hey-api-"));
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(DOCUMENT));
    world = await World.make();
  }, PATIENCE);

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the generated client calls every operation", { timeout: PATIENCE }, async () => {
    const { sdk, client } = await generated(folder);
    client.setConfig({ baseUrl: world.url, fetch: world.visitor() });
    const call = async (name: string, given: Given) => {
      // The generator appends an underscore to a name that is taken.
      const ask = sdk[name] ?? sdk[`${name}_`];
      return (await ask?.({ ...given, throwOnError: true }))?.data;
    };
    const asked = await world.askEverything("generated", call);
    const operations = Object.values(DOCUMENT.paths).flatMap((methods) => Object.values(methods));
    expect([...new Set(asked)].sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  });
});

async function generated(folder: string): Promise<Made> {
  const words = ["-i", "openapi.json", "-o", "client", "--silent"];
  const made = spawnSync(process.execPath, [GENERATOR, ...words], { cwd: folder, encoding: "utf8", timeout: PATIENCE });
  if (made.status !== 0) throw new Error(made.stderr);
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, "client", name)).href);
  // Modules are loaded one after the other: if loaded at once, each function could get a client of its own without a URL.
  const { client } = await load("client.gen.ts");
  return { sdk: await load("sdk.gen.ts"), client };
}
