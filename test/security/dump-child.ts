/**
 * Harvests one file as an operator would, and prints the summary and the memory that the harvest took:
 * `node dump-child.ts <store> <source> <file>`.
 */

import { readFileSync } from "node:fs";
import { harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { testEffects } from "../harvest/bench-store.ts";

const [, , root = "", name = "", path = ""] = process.argv;
const source = sourceNamed(name);
if (source === null) throw new Error(`no source ${name}`);
const options = { paths: [path], retrievedAt: null, limit: null };
const summary = await harvestFiles(openStore(root), source, options, testEffects());
// This process alone: resource usage also includes what the parent used.
const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
const megabytes = Math.round(Number(kilobytes) / 1024);
process.stdout.write(JSON.stringify({ summary, megabytes }));
