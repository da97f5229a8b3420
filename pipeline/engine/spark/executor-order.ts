/** An order to a worker on an executor, as a line of text that Spark hands on. */

import { deserialize, serialize } from "node:v8";
import type { Order } from "../../stage/worker-child.ts";

export interface ExecutorOrder extends Order {
  readonly number: number;
  /** A folder that every executor sees under this path. */
  readonly answers: string;
}

export function lineOf(order: ExecutorOrder): string {
  return serialize(order).toString("base64");
}

export function orderOf(line: string): ExecutorOrder {
  const order: ExecutorOrder = deserialize(Buffer.from(line, "base64"));
  return order;
}
