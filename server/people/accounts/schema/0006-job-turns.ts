/** Columns on who asked for a job and of which source it is, so that jobs take turns. */

import type { Migration } from "./migration.ts";

export const jobTurns: Migration = {
  number: 6,
  name: "job-turns",
  async up(trx) {
    // One column a statement: SQLite takes no more.
    const table = () => trx.schema.alterTable("evaluation_job");
    await table()
      .addColumn("caller", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await table()
      .addColumn("source", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await table()
      .addColumn("turn", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
