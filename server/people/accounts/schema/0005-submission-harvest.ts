/** Columns on what became of an accepted submission when it was harvested. */

import type { Migration } from "./migration.ts";

export const submissionHarvest: Migration = {
  number: 5,
  name: "submission-harvest",
  async up(trx) {
    // One column a statement: SQLite takes no more.
    const table = () => trx.schema.alterTable("dataset_submission");
    await table().addColumn("harvested_at", "text").execute();
    await table().addColumn("harvest_outcome", "text").execute();
    await table()
      .addColumn("harvest_attempts", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
