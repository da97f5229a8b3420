/** The files a release may have besides receipt and manifest: a closed list. What is not on it is in no release of ours. */

import { ROUTES } from "../../api-static/routes/index.ts";
import type { Subject } from "../../api-static/routes/route.ts";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { CSV_TABLES, publishedName, RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { RULE_FILES } from "../diff/rules.ts";

/** The history that a release carries on from its predecessors. */
export const HISTORY_FILE = "data/history.json";

/** Files that are made of what moved since the release before: they follow from the tables of both. */
export const DIFFERENCE_FILES: readonly string[] = [DIFF_FILE, ...DIFF_TABLE_FILES, DESCRIPTORS.report];

const FIXED = new Set<string>([
  ...RELEASE_TABLES.map((table) => `data/${publishedName(table)}.parquet`),
  ...CSV_TABLES.map((table) => `data/${publishedName(table)}.csv.gz`),
  HISTORY_FILE,
  ...Object.values(RULE_FILES),
  ...DIFFERENCE_FILES,
  ...Object.values(DESCRIPTORS),
]);

/** What stands for `{shard}` and `{key}` in the page files of each subject (api-static/routes/route.ts, pagePath). */
const KEYS: Readonly<Record<Subject, { readonly shard: string; readonly key: string }>> = {
  record: { shard: "[0-9a-f]{3}", key: "r[0-9a-f]{24}" },
  researcher: { shard: "[A-Za-z0-9._~-]{3}", key: "[A-Za-z0-9][A-Za-z0-9._~-]{0,159}" },
  repository: { shard: "", key: "[A-Za-z0-9][A-Za-z0-9 ._~-]{0,199}" },
  release: { shard: "", key: "[0-9][0-9a-z.-]{0,39}" },
};

const PAGES = new RegExp(
  `^(?:${ROUTES.flatMap(({ subject, pages }) => {
    const { shard, key } = KEYS[subject ?? "release"];
    const plain = pages.map(({ path }) => path.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
    return [...new Set(plain)].map((path) => path.replace("{shard}", shard).replace("{key}", key));
  }).join("|")})$`,
);

/** Whether a release may have a file of that path. */
export function isReleaseFile(path: string): boolean {
  return FIXED.has(path) || PAGES.test(path);
}
