/**
 * Runs tasks on a Spark executor. Reads tasks from standard input, unlike a worker on this machine
 * (stage/worker-process.ts). Renames the file of each result when it is complete, so that a task may run twice. The
 * worker ends when its standard input or output is closed.
 */

import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { deserialize, serialize } from "node:v8";
import { carryOut } from "../stage/worker-task.ts";
import type { ExecutorOrder } from "./spark.ts";

for await (const line of createInterface({ input: process.stdin })) {
  const order: ExecutorOrder = deserialize(Buffer.from(line, "base64"));
  const path = join(order.answers, String(order.number));
  const attempt = `${path}.${randomUUID()}`;
  await writeFile(attempt, serialize(await carryOut(order)));
  await rename(attempt, path);
  writeSync(1, `${order.number}\n`);
}
