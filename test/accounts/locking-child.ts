/**
 * Program for tests that takes the write lock of an SQLite file and prints "locked". At a line of input, it releases the lock
 * and prints "free".
 */

import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

const { sqlite } = z.object({ sqlite: z.string() }).parse(JSON.parse(process.argv[2] ?? ""));
const database = new DatabaseSync(sqlite, { timeout: 5000 });
database.exec("begin immediate");
process.stdout.write(`${JSON.stringify("locked")}\n`);
await once(process.stdin, "data");
database.exec("rollback");
database.close();
process.stdout.write(`${JSON.stringify("free")}\n`);
process.exit(0);
