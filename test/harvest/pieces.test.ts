/**
 * Tests two helpers of a harvest: one remembers the records that were received, and one runs several requests at once with
 * results in order.
 */

import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { mapInOrder, SeenRecords } from "../../pipeline/1-harvest/page-records.ts";

describe("the records that a harvest remembers", () => {
  test("remembered records are recognised as new, unchanged or changed when they come again", () => {
    const seen = new SeenRecords(100);
    const sights = [
      ["a", "1"],
      ["a", "1"],
      ["b", "1"],
      ["a", "2"],
      ["a", "2"],
    ].map(([id = "", content = ""]) => seen.note(id, content));
    expect(sights).toEqual(["new", "same", "new", "changed", "same"]);
    expect([seen.has("a"), seen.has("c")]).toEqual([true, false]);
    seen.clear();
    expect(seen.note("a", "2")).toBe("new");
  });

  test("remembered records are all distinguished if there are a hundred thousand", () => {
    const seen = new SeenRecords(1_000_000);
    const ids = Array.from({ length: 100_000 }, (_, i) => `10.5555/${i}`);
    expect(ids.filter((id) => seen.note(id, "x") !== "new")).toEqual([]);
    expect(ids.filter((id) => seen.note(id, "x") !== "same")).toEqual([]);
  });

  test("remembered records are forgotten, the older half first, when there are too many", () => {
    const seen = new SeenRecords(10);
    for (let i = 0; i < 100; i++) seen.note(String(i), "");
    expect([99, 98, 97, 96, 95].every((i) => seen.has(String(i)))).toBe(true);
    expect(Array.from({ length: 90 }, (_, i) => i).filter((i) => seen.has(String(i)))).toEqual([]);
  });
});

describe("tasks that a harvest runs in parallel", () => {
  test("parallel tasks never exceed the allowed number at a time, and return their results in order", async () => {
    let [now, most] = [0, 0];
    const results: number[] = [];
    const work = async (item: number) => {
      now += 1;
      most = Math.max(most, now);
      await pause(item % 3);
      now -= 1;
      return item;
    };
    const items = Array.from({ length: 20 }, (_, i) => i);
    for await (const result of mapInOrder(items, 4, work)) results.push(result);
    expect(results).toEqual(items);
    expect(most).toBe(4);
  });

  test("parallel tasks report an error only after the results before it, and no further task then starts", async () => {
    const begun: number[] = [];
    const results: number[] = [];
    const run = async () => {
      const work = async (item: number) => {
        begun.push(item);
        if (item === 2) throw new Error("two");
        return item;
      };
      for await (const result of mapInOrder([0, 1, 2, 3, 4, 5, 6, 7], 2, work)) results.push(result);
    };
    await expect(run()).rejects.toThrow("two");
    expect(results).toEqual([0, 1]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });
});
