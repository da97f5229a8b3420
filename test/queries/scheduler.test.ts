/** The scheduler of queries: the order in which callers get turns, and what happens to rejected and disconnected clients. */

import { describe, expect, test } from "vitest";
import { type Asking, ClientGone, KINDS, Scheduler, type WorkKind } from "../../server/scheduler.ts";

/** Wraps a scheduler for tests: its clock moves and its work ends only when the test says so. */
class Workshop {
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #scheduler: Scheduler;
  #time = 0;

  constructor(limits: { readonly atOnce: number; readonly waiting: number }) {
    const each = Object.fromEntries(KINDS.map((kind) => [kind, limits])) as Record<WorkKind, typeof limits>;
    this.#scheduler = new Scheduler(each, () => this.#time);
  }

  /**
   * Requests a turn for new work. The name of the work is its caller and a number: "greedy7" is work of the caller "greedy".
   */
  add(name: string, asking: Partial<Asking> = {}): Promise<string> {
    return this.part({ kind: "query", caller: callerIn(name), signal: new AbortController().signal, ...asking }, name);
  }

  /** Requests a turn for a part of a request. Parts of the same request have the same `asking`. */
  part(asking: Asking, name: string): Promise<string> {
    return this.#scheduler.run(asking, () => {
      this.started.push(name);
      return new Promise<string>((resolve) => this.#ends.set(name, () => resolve(name)));
    });
  }

  wait(milliseconds: number): void {
    this.#time += milliseconds;
  }

  /** Ends work as if it had used the engine for this many milliseconds. */
  async end(name: string, milliseconds = 100): Promise<void> {
    this.wait(milliseconds);
    this.#ends.get(name)?.();
    this.#ends.delete(name);
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  }

  /** Ends all work, in the order in which it started, until nothing waits. */
  async endAll(milliseconds = 100): Promise<void> {
    for (const [name] = this.#ends.keys(); this.#ends.size > 0; ) {
      const [first = name ?? ""] = this.#ends.keys();
      await this.end(first, milliseconds);
    }
  }
}

const callerIn = (name: string) => name.replace(/\d+$/, "");
const names = (caller: string, count: number) => Array.from({ length: count }, (_, i) => `${caller}${i}`);
const MANY = { atOnce: 4, waiting: 1000 };

describe("the scheduler of queries", () => {
  test.each([1, 2, 4, 16])(
    "with %i turns at a time, a caller with 50 requests delays another caller by at most one turn",
    async (atOnce) => {
      const shop = new Workshop({ atOnce, waiting: 1000 });
      const all = [...names("greedy", 50), "other0"].map((name) => shop.add(name));
      const before = shop.started.indexOf("other0");
      if (before < 0) await shop.end("greedy0");
      expect(shop.started.indexOf("other0")).toBeLessThanOrEqual(Math.ceil(atOnce / 2));
      await shop.endAll();
      await Promise.all(all);
    },
  );

  test("one caller gets at most half of the turns, so that others can start at once", async () => {
    const shop = new Workshop(MANY);
    const all = [...names("a", 50), "b0", "c0"].map((name) => shop.add(name));
    expect(shop.started).toEqual(["a0", "a1", "b0", "c0"]);
    await shop.endAll();
    await Promise.all(all);
  });

  test("the next turn goes to the caller that used the least time recently", async () => {
    const shop = new Workshop({ atOnce: 1, waiting: 100 });
    const all = ["long0", "short0", "long1", "short1", "new0"].map((name) => shop.add(name));
    await shop.end("long0", 500);
    await shop.end("short0", 20);
    await shop.end("new0", 20);
    await shop.endAll();
    expect(await Promise.all(all)).toHaveLength(5);
    expect(shop.started).toEqual(["long0", "short0", "new0", "short1", "long1"]);
  });

  test("a caller that used much time gets a turn once it has waited long enough", async () => {
    const shop = new Workshop({ atOnce: 1, waiting: 1000 });
    const all = [shop.add("greedy0"), shop.add("greedy1")];
    await shop.end("greedy0", 2000);
    for (let i = 0; !shop.started.includes("greedy1") && i < 500; i += 1) {
      // At every turn, a new caller that has used no time yet competes with "greedy".
      all.push(shop.add(`new-${i}-0`, { caller: `new-${i}` }), shop.add(`new-${i}-1`, { caller: `new-${i}` }));
      await shop.end(shop.started.at(-1) ?? "", 100);
    }
    expect(shop.started).toContain("greedy1");
    expect(shop.started.length).toBeLessThan(200);
    await shop.endAll();
    await Promise.all(all);
  });

  test("the first statement of a caller starts before those of streams, however many streams run", async () => {
    const shop = new Workshop({ atOnce: 2, waiting: 100 });
    const streams = names("s", 20).map((name) => shop.add(name, { kind: "stream", caller: name }));
    expect(shop.started).toEqual(["s0", "s1"]);
    const others = [shop.add("reader0"), shop.add("other0")];
    expect(shop.started.slice(2)).toEqual(["reader0", "other0"]);
    const last = shop.add("third0");
    await shop.end("other0");
    expect(shop.started.at(-1)).toBe("third0");
    await shop.endAll();
    await Promise.all([...streams, ...others, last]);
  });

  test("streams get turns even while first statements of other callers wait", async () => {
    const shop = new Workshop({ atOnce: 2, waiting: 100 });
    const queries = ["a0", "b0", "a1", "b1"].map((name) => shop.add(name));
    const streams = ["s0", "t0", "s1"].map((name) => shop.add(name, { kind: "stream" }));
    await shop.end("s0");
    expect(shop.started).toEqual(["a0", "b0", "s0", "t0", "s1"]);
    await shop.endAll();
    await Promise.all([...queries, ...streams]);
  });

  test("a caller that has half of the waiting places is rejected, but other callers are not", async () => {
    const shop = new Workshop({ atOnce: 2, waiting: 8 });
    const accepted = names("greedy", 5).map((name) => shop.add(name));
    await expect(shop.add("greedy5")).rejects.toMatchObject({
      type: "overloaded",
      status: 503,
      headers: { "retry-after": "1" },
    });
    const others = names("other", 4).map((name) => shop.add(name));
    await shop.endAll();
    expect(await Promise.all([...accepted, ...others])).toHaveLength(9);
  });

  test("if all waiting places are taken, a new caller replaces the newest request of the caller with the most requests", async () => {
    const shop = new Workshop({ atOnce: 1, waiting: 4 });
    const running = shop.add("x0");
    const [first, newest] = names("greedy", 2).map((name) => shop.add(name));
    const rejected = expect(newest).rejects.toMatchObject({ type: "overloaded" });
    const others = ["a0", "b0", "c0"].map((name) => shop.add(name));
    await rejected;
    await expect(shop.add("d0")).rejects.toMatchObject({ type: "overloaded" });
    await shop.endAll();
    expect(await Promise.all([running, first, ...others])).toEqual(["x0", "greedy0", "a0", "b0", "c0"]);
  });

  test("a request that already had a turn comes before others of its caller, and is not rejected", async () => {
    const shop = new Workshop({ atOnce: 1, waiting: 2 });
    const asking: Asking = { kind: "query", caller: "a", signal: new AbortController().signal };
    const all = [shop.part(asking, "a0"), shop.add("a1")];
    all.push(shop.part(asking, "a0 again"));
    await shop.endAll();
    await Promise.all(all);
    expect(shop.started).toEqual(["a0", "a0 again", "a1"]);
  });

  test("a client that disconnects while it waits is dropped, and its place is free", async () => {
    const shop = new Workshop({ atOnce: 1, waiting: 1 });
    const running = shop.add("running");
    const client = new AbortController();
    const { signal } = client;
    const left = shop.add("left", { signal });
    client.abort();
    await expect(left).rejects.toThrow(ClientGone);
    await expect(shop.add("late", { signal })).rejects.toThrow(ClientGone);
    const next = shop.add("next");
    await shop.endAll();
    await Promise.all([running, next]);
    expect(shop.started).toEqual(["running", "next"]);
  });

  test("the next request gets its turn even if work fails", async () => {
    const limits = { atOnce: 1, waiting: 5 };
    const scheduler = new Scheduler({ query: limits, stream: limits, draft: limits });
    const asking = (caller: string): Asking => ({ kind: "query", caller, signal: new AbortController().signal });
    const failing = () => Promise.reject(new Error("broken"));
    const all = [
      scheduler.run(asking("a"), failing),
      scheduler.run(asking("b"), failing),
      scheduler.run(asking("a"), async () => "done"),
    ];
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(await scheduler.run(asking("a"), async () => "after")).toBe("after");
  });
});
