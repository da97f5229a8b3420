/** Tasks on the executors of a Spark: each partition of orders is given to a Node process, which takes one after the other. */

import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { deserialize } from "node:v8";
import { type Answer, BUILD_HEAP, failureOf } from "../../stage/worker-child.ts";
import { quote } from "../sql-text.ts";
import { lineOf } from "./executor-order.ts";
import type { SparkSession } from "./session.ts";

/** Tasks of a process: each takes seconds, and its start some tenths of one. */
const TASKS_A_PROCESS = 4;

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** As Runtime.runPool has it; `folder` is one of this pool, which all executors see under the same path. */
export async function runOnExecutors<Task, Result>(
  session: SparkSession,
  folder: string,
  module: URL,
  tasks: readonly Task[],
  onDone: (task: Task, result: Result) => void,
): Promise<Result[]> {
  if (tasks.length === 0) return [];
  const answers = join(folder, "answers");
  const orders = join(folder, "orders");
  for (const part of [answers, orders]) await mkdir(part, { recursive: true });
  const lines = tasks.map((task, number) => lineOf({ module: module.href, task, number, answers }));
  await writeFile(join(orders, "orders.txt"), `${lines.join("\n")}\n`);
  const taken = new Taken(answers, tasks, onDone);
  await session.ask(`create table ordered (line string) using text location ${quote(orders)}`);
  await session.ask(transform(Math.ceil(tasks.length / TASKS_A_PROCESS)), () => taken.look());
  await session.ask("drop table ordered");
  const results = taken.all();
  await rm(folder, { recursive: true });
  return results;
}

function transform(processes: number): string {
  const command = ["exec", shellQuote(execPath), ...BUILD_HEAP, shellQuote(WORKER)].join(" ");
  return `select transform (line) using ${quote(command)} as (number string)
    from (select /*+ repartition(${processes}) */ line from ordered) as spread`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The answers that are there: each is taken once, while others are still worked on. */
class Taken<Task, Result> {
  readonly #folder: string;
  readonly #tasks: readonly Task[];
  readonly #onDone: (task: Task, result: Result) => void;
  readonly #results = new Map<number, Result>();

  constructor(folder: string, tasks: readonly Task[], onDone: (task: Task, result: Result) => void) {
    this.#folder = folder;
    this.#tasks = tasks;
    this.#onDone = onDone;
  }

  look(): void {
    for (const name of readdirSync(this.#folder)) {
      const number = Number(name);
      const task = this.#tasks[number];
      // Other names are of attempts under way.
      if (!/^\d+$/.test(name) || task === undefined || this.#results.has(number)) continue;
      const answer: Answer = deserialize(readFileSync(join(this.#folder, name)));
      if ("failed" in answer) throw failureOf(answer);
      const result = answer.done as Result;
      this.#results.set(number, result);
      this.#onDone(task, result);
    }
  }

  /** In the order of the tasks. */
  all(): Result[] {
    this.look();
    return this.#tasks.map((_, number) => {
      if (!this.#results.has(number)) throw new Error(`no executor answered task ${number} of ${this.#tasks.length}`);
      return this.#results.get(number) as Result;
    });
  }
}
