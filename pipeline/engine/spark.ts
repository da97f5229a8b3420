/** Runs a build on Apache Spark: SQL makes the tables, and executors run other tasks. */

import { type ChildProcess, spawn } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { z } from "zod";
import type { Table } from "../../schemas/public/tables.ts";
import { BUILD_HEAP } from "../stage/worker-pool.ts";
import { unpackResult, type WorkerOrder } from "../stage/worker-task.ts";
import { type Cell, type Engine, partName, type RowsTable, type RowsTableRow } from "./open.ts";
import type { Runtime } from "./runtime.ts";
import { CheckError, fillSql, quote, readSql, SqlError, sharedType, splitStatements } from "./sql-text.ts";

export interface SparkOptions {
  readonly master: string;
  /** Settings of Spark by name. They override the settings of this program. */
  readonly conf: Readonly<Record<string, string>>;
  /** Command of a Python in which pyspark is installed. */
  readonly python: string;
}

/** Settings with which Spark reads the same SQL as DuckDB and returns the same rows. */
const DIALECT = {
  "spark.sql.ansi.enabled": "true",
  "spark.sql.ansi.doubleQuotedIdentifiers": "true",
  "spark.sql.parser.escapedStringLiterals": "true",
  "spark.sql.session.timeZone": "UTC",
  "spark.sql.catalogImplementation": "in-memory",
} as const;

const DEFAULTS = {
  // Scoring is one wide expression. Beyond this limit Java interprets it, at a quarter of the speed.
  "spark.sql.codegen.hugeMethodLimit": "8000",
  "spark.driver.memory": "2g",
  "spark.ui.enabled": "false",
  "spark.ui.showConsoleProgress": "false",
} as const;

/**
 * Starts Spark and returns a runtime that uses it. All executors must see `folder` under the same path. Close the runtime
 * in a `finally`.
 */
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

/** Number of tasks for each process. A task takes seconds; starting a process takes tenths of a second. */
const TASKS_A_PROCESS = 4;

const WORKER = fileURLToPath(new URL("./spark-worker.ts", import.meta.url));

/**
 * Runs tasks on the executors, with the guarantees of {@link Runtime.runPool}. All executors must see `folder` under
 * the same path.
 */
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
  const lines = tasks.map((task, number) => writeOrderLine({ module: module.href, task, number, answers }));
  await writeFile(join(orders, "orders.txt"), `${lines.join("\n")}\n`);
  const taskResults = new TaskResults(answers, tasks, onDone);
  await session.ask(`create table ordered (line string) using text location ${quote(orders)}`);
  await session.ask(transform(Math.ceil(tasks.length / TASKS_A_PROCESS)), () => taskResults.look());
  await session.ask("drop table ordered");
  const results = taskResults.all();
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

/** Collects the results of finished tasks while others still run. */
class TaskResults<Task, Result> {
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
      // Files with other names belong to tasks that are still running.
      if (!/^\d+$/.test(name) || task === undefined || this.#results.has(number)) continue;
      const result = unpackResult(deserialize(readFileSync(join(this.#folder, name)))) as Result;
      this.#results.set(number, result);
      this.#onDone(task, result);
    }
  }

  /** Returns all results, in the order of the tasks. */
  all(): Result[] {
    this.look();
    return this.#tasks.map((_, number) => {
      if (!this.#results.has(number))
        throw new Error(
          `no Spark executor returned the result of task ${number} of ${this.#tasks.length}; run the same command again`,
        );
      return this.#results.get(number) as Result;
    });
  }
}

export interface ExecutorOrder extends WorkerOrder {
  readonly number: number;
  /** Folder for the results. Every executor sees it under this path. */
  readonly answers: string;
}

export function writeOrderLine(order: ExecutorOrder): string {
  return serialize(order).toString("base64");
}

const ran = channel("share-release:sql-file");

const MACROS = new URL("./spark-macros.sql", import.meta.url);

/** Number of rows that the error of a failed check shows. */
const SHOWN = 20;

class SparkEngine implements Engine {
  readonly #session: SparkSession;
  readonly #name: string;
  readonly #folder: string;
  readonly #onShare: (share: number) => void;

  private constructor(session: SparkSession, name: string, folder: string, onShare: (share: number) => void) {
    this.#session = session;
    this.#name = name;
    this.#folder = folder;
    this.#onShare = onShare;
  }

  /**
   * Opens a database in the Spark session. Only one can be open at a time. `onShare` receives progress as in {@link
   * Runtime.open}.
   */
  static async open(
    session: SparkSession,
    name: string,
    folder: string,
    onShare: (share: number) => void = () => undefined,
  ): Promise<SparkEngine> {
    const engine = new SparkEngine(session, name, folder, onShare);
    await engine.run(`create database ${name} location ${quote(folder)}`);
    await engine.run(`use ${name}`);
    await engine.runFile(MACROS);
    return engine;
  }

  async run(sql: string): Promise<void> {
    await this.#ask(sql);
  }

  async runFile(file: URL, variables: Readonly<Record<string, string | number>> = {}): Promise<void> {
    const statements = splitStatements(await readSql(file, variables));
    for (const [before, statement] of statements.entries()) {
      const share = (part: number) => this.#onShare((before + part) / statements.length);
      await this.#told(file, this.#ask(statement, share));
    }
    ran.publish(file);
  }

  async check(file: URL): Promise<void> {
    for (const statement of splitStatements(await readSql(file))) {
      const rows = await this.#told(file, this.rows(`select * from (${statement}) as broken limit ${SHOWN}`));
      if (rows.length > 0) throw new CheckError(file, rows);
    }
    ran.publish(file);
  }

  async input({ name, columns }: Table, folder: string): Promise<void> {
    const typed = Object.entries(columns).map(([column, type]) => `"${column}" ${sharedType(type)}`);
    await this.run(`create table ${name} (${typed.join(", ")}) using parquet location ${quote(folder)}`);
  }

  /**
   * Writes the table to several files, sorted by key: all keys in a file are larger than those in the file before it.
   */
  async output(table: Table, folder: string): Promise<number> {
    const draft = `${folder}.spark`;
    const columns = Object.entries(table.columns).map(
      ([name, type]) => `cast("${name}" as ${sharedType(type)}) as "${name}"`,
    );
    const order = table.key.map((name) => `"${name}"`).join(", ");
    await this.run(
      `insert overwrite directory ${quote(draft)} using parquet options (compression 'zstd') select ${columns.join(", ")} from ${table.name} order by ${order}`,
    );
    await mkdir(folder, { recursive: true });
    const parts = (await readdir(draft)).filter((name) => /^part-.*\.parquet$/.test(name)).sort();
    for (const [number, part] of parts.entries()) await rename(join(draft, part), join(folder, partName(number)));
    await rm(draft, { recursive: true });
    return this.#count(table, folder);
  }

  async rows(sql: string): Promise<Record<string, Cell>[]> {
    return this.#ask(sql);
  }

  fill(table: RowsTable, rows: readonly RowsTableRow[]): Promise<void> {
    return this.run(fillSql(table, rows));
  }

  /**
   * Removes the database and its folder. The Spark session continues. Ignores errors here, because the caller already
   * has the error of the statement that failed first.
   */
  async close(): Promise<void> {
    const dropped = async () => {
      await this.run("use default");
      await this.run(`drop database ${this.#name} cascade`);
    };
    await dropped().catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #ask(sql: string, onShare: (share: number) => void = this.#onShare): Promise<Record<string, Cell>[]> {
    return this.#session.ask(sql, ({ tasks, done }) => onShare(tasks === 0 ? 0 : done / tasks));
  }

  /** Counts the rows in the written files, because counting the relation itself would compute it a second time. */
  async #count(table: Table, folder: string): Promise<number> {
    const written = { ...table, name: "written_part" };
    await this.input(written, folder);
    const [row] = await this.rows("select count(*) as rows from written_part");
    await this.run("drop table written_part");
    return Number(row?.rows);
  }

  async #told<T>(file: URL, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      throw new SqlError(file, cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
}

const DRIVER = fileURLToPath(new URL("./spark-driver.py", import.meta.url));

const answer = z.union([
  z.object({ rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))) }),
  z.object({ failed: z.string() }),
  z.object({ version: z.string() }),
  z.object({ missing: z.enum(["pyspark", "java"]) }),
  z.object({ working: z.object({ tasks: z.number(), done: z.number() }) }),
]);
type DriverReply = z.infer<typeof answer>;

const LOG = 4000;

/** The error if something that Spark needs, such as Java, is not installed on this machine. */
class SparkMissing extends Error {
  readonly code = "ERR_SPARK_MISSING";
}

/** The error if a statement failed, or if Spark itself failed. */
class SparkError extends Error {
  readonly code = "ERR_SPARK";
}

/** Numbers of running and of finished tasks. */
interface WorkProgress {
  readonly tasks: number;
  readonly done: number;
}

interface SessionOptions {
  /** Command of a Python in which pyspark is installed. */
  readonly python: string;
  readonly settings: Readonly<Record<string, string>>;
}

class SparkSession {
  readonly version: string;
  readonly #driver: ChildProcess;
  readonly #input: Writable;
  readonly #answers: AsyncIterator<DriverReply>;
  readonly #log: () => string;
  #busy = false;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(
    driver: ChildProcess,
    input: Writable,
    answers: AsyncIterator<DriverReply>,
    log: () => string,
    version: string,
  ) {
    this.#driver = driver;
    this.#input = input;
    this.#answers = answers;
    this.#log = log;
    this.version = version;
  }

  /**
   * Starts Spark, which takes about ten seconds.
   * @throws SparkMissing, SparkError
   */
  static async start({ python, settings }: SessionOptions): Promise<SparkSession> {
    // A separate process group, so that terminal signals do not end Spark before this process closes its input.
    const driver = spawn(python, [DRIVER], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const exit = once(driver, "exit").catch((cause: unknown) => {
      throw new SparkMissing(`${python} cannot be run: ${INSTALL.pyspark}`, { cause });
    });
    const { stdin, stdout, stderr } = driver;
    // An error here means that the process has ended, which the end of its replies shows too.
    stdin.on("error", () => undefined);
    stdin.write(`${JSON.stringify(settings)}\n`);
    const log = keepTail(stderr);
    const answers = readReplies(stdout);
    const first = await Promise.race([answers.next(), exit.then(() => ({ done: true, value: undefined }) as const)]);
    if (first.done !== true && "version" in first.value) {
      return new SparkSession(driver, stdin, answers, log, first.value.version);
    }
    stdin.end();
    if (first.done !== true && "missing" in first.value) {
      const { missing } = first.value;
      throw new SparkMissing(
        `Spark needs ${missing}, which ${missing === "java" ? "is not installed" : `${python} does not have`}: ${INSTALL[missing]}`,
      );
    }
    const reason = first.done !== true && "failed" in first.value ? first.value.failed : "it ended without a message";
    throw new SparkError(`Spark did not start: ${reason}. The end of its log may show the cause:\n${log()}`);
  }

  /**
   * Runs SQL after all earlier calls have finished, and returns its rows. Calls `whileWorking` about once a second
   * until then.
   */
  ask(sql: string, whileWorking: (working: WorkProgress) => void = () => undefined): Promise<Record<string, Cell>[]> {
    const turn = this.#tail.then(async () => {
      this.#busy = true;
      this.#input.write(`${JSON.stringify(sql)}\n`);
      for (;;) {
        const { done, value } = await this.#answers.next();
        if (done === true)
          throw new SparkError(
            `Spark ended while it ran a statement. The end of its log may show the cause:\n${this.#log()}`,
          );
        this.#busy = "working" in value;
        if ("rows" in value) return value.rows;
        if ("failed" in value) throw new SparkError(value.failed);
        if ("working" in value) whileWorking(value.working);
      }
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the process of Spark, even while a statement runs. */
  async close(): Promise<void> {
    if (this.#driver.exitCode !== null || this.#driver.signalCode !== null) return;
    const exit = once(this.#driver, "exit");
    // An idle driver ends normally and writes its log. A busy one is killed.
    if (this.#busy) this.#input.end();
    else this.#input.write("null\n");
    await exit;
    this.#input.end();
  }
}

const INSTALL = {
  pyspark: "run `make spark` (or `pip install pyspark==4.3.0`), and name that Python in PYSPARK_PYTHON",
  java: "run `apt-get install openjdk-17-jre-headless`, or name a Java 17 or later in JAVA_HOME",
} as const;

async function* readReplies(stream: Readable): AsyncGenerator<DriverReply, undefined> {
  for await (const line of createInterface({ input: stream })) yield answer.parse(JSON.parse(line));
}

/**
 * Reads a stream continuously, so that its writer never has to wait. Returns a function that returns the last
 * characters.
 */
function keepTail(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text = `${text}${chunk}`.slice(-LOG);
  });
  return () => text;
}
