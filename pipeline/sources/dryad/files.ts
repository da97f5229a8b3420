/** The files of a Dryad version as evidence. */

import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { FILE_COLUMNS, readPartialFiles } from "../../reading/partial-files.ts";
import { asObject, asText, at, Reader } from "../../reading/reader.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import type { DryadAnswer } from "./answer.ts";

/** Files of the version shown; those it took out are listed too, as deleted. An empty list of an embargoed dataset is hidden. */
export function fileEvidence(
  { files }: DryadAnswer,
  { access_open }: Partial<Evidence>,
  errors: Set<EvidenceName>,
  { vocabularies }: NormaliseContext,
): Partial<Evidence> {
  if (files === null) return {};
  const pages = files.map((page) => filesOf(page, errors));
  if (pages.includes(null)) return {};
  const listed = pages.flatMap((page) => page ?? []);
  const total = at(files[0], "total");
  const names = listed
    .filter((file) => asText(at(file, "status")) !== "deleted")
    .map((file) => asText(at(file, "path")))
    .filter((name) => name !== null);
  if (names.length === 0 && access_open === false) return {};
  return readPartialFiles(names, !(typeof total === "number" && total > listed.length), vocabularies);
}

/** An empty page has no `_embedded`; an error in place of a page carries nothing. */
function filesOf(page: unknown, errors: Set<EvidenceName>): readonly unknown[] | null {
  const embedded = asObject(at(page, "_embedded"));
  if (embedded !== null) return new Reader(embedded, errors).list("stash:files", FILE_COLUMNS);
  return at(page, "total") === 0 ? [] : null;
}
