/** Evaluation jobs: the queue, and the results for as long as they are kept. */

import type { Migration } from "./migration.ts";

export const evaluationJobs: Migration = {
  number: 2,
  name: "evaluation-jobs",
  async up(trx) {
    await trx.schema
      .createTable("evaluation_job")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("identifier", "text", (column) => column.notNull())
      .addColumn("rubric_version", "text", (column) => column.notNull())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("faults", "integer", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("started_at", "text")
      .addColumn("finished_at", "text")
      .addColumn("due_at", "text")
      .addColumn("result", "text")
      .addColumn("error", "text")
      .execute();
    const index = (name: string) => trx.schema.createIndex(name).on("evaluation_job");
    await index("evaluation_job_due").columns(["status", "due_at"]).execute();
    await index("evaluation_job_subject").columns(["subject", "created_at"]).execute();
    await index("evaluation_job_finished_at").column("finished_at").execute();
  },
};
