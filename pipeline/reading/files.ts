/** A list of file names as evidence (vocabularies/file-kinds.csv, generic-filenames.csv). */

import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";

type FileEvidence = Pick<
  Evidence,
  | "file_count"
  | "open_format_file_count"
  | "inspectable_file_count"
  | "documentation_file_count"
  | "code_file_count"
  | "manifest_file_count"
  | "descriptive_filename_count"
>;

/** What a splitting tool puts behind the name of every piece: no part of the name the depositor chose. */
const PIECE = /\.part[-_.]?[a-z0-9]{1,3}$/i;

/** Counts files by kind; null where the payload lists none at all (hidden or not carried). */
export function readFiles(names: readonly string[] | null, vocabularies: Vocabularies): FileEvidence {
  const kinds = names?.map((name) => vocabularies.fileKinds.kindsOf(name)) ?? null;
  const isDescriptive = (name: string) => vocabularies.fileNames.isDescriptive(name.replace(PIECE, ""));
  const count = (test: (kind: NonNullable<typeof kinds>[number]) => boolean) => kinds?.filter(test).length ?? null;
  return {
    file_count: names?.length ?? null,
    open_format_file_count: count((kind) => kind.open),
    inspectable_file_count: count((kind) => kind.open && kind.inspectable),
    documentation_file_count: count((kind) => kind.documentation),
    code_file_count: count((kind) => kind.code),
    manifest_file_count: count((kind) => kind.manifest),
    descriptive_filename_count: names?.filter(isDescriptive).length ?? null,
  };
}

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
