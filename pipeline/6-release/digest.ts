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

/** The Merkle root of every release table. */
export async function tableRoots(db: Database): Promise<Record<string, string>> {
  const roots: Record<string, string> = {};
  for (const table of RELEASE_TABLES) roots[table.published ?? table.name] = await tableRoot(db, table);
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
    names.map((name) => `coalesce(length(${text(name)}) || ':' || ${text(name)}, '-')`);
  const sql = `
    with digested as (
      select sha256(${spelled(table.key).join(" || ")}) as key_digest,
        sha256(${spelled(Object.keys(table.columns)).join(" || ")}) as row_digest
      from ${table.name}
    )
    select key_digest, row_digest from digested order by key_digest`;
  const root = createHash("sha256");
  let shard = "";
  let rows = createHash("sha256");
  const close = () => {
    if (shard !== "") root.update(`${shard} ${rows.digest("hex")}\n`);
    rows = createHash("sha256");
  };
  for await (const batch of db.stream(sql)) {
    for (const [key, row] of batch) {
      const next = String(key).slice(0, 3);
      if (next !== shard) {
        close();
        shard = next;
      }
      rows.update(String(row));
    }
  }
  close();
  return `sha256:${root.digest("hex")}`;
}

function text(column: string): string {
  return `cast("${column}" as varchar)`;
}
