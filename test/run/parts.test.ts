/** Tests runs for parts of a source: parts are named once, and later runs continue them and report parts that are left out. */

import { mkdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type Run, RunWorld } from "./world.ts";

let world: RunWorld;

beforeAll(async () => {
  world = await RunWorld.open();
  await mkdir(world.at.store.root, { recursive: true });
});
afterAll(() => world?.close());

const listHarvests = ({ summary }: Run) =>
  summary?.harvests.map(({ source, only, outcome }) => [source, only, outcome]);
const clientsAsked = (from: number) =>
  world.services.datacite.asked.slice(from).map(({ url }) => url.searchParams.get("client-id"));

test("a run harvests the named parts, later runs continue them, and a run with fewer parts reports the rest", async () => {
  const first = await world.run("--only", "client=one.a", "datacite:client=one.b");
  expect(listHarvests(first), first.stderr).toEqual([
    ["datacite", "client=one.a", "complete"],
    ["datacite", "client=one.b", "complete"],
  ]);
  expect(first.summary?.outcome).toBe("activated");
  expect(clientsAsked(0)).toEqual([...Array(5).fill("one.a"), ...Array(5).fill("one.b")]);

  const second = await world.run();
  expect(listHarvests(second)).toEqual([
    ["datacite", "client=one.a", "not-due"],
    ["datacite", "client=one.b", "not-due"],
  ]);

  const asked = world.services.datacite.asked.length;
  const third = await world.run("--interval", "0m");
  expect(third.exitCode).toBe(0);
  expect(new Set(clientsAsked(asked))).toEqual(new Set(["one.a", "one.b"]));
  for (const { url } of world.services.datacite.asked.slice(asked))
    expect(url.searchParams.get("query")).toContain("AND updated:[");

  const fourth = await world.run("--only", "client=one.b");
  expect(listHarvests(fourth)).toEqual([
    ["datacite", "client=one.b", "not-due"],
    ["datacite", "client=one.a", "left-out"],
  ]);
  const digest = await world.active();
  const receipt = digest === null ? null : await readReceipt(world.at.store.release(digest));
  expect(receipt?.sources.find(({ source }) => source === "datacite")?.scopes).toMatchObject([
    { only: "client=one.a" },
    { only: "client=one.b" },
  ]);
}, 600_000);
