/** The release digest: what a release holds, in one number that does not depend on where or how it was computed (ADR 2). */

import { createHash, hash } from "node:crypto";
import type { Table } from "../../schemas/tables.ts";
import { RELEASE_TABLES } from "../../schemas/tables.ts";
import { canonicalJson } from "../canonical-json.ts";
import type { Database } from "../duckdb/open.ts";

/** sha256 of a text, written `sha256:<hex>`. */
export function digestOf(text: string): string {
  return `sha256:${hash("sha256", text, "hex")}`;
}

/** The digest of what a release is made of: its inputs by name, and the root of every table. */
export function releaseDigest(inputs: Record<string, string>, tables: Record<string, string>): string {
  return digestOf(canonicalJson({ format: 1, inputs, tables }));
}

/** The Merkle root of every release table; `known` has those of tables whose rows were digested before, by name. */
export async function tableRoots(
  db: Database,
  known: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const roots: Record<string, string> = {};
  for (const table of RELEASE_TABLES) {
    roots[table.published ?? table.name] = known[table.name] ?? (await tableRoot(db, table));
  }
  return roots;
}

/**
 * Row digest: sha256 over every column as `<length in characters>:<text>`, `-` for null, whole numbers in decimal, means
 * with two decimals, truth as true or false. A row belongs to the shard named by the first three hex digits of the
 * sha256 of its key columns in the same spelling. Shard digest: sha256 over its row digests (hex) by ascending key
 * digest. Root: sha256 over a line `<shard> <digest>` a shard, ascending.
 */
async function tableRoot(db: Database, table: Table): Promise<string> {
  const spelled = (names: readonly string[]) =>
    names.map((name) => `coalesce(length(${text(name)}) || ':' || ${text(name)}, '-')`).join(" || ");
  await db.run(`
    create or replace table digested as
    select sha256(${spelled(table.key)}) as key_digest, sha256(${spelled(Object.keys(table.columns))}) as row_digest
    from ${table.name}`);
  const root = createHash("sha256");
  for (const first of await slicesOf(db)) {
    const shards = await db.rows(
      `with sharded as (
         select substr(key_digest, 1, 3) as shard, list_sort(list(key_digest || row_digest)) as pairs
         from digested where key_digest >= $first and key_digest < $first || 'g'
         group by shard
       )
       select shard, sha256(array_to_string(list_transform(pairs, lambda pair: substr(pair, 65)), '')) as digest
       from sharded order by shard`,
      { first },
    );
    for (const { shard, digest } of shards) root.update(`${shard} ${digest}\n`);
  }
  await db.run("drop table digested");
  return `sha256:${root.digest("hex")}`;
}

/** Rows whose digests are joined in memory at once: some 30 MB with their order, whatever the size of the table. */
const AT_ONCE = 100_000;

/** A shard is named by three hex digits. */
const SHARD_DIGITS = 3;

/** First digits of the key digests to take together, so many that no slice has much more than {@link AT_ONCE} rows. */
async function slicesOf(db: Database): Promise<readonly string[]> {
  const [row] = await db.rows("select cast(count(*) as double) as count from digested");
  let slices = [""];
  for (let digits = 0; digits < SHARD_DIGITS && Number(row?.count) / slices.length > AT_ONCE; digits += 1) {
    slices = slices.flatMap((first) => Array.from("0123456789abcdef", (digit) => first + digit));
  }
  return slices;
}

function text(column: string): string {
  return `cast("${column}" as varchar)`;
}
