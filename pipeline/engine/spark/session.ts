/** One Spark for one build, spoken to through driver.py: SQL out, rows in. It ends when this process does, however that ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Cell } from "../engine.ts";

const DRIVER = fileURLToPath(new URL("./driver.py", import.meta.url));

const answer = z.union([
  z.object({ rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))) }),
  z.object({ failed: z.string() }),
  z.object({ version: z.string() }),
  z.object({ missing: z.enum(["pyspark", "java"]) }),
  z.object({ working: z.object({ tasks: z.number(), done: z.number() }) }),
]);
type Answer = z.infer<typeof answer>;

/** Characters of Spark's log that are kept, to be told where it ends without an answer. */
const LOG = 4000;

/** What Spark needs is not on this machine. */
export class SparkMissing extends Error {
  readonly code = "ERR_SPARK_MISSING";
}

/** A statement failed, or Spark itself. */
export class SparkError extends Error {
  readonly code = "ERR_SPARK";
}

/** Tasks of what executors are at, and how many of them they have done. */
export interface Working {
  readonly tasks: number;
  readonly done: number;
}

export interface SessionOptions {
  /** A Python that has pyspark. */
  readonly python: string;
  readonly settings: Readonly<Record<string, string>>;
}

export class SparkSession {
  readonly version: string;
  readonly #driver: ChildProcess;
  readonly #input: Writable;
  readonly #answers: AsyncIterator<Answer>;
  readonly #log: () => string;
  #busy = false;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(
    driver: ChildProcess,
    input: Writable,
    answers: AsyncIterator<Answer>,
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
   * Takes some ten seconds.
   * @throws SparkMissing, SparkError
   */
  static async start({ python, settings }: SessionOptions): Promise<SparkSession> {
    // A group of its own: a terminal signals this process, which says when Spark ends by closing its input.
    const driver = spawn(python, [DRIVER], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const gone = once(driver, "exit").catch((cause: unknown) => {
      throw new SparkMissing(`${python} cannot be run: ${INSTALL.pyspark}`, { cause });
    });
    const { stdin, stdout, stderr } = driver;
    // Where the process is gone, its answers end.
    stdin.on("error", () => undefined);
    stdin.write(`${JSON.stringify(settings)}\n`);
    const log = tailOf(stderr);
    const answers = answersOf(stdout);
    const first = await Promise.race([answers.next(), gone.then(() => ({ done: true, value: undefined }) as const)]);
    if (first.done !== true && "version" in first.value) {
      return new SparkSession(driver, stdin, answers, log, first.value.version);
    }
    stdin.end();
    if (first.done !== true && "missing" in first.value) {
      const { missing } = first.value;
      throw new SparkMissing(
        `Spark needs ${missing}, which ${missing === "java" ? "is not here" : `${python} does not have`}: ${INSTALL[missing]}`,
      );
    }
    const reason = first.done !== true && "failed" in first.value ? first.value.failed : "it ended without a word";
    throw new SparkError(`Spark did not start: ${reason}\n${log()}`);
  }

  /** The rows of a statement, one after the other; `whileWorking` is called about once a second until they are there. */
  ask(sql: string, whileWorking: (working: Working) => void = () => undefined): Promise<Record<string, Cell>[]> {
    const turn = this.#tail.then(async () => {
      this.#busy = true;
      this.#input.write(`${JSON.stringify(sql)}\n`);
      for (;;) {
        const { done, value } = await this.#answers.next();
        if (done === true) throw new SparkError(`Spark ended while it was asked something\n${this.#log()}`);
        this.#busy = "working" in value;
        if ("rows" in value) return value.rows;
        if ("failed" in value) throw new SparkError(value.failed);
        if ("working" in value) whileWorking(value.working);
      }
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Ends Spark, whatever it is doing. */
  async close(): Promise<void> {
    if (this.#driver.exitCode !== null || this.#driver.signalCode !== null) return;
    const gone = once(this.#driver, "exit");
    // Whoever has nothing to do ends in order, with its log written; others end at once.
    if (this.#busy) this.#input.end();
    else this.#input.write("null\n");
    await gone;
    this.#input.end();
  }
}

const INSTALL = {
  pyspark: "run `make spark` (or `pip install pyspark==4.3.0`), and name that Python in PYSPARK_PYTHON",
  java: "run `apt-get install openjdk-17-jre-headless`, or name a Java 17 or later in JAVA_HOME",
} as const;

async function* answersOf(stream: Readable): AsyncGenerator<Answer, undefined> {
  for await (const line of createInterface({ input: stream })) yield answer.parse(JSON.parse(line));
}

/** The end of what the stream says, which is read so that it does not stand still. */
function tailOf(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text = `${text}${chunk}`.slice(-LOG);
  });
  return () => text;
}
