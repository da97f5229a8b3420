/**
 * Makes the file of the Python package that lists what a release can contain: tables and files, and the inputs of this
 * version.
 */

import { CHANGE_FILES } from "../../pipeline/6-release/describe.ts";
import { ruleDigests } from "../../pipeline/6-release/digest.ts";
import { toolVersion } from "../../pipeline/6-release/tool-version.ts";
import { RULE_FILES } from "../../pipeline/diff/rules.ts";
import { DOI_LOOKUP } from "../../pipeline/packs/doi-lookup.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE } from "../../schemas/public/release.ts";
import { OPTIONAL_TABLES, publishedName, RELEASE_TABLES, sqlType } from "../../schemas/public/tables.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";

/** Returns the text of `reference.json`. */
export async function pythonReference(): Promise<string> {
  const tables = [...RELEASE_TABLES, ...OPTIONAL_TABLES].map((table) => [
    publishedName(table),
    {
      key: table.key,
      columns: Object.fromEntries(Object.entries(table.columns).map(([name, type]) => [name, sqlType(type)])),
      former: Object.keys(table.former ?? {}),
    },
  ]);
  const files = [
    ...Object.values(RULE_FILES),
    ...CHANGE_FILES,
    ...Object.values(DESCRIPTORS),
    VALIDATION_FILE,
    VALIDATION_PAGE,
    DOI_LOOKUP,
  ];
  const reference = {
    version: await toolVersion(),
    inputs: await ruleDigests(),
    files: files.toSorted(),
    history: HISTORY_FILE,
    tables: Object.fromEntries(tables),
  };
  return `${JSON.stringify(reference, null, 1)}\n`;
}
