/** File evidence of a list that may be cut short, as paged answers are. */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { readFiles } from "./files.ts";

/** The columns a list of files feeds. */
export const FILE_COLUMNS = [
  "file_count",
  "open_format_file_count",
  "inspectable_file_count",
  "documentation_file_count",
  "code_file_count",
  "manifest_file_count",
  "descriptive_filename_count",
] as const satisfies readonly EvidenceName[];

/** Like {@link readFiles}; of a list that is not whole, what was found counts, none says nothing, and no share can be told. */
export function readPartialFiles(
  names: readonly string[] | null,
  whole: boolean,
  vocabularies: Vocabularies,
): ReturnType<typeof readFiles> {
  const files = readFiles(names, vocabularies);
  if (whole) return files;
  return {
    file_count: files.file_count || null,
    open_format_file_count: files.open_format_file_count || null,
    inspectable_file_count: files.inspectable_file_count || null,
    documentation_file_count: files.documentation_file_count || null,
    code_file_count: files.code_file_count || null,
    manifest_file_count: files.manifest_file_count || null,
    descriptive_filename_count: null,
  };
}
