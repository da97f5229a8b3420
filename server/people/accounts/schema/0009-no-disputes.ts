/** Disputes, a feature that was removed: the first two numbers made its table and now do nothing, the third drops the table. */

import type { Migration } from "./migration.ts";

export const disputes: Migration = { number: 7, name: "disputes", up: async () => undefined };

export const correctedDisputes: Migration = { number: 8, name: "corrected-disputes", up: async () => undefined };

export const noDisputes: Migration = {
  number: 9,
  name: "no-disputes",
  async up(trx) {
    await trx.schema.dropTable("dispute").ifExists().execute();
  },
};
