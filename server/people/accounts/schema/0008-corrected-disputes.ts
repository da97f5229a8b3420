/** A column on when the answer to a dispute was corrected. */

import type { Migration } from "./migration.ts";

export const correctedDisputes: Migration = {
  number: 8,
  name: "corrected-disputes",
  async up(trx) {
    await trx.schema.alterTable("dispute").addColumn("corrected_at", "text").execute();
  },
};
