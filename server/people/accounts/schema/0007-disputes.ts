/** Disputes: signals of records that somebody says are wrong, and the answers. */

import { sql } from "kysely";
import type { Migration } from "./migration.ts";

export const disputes: Migration = {
  number: 7,
  name: "disputes",
  async up(trx) {
    await trx.schema
      .createTable("dispute")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("account_id", "text", (column) => column.references("account.id").onDelete("set null"))
      .addColumn("role", "text", (column) => column.notNull())
      .addColumn("record_id", "text", (column) => column.notNull())
      .addColumn("contract", "text", (column) => column.notNull())
      .addColumn("signal", "text", (column) => column.notNull())
      .addColumn("signal_state", "text", (column) => column.notNull())
      .addColumn("release_version", "text", (column) => column.notNull())
      .addColumn("release_digest", "text", (column) => column.notNull())
      .addColumn("says", "text", (column) => column.notNull())
      .addColumn("evidence_url", "text")
      .addColumn("evidence", "text")
      .addColumn("statement", "text")
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("answer", "text")
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("answered_at", "text")
      .addColumn("mended_version", "text")
      .addColumn("mended_digest", "text")
      .execute();
    const index = (name: string) => trx.schema.createIndex(name).on("dispute");
    await index("dispute_account").columns(["account_id", "created_at"]).execute();
    await index("dispute_record").columns(["record_id", "answered_at"]).execute();
    await index("dispute_state").columns(["state", "created_at"]).execute();
    await index("dispute_once")
      .columns(["account_id", "record_id", "contract", "signal"])
      .unique()
      .where(sql.ref("state"), "=", "open")
      .execute();
  },
};
