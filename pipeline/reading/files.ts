/** A list of file names as evidence (vocabularies/file-kinds.csv, generic-filenames.csv). */

import type { Evidence } from "../../schemas/public/evidence.ts";
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
