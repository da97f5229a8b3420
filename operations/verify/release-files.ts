/** The files a release may have besides receipt and manifest: a closed list. What is not on it is in no release of ours. */

import { DOI_LOOKUP } from "../../pipeline/6-release/doi-lookup.ts";
import { PART_NAME } from "../../pipeline/engine/parts.ts";
import { RELEASE_FAMILY, readPackPath } from "../../pipeline/packs/pack-names.ts";
import { familiesOf } from "../../pipeline/pages/families.ts";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
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

const TABLES = new Set(RELEASE_TABLES.map((table) => `data/${publishedName(table)}`));

/** Whether a release may have a file of that path. */
export function isReleaseFile(path: string): boolean {
  return FIXED.has(path) || FAMILIES.has(readPackPath(path)?.family ?? "") || isPart(path);
}

function isPart(path: string): boolean {
  const end = path.lastIndexOf("/");
  return TABLES.has(path.slice(0, end)) && PART_NAME.test(path.slice(end + 1));
}
