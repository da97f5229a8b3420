/** The files under data/ of a release, each with what it is: what every descriptor lists. */

import { DIFF_FILE, DIFF_TABLES } from "../../schemas/public/api/diff.ts";
import type { ManifestLine } from "../../schemas/public/release.ts";
import { OPTIONAL_TABLES, publishedName, RELEASE_TABLES, type Table } from "../../schemas/public/tables.ts";
import { VALIDATION_FILE } from "../../schemas/public/validation.ts";
import { RULE_FILES } from "../diff/rules.ts";

export interface DescribedFile extends ManifestLine {
  /** What it holds, as a sentence without a full stop. */
  readonly holds: string;
  readonly mediaType: string;
  /** Null where it is no table. */
  readonly table: Table | null;
}

const OTHERS: Readonly<Record<string, string>> = {
  [RULE_FILES.contracts]: "The rubric contracts: every signal with its rule over evidence",
  [RULE_FILES.pledges]: "The pledges: which signals the payload of each source can carry, and in which field",
  [VALIDATION_FILE]: "Evidence of what the scores mean, in figures of the harvested records",
  [DIFF_FILE]: "What moved from the release before, and what moved it, in figures",
};

const TABLES = new Map<string, Table>(
  [...RELEASE_TABLES, ...OPTIONAL_TABLES, ...Object.values(DIFF_TABLES)].map((table) => [publishedName(table), table]),
);

/** The files of the lines of a manifest, in the order of their paths. */
export function describeFiles(lines: readonly ManifestLine[]): DescribedFile[] {
  return lines.map(describeFile).sort((one, other) => (one.path < other.path ? -1 : 1));
}

function describeFile(line: ManifestLine): DescribedFile {
  const [, name = "", end = ""] = /^data\/([^./]+)(?:\/part-\d+)?\.(.+)$/.exec(line.path) ?? [];
  const table = TABLES.get(name) ?? null;
  const holds = table === null || end === "json" ? OTHERS[line.path] : `Rows: ${table.grain}`;
  if (holds === undefined) throw new Error(`nothing says what ${line.path} holds`);
  return {
    ...line,
    holds,
    mediaType: MEDIA_TYPES[end] ?? "application/octet-stream",
    table: end === "json" ? null : table,
  };
}

/** By the end of a name. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  json: "application/json",
};
