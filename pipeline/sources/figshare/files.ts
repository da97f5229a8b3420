/** Figshare's files as evidence. */

import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { FILE_COLUMNS, readPartialFiles } from "../../reading/partial-files.ts";
import { asText, at, Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** The article itself lists this many files and no more; all of them stand in the answer of /articles/{id}/files. */
const LISTED_AT_MOST = 10;

/** The list of files of its own, where it was asked for, else the article's; an empty one of a closed article is hidden. */
export function fileEvidence(
  payload: unknown,
  article: Reader,
  accessOpen: boolean | null,
  errors: Set<EvidenceName>,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  const apart = at(payload, "article") === undefined ? undefined : at(payload, "files");
  const whole = Array.isArray(apart);
  const files = whole
    ? new Reader({ files: apart.flat() }, errors).list("files", FILE_COLUMNS)
    : article.list("files", FILE_COLUMNS);
  if (files === null || (files.length === 0 && accessOpen === false)) return {};
  // A link is no file; its name is that of the page it leads to.
  const uploaded = files.filter((file) => at(file, "is_link_only") !== true);
  const names = uploaded.map((file) => asText(at(file, "name"))).filter((name) => name !== null);
  return readPartialFiles(names, whole || files.length < LISTED_AT_MOST, vocabularies);
}
