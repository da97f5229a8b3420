/** Tests that a credential is sent only to its own service, in the documented form, and that it is never printed or stored. */

import { readdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Fault, serve } from "../support/upstream/service.ts";
import { WORLDS } from "../support/upstream/worlds.ts";
import { testEffects } from "./bench-store.ts";

const SECRET = "id%40example:s3cret-key/+";
const FORMS = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString("base64"), "s3cret-key"];

const KNOWN = SOURCES.flatMap(({ name, credential }) => (credential === undefined ? [] : [{ name, credential }]));

/** Harvests with a credential and an optional fault. Returns all texts that were printed or stored, and the requests. */
async function harvested(name: string, fault: Fault = () => false) {
  const [source, world] = [sourceNamed(name), WORLDS[name]?.()];
  if (source === null || world === undefined) throw new Error(`there is no source or no simulated service ${name}`);
  await using bench = await temporaryStore();
  await using service = await serve(world.dialect);
  service.fault = fault;
  const effects = testEffects();
  const options = { since: null, limit: null, contact: null, base: service.base, allowPrivate: true, secret: SECRET };
  const outcome = await harvestHttp(bench.store, source, options, effects).then(
    (summary) => JSON.stringify(summary),
    (error: unknown) => (error instanceof Error ? `${error.message} ${error.stack}` : ""),
  );
  const said = [outcome, ...effects.logged.map((event) => JSON.stringify(event))];
  const folder = bench.store.raw(name);
  for (const file of await readdir(folder)) {
    const bytes = await readFile(join(folder, file));
    said.push((file.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).toString("utf8"));
  }
  return { said, asked: service.asked };
}

function leaks(said: readonly string[]): string[] {
  return said.filter((text) => FORMS.some((form) => text.includes(form)));
}

function quoting(response: ServerResponse, status: number): boolean {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: `API key ${SECRET} is not known`, message: encodeURIComponent(SECRET) }));
  return true;
}

describe.each(KNOWN)("a credential for $name", ({ name, credential }) => {
  test("a harvest sends the credential in every request", async () => {
    const { asked } = await harvested(name);
    for (const { url, headers } of asked) {
      if (typeof credential.form === "object") expect(url.searchParams.get(credential.form.parameter)).toBe(SECRET);
      else expect(headers.authorization).toMatch(/^(Bearer|token|Basic) \S+$/);
    }
  });

  const faults: readonly { readonly name: string; readonly fault: Fault }[] = [
    { name: "in a harvest without faults", fault: () => false },
    { name: "if a temporary error quotes the credential", fault: (response, n) => n === 2 && quoting(response, 500) },
    { name: "if status 400 quotes the credential", fault: (response, n) => n === 2 && quoting(response, 400) },
    {
      name: "if an error with status 200 quotes the credential",
      fault: (response, n) => n === 2 && quoting(response, 200),
    },
    {
      name: "if the connection breaks",
      fault(response, n) {
        if (n === 2) response.socket?.resetAndDestroy();
        return n === 2;
      },
    },
    {
      name: "if a redirect repeats the URL with the credential",
      fault(response, n, { url }) {
        if (n !== 2) return false;
        response.writeHead(307, { location: `${url.href}&again=1` });
        response.end();
        return true;
      },
    },
    {
      name: "if a redirect to another host contains the credential",
      fault(response, n, { url }) {
        if (n !== 2) return false;
        response.writeHead(307, { location: `http://localhost:9${url.pathname}${url.search}` });
        response.end();
        return true;
      },
    },
  ];
  test.each(faults)("neither prints nor stores the credential $name", async ({ fault }) => {
    const { said, asked } = await harvested(name, fault);
    expect(asked.length).toBeGreaterThan(1);
    expect(leaks(said)).toEqual([]);
  });
});

describe("invalid credentials", () => {
  test.each([
    { name: "a credential with white space", secret: "s3cret key", source: "osf" },
    { name: "a credential with a line break", secret: "s3cret\r\nx-evil: 1", source: "osf" },
    { name: "a credential for a service that has none", secret: "s3cret-key", source: "edi" },
  ])("an invalid credential is rejected, and the error does not show it: $name", async ({ secret, source: name }) => {
    const source = sourceNamed(name);
    if (source === null) throw new Error(`there is no source ${name}`);
    await using bench = await temporaryStore();
    const run = harvestHttp(bench.store, source, { since: null, limit: null, contact: null, secret }, testEffects());
    await expect(run).rejects.toMatchObject({
      code: "bad-harvest-option",
      message: expect.not.stringContaining("s3cret"),
    });
  });
});
