/** Turns at the engine: how many run, how many wait, who is next, and what becomes of those who go away. */

import { describe, expect, test } from "vitest";
import { ProblemError } from "../../server/http/response.ts";
import { ClientGone, Turns } from "../../server/read/query-engine.ts";

/** Work that ends on request, and records when it began. */
class Work {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  readonly run = (name: string) => () => {
    this.begun.push(name);
    return new Promise<string>((resolve) => this.#ends.set(name, () => resolve(name)));
  };

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  }
}

const request = () => new AbortController();

describe("turns", () => {
  test("runs a limited number of requests in order of arrival, lets others wait, and rejects those beyond the limit", async () => {
    const turns = new Turns({ atOnce: 2, waiting: 2 });
    const work = new Work();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => turns.take(request().signal, work.run(name)));
    const refused = await turns.take(request().signal, work.run("e")).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProblemError);
    expect(refused).toMatchObject({ type: "overloaded", status: 503, headers: { "retry-after": "1" } });
    await work.end("b");
    expect(work.begun).toEqual(["a", "b", "c"]);
    const f = turns.take(request().signal, work.run("f"));
    for (const name of ["a", "c", "d", "f"]) await work.end(name);
    expect(await Promise.all([a, b, c, d, f])).toEqual(["a", "b", "c", "d", "f"]);
    expect(work.begun).toEqual(["a", "b", "c", "d", "f"]);
  });

  test("a request that already had a turn precedes new ones, and is not rejected", async () => {
    const turns = new Turns({ atOnce: 1, waiting: 1 });
    const work = new Work();
    const one = request().signal;
    const first = turns.take(one, work.run("one, first"));
    const other = turns.take(request().signal, work.run("other"));
    const second = turns.take(one, work.run("one, second"));
    for (const name of ["one, first", "one, second", "other"]) await work.end(name);
    await Promise.all([first, second, other]);
    expect(work.begun).toEqual(["one, first", "one, second", "other"]);
  });

  test("drops a client that disconnects while waiting, and frees its place", async () => {
    const turns = new Turns({ atOnce: 1, waiting: 1 });
    const work = new Work();
    const running = turns.take(request().signal, work.run("running"));
    const leaving = request();
    const left = turns.take(leaving.signal, work.run("left"));
    leaving.abort();
    await expect(left).rejects.toThrow(ClientGone);
    await expect(turns.take(leaving.signal, work.run("late"))).rejects.toThrow(ClientGone);
    const next = turns.take(request().signal, work.run("next"));
    for (const name of ["running", "next"]) await work.end(name);
    await Promise.all([running, next]);
    expect(work.begun).toEqual(["running", "next"]);
  });

  test("failed work passes the turn on", async () => {
    const turns = new Turns({ atOnce: 1, waiting: 5 });
    const failing = () => Promise.reject(new Error("broken"));
    const all = [turns.take(null, failing), turns.take(null, failing), turns.take(null, async () => "done")];
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(await turns.take(null, async () => "after")).toBe("after");
  });
});
