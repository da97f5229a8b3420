/** report.html: what a release tells people about itself, with how it differs from the one before. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../pipeline/engine/open.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import type { ReportData } from "../../web/report/data.ts";
import { reportPage } from "../../web/report/index.ts";
import type { Side } from "../diff/side.ts";
import { citationText } from "./citation.ts";
import { rubricFigures } from "./report-data.ts";

export interface Reported extends Pick<ReportData, "receipt" | "gates" | "diff"> {
  readonly after: Side;
}

/** `db` is that of a comparison with the release before. */
export async function writeReport(
  db: Database,
  tree: string,
  { receipt, gates, diff, after }: Reported,
): Promise<void> {
  const rubrics = await rubricFigures(db, after);
  const page = reportPage({ receipt, citation: citationText(receipt), gates, diff, rubrics });
  await writeFile(join(tree, DESCRIPTORS.report), page);
}
