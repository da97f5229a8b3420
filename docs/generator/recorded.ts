/** The fate of recorded answers of the real services, folder by folder, from the counts kept beside the documents. */

import { z } from "zod";
import counts from "../recorded-answers.json" with { type: "json" };
import { blocks, code, table } from "./markdown.ts";

const recordedRow = z.strictObject({
  folder: z.string(),
  source: z.string(),
  files: z.int(),
  outcomes: z.strictObject({ record: z.int(), failed: z.int(), tombstone: z.int(), not_dataset: z.int() }),
  refused: z.record(z.string(), z.int()),
});
export type RecordedRow = z.infer<typeof recordedRow>;

const recordedAnswers = z.strictObject({ made: z.string(), rows: z.array(recordedRow) });

/** The table, and when it was made. */
export async function recorded(): Promise<string> {
  const { made, rows } = recordedAnswers.parse(counts);
  const cells = rows.map(({ folder, source, files, outcomes, refused }) => [
    code(folder),
    code(source),
    String(files),
    String(outcomes.record),
    String(outcomes.failed),
    String(outcomes.tombstone),
    String(outcomes.not_dataset),
    reasons(refused),
  ]);
  const header = [
    "folder",
    "read as",
    "files",
    "records",
    "failed",
    "tombstones",
    "not datasets",
    "refused, by reason",
  ];
  return blocks(`Counted on ${made}.`, table(header, cells));
}

function reasons(refused: Readonly<Record<string, number>>): string {
  const named = Object.entries(refused).map(([reason, count]) => `${reason} ${count}`);
  return named.length === 0 ? "–" : named.join(", ");
}
