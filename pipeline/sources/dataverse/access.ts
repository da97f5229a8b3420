/** Dataverse's terms, restricted and embargoed files as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay } from "../../reading/dates.ts";
import { readFiles } from "../../reading/files.ts";
import { type LicenceStatement, readLicence } from "../../reading/licence.ts";
import { FILE_COLUMNS } from "../../reading/partial-files.ts";
import { asObject, asText, at, firstText, type Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseContext } from "../adapter/source.ts";

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** A licence by name and address since version 5.10, "CC0" or "NONE" before; or terms of use in words of the depositor. */
export function licenceEvidence(reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader.raw("license");
  const terms = asText(reader.raw("termsOfUse"));
  if (stated === undefined && terms === null && !reader.has("metadataBlocks")) return {};
  if (Array.isArray(stated) || typeof stated === "boolean" || typeof stated === "number") reader.fail(LICENCE_COLUMNS);
  const names =
    asObject(stated) === null ? [stated] : ["rightsIdentifier", "uri", "name"].map((key) => at(stated, key));
  const spellings = names.map(asText).filter((text) => text !== null && !/^(?:none|custom)\b/i.test(text));
  const name = firstText(at(stated, "name"), ...spellings);
  const statements: LicenceStatement[] = [];
  if (name !== null && spellings.length > 0) {
    statements.push({ text: name, spellings: spellings.filter((text) => text !== null) });
  }
  if (terms !== null && !vocabularies.placeholders.isPlaceholder(terms, "any")) {
    statements.push({ text: displayText(terms, 300), spellings: [terms] });
  }
  return readLicence(statements, vocabularies);
}

interface FilesAndAccess {
  readonly evidence: Partial<Evidence>;
  /** In the words of Dataverse's own facet of file access, or null. */
  readonly words: string | null;
}

/** Dataverse states access file by file: one restricted file is enough to close a dataset. Names are shown all the same. */
export function fileEvidence(reader: Reader, { asOf, vocabularies }: NormaliseContext): FilesAndAccess {
  const files = reader.list("files", [...FILE_COLUMNS, "access_declared", "access_open", "embargo_active"]);
  if (files === null) return { evidence: {}, words: null };
  const names = files.map((file) => firstText(at(file, "label"), at(file, "dataFile", "filename")));
  const levels = files.map((file) => at(file, "restricted")).filter((level) => typeof level === "boolean");
  // Until version 4.0, of 2015, a file had no such flag.
  const told = files.length === 0 || files.some((file) => at(file, "restricted") !== undefined);
  const restricted = levels.includes(true);
  const retention = retentionOf(files, reader, asOf);
  const embargo = embargoOf(files, reader, asOf);
  const evidence = {
    ...readFiles(
      names.filter((name) => name !== null),
      vocabularies,
    ),
    access_declared: told ? levels.length > 0 : null,
    access_open: levels.length === 0 ? null : restricted || retention.isOver ? false : retention.isKnown ? true : null,
    embargo_active: levels.length === 0 ? null : embargo,
  };
  if (levels.length === 0) return { evidence, words: null };
  return { evidence, words: wordsOf(restricted, retention.isOver, embargo) };
}

function wordsOf(restricted: boolean, isOver: boolean, embargo: boolean | null): string {
  if (isOver) return "Retention Period Expired";
  if (restricted) return "Restricted";
  return embargo === true ? "Embargoed then Public" : "Public";
}

/** Whether the retention period of any file is over: from that day on nobody may have it (Dataverse 6.2 and later). */
function retentionOf(
  files: readonly unknown[],
  reader: Reader,
  asOf: string,
): { readonly isOver: boolean; readonly isKnown: boolean } {
  const stated = files
    .map((file) => asText(at(file, "dataFile", "retention", "dateUnavailable")))
    .filter((date) => date !== null);
  const dates = stated.map(dateOf).filter((date) => date !== null);
  const isKnown = dates.length === stated.length;
  if (!isKnown) reader.fail(["access_open"]);
  return { isOver: dates.some((date) => firstDay(date) <= asOf), isKnown };
}

/** True where the embargo of any file still runs. */
function embargoOf(files: readonly unknown[], reader: Reader, asOf: string): boolean | null {
  const stated = files
    .map((file) => asText(at(file, "dataFile", "embargo", "dateAvailable")))
    .filter((date) => date !== null);
  const dates = stated.map(dateOf).filter((date) => date !== null);
  if (dates.length < stated.length) reader.fail(["embargo_active"]);
  if (dates.some((date) => firstDay(date) > asOf)) return true;
  return dates.length < stated.length ? null : false;
}
