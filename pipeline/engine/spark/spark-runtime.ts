/** Apache Spark as the place where a build runs: its SQL for the tables, its executors for the tasks. */

import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { type Answer, BUILD_HEAP, failureOf, type Order } from "../../stage/worker-child.ts";
import type { Runtime } from "../runtime.ts";
import { quote } from "../sql-text.ts";
import { SparkEngine, SparkSession } from "./spark-engine.ts";

export interface SparkOptions {
  /** Such as `local[2]`, `spark://host:7077`, `yarn` or `k8s://https://host`. */
  readonly master: string;
  /** Further settings of Spark, by name; they go before ours. */
  readonly conf: Readonly<Record<string, string>>;
  /** A Python that has pyspark. */
  readonly python: string;
}

/** What one SQL text for both engines, and the same rows from both, stand on. */
const DIALECT = {
  "spark.sql.ansi.enabled": "true",
  "spark.sql.ansi.doubleQuotedIdentifiers": "true",
  "spark.sql.parser.escapedStringLiterals": "true",
  "spark.sql.session.timeZone": "UTC",
  "spark.sql.catalogImplementation": "in-memory",
} as const;

const DEFAULTS = {
  // Scoring is one wide expression: beyond this size Java would interpret it, at a quarter of the speed.
  "spark.sql.codegen.hugeMethodLimit": "8000",
  "spark.driver.memory": "2g",
  "spark.ui.enabled": "false",
  "spark.ui.showConsoleProgress": "false",
} as const;

/** Starts Spark; `folder` is one of its own, which all executors see under the same path. Close it in a `finally`. */
export async function sparkRuntime({ master, conf, python }: SparkOptions, folder: string): Promise<Runtime> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const here = master.startsWith("local")
    ? { "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1" }
    : {};
  const settings = {
    ...DEFAULTS,
    ...here,
    ...conf,
    ...DIALECT,
    "spark.master": master,
    "spark.sql.warehouse.dir": join(folder, "warehouse"),
  };
  const session = await SparkSession.start({ python, settings });
  let opened = 0;
  return {
    engine: `Apache Spark ${session.version}`,
    open: (spill, onShare) => {
      opened += 1;
      return SparkEngine.open(session, `share_${opened}`, spill, onShare);
    },
    runPool: (module, tasks, onDone) => {
      opened += 1;
      return runOnExecutors(session, join(folder, `pool-${opened}`), module, tasks, onDone);
    },
    close: async () => {
      await session.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tasks of a process: each takes seconds, and its start some tenths of one. */
const TASKS_A_PROCESS = 4;

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** As Runtime.runPool has it; `folder` is one of this pool, which all executors see under the same path. */
async function runOnExecutors<Task, Result>(
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

export interface ExecutorOrder extends Order {
  readonly number: number;
  /** A folder that every executor sees under this path. */
  readonly answers: string;
}

export function lineOf(order: ExecutorOrder): string {
  return serialize(order).toString("base64");
}
