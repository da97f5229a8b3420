/** The files in OSF's own storage as evidence. */

import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { FILE_COLUMNS, readPartialFiles } from "../../reading/partial-files.ts";
import { asList, asText, at, Reader } from "../../reading/reader.ts";
import { cleanText } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";

/** The listing shows one level: what is inside a folder has not been seen. An empty one of a closed node is hidden. */
export function fileEvidence(
  answer: unknown,
  accessOpen: boolean | null,
  errors: Set<EvidenceName>,
  vocabularies: Vocabularies,
): Partial<Evidence> {
  if (answer === undefined || answer === null) return {};
  const pages = Array.isArray(answer) ? asList(answer) : [answer];
  // An error in place of a page carries nothing.
  if (pages.some((page) => at(page, "data") === undefined)) return {};
  const lists = pages.map((page) => new Reader({ data: at(page, "data") }, errors).list("data", FILE_COLUMNS));
  if (lists.includes(null)) return {};
  const entries = lists.flatMap((list) => list ?? []);
  if (entries.length === 0 && accessOpen === false) return {};
  const names = entries
    .filter((entry) => at(entry, "attributes", "kind") !== "folder")
    .map((entry) => asText(at(entry, "attributes", "name")))
    .filter((name) => name !== null)
    .map(cleanText);
  const total = at(pages[0], "links", "meta", "total");
  const folders = entries.some((entry) => at(entry, "attributes", "kind") === "folder");
  const whole = !folders && !(typeof total === "number" && total > entries.length);
  return readPartialFiles(names, whole, vocabularies);
}
