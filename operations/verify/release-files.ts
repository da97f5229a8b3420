/** The files a release may have besides receipt and manifest: a closed list. What is not on it is in no release of ours. */

import { DOI_LOOKUP } from "../../pipeline/6-release/doi-lookup.ts";
import { PART_NAME } from "../../pipeline/engine/open.ts";
import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/format.ts";
import { familiesOf } from "../../pipeline/pages/record-pages.ts";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE, type Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, tablesOf } from "../../schemas/public/tables.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { RULE_FILES } from "../diff/rules.ts";

/** Files that are made of what moved since the release before: they follow from the tables of both. */
export const DIFFERENCE_FILES: readonly string[] = [DIFF_FILE, ...DIFF_TABLE_FILES, DESCRIPTORS.report];

const FIXED = new Set<string>([
  HISTORY_FILE,
  DOI_LOOKUP,
  ...Object.values(RULE_FILES),
  ...DIFFERENCE_FILES,
  VALIDATION_FILE,
  VALIDATION_PAGE,
  ...Object.values(DESCRIPTORS),
]);

const FAMILIES = new Set([
  RELEASE_FAMILY,
  ...(["record", "researcher", "repository"] as const).flatMap((subject) => familiesOf(subject, PUBLIC_VERSIONS)),
]);

/** Files that every release has, tables and packs apart: without them it would say less than it is believed to. */
export function requiredFiles({ history }: Pick<Receipt, "history">): readonly string[] {
  return [
    ...Object.values(RULE_FILES),
    ...DIFFERENCE_FILES,
    ...Object.values(DESCRIPTORS),
    VALIDATION_FILE,
    VALIDATION_PAGE,
    ...(history ? [HISTORY_FILE] : []),
  ];
}

/** Whether the release of a receipt may have a file of that path. */
export function isReleaseFile(path: string, receipt: Pick<Receipt, "alsoContracts">): boolean {
  return FIXED.has(path) || FAMILIES.has(readPackPath(path)?.family ?? "") || isPart(path, receipt);
}

function isPart(path: string, receipt: Pick<Receipt, "alsoContracts">): boolean {
  const end = path.lastIndexOf("/");
  const isTable = tablesOf(receipt).some((table) => path.slice(0, end) === `data/${publishedName(table)}`);
  return isTable && PART_NAME.test(path.slice(end + 1));
}
