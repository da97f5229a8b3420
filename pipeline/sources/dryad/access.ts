/** Dryad's curation status, visibility, embargo and licence as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay } from "../../reading/dates.ts";
import { readLicence } from "../../reading/licence.ts";
import { asText, firstText, type Reader } from "../../reading/reader.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import type { DryadAnswer } from "./answer.ts";

const LEVEL_COLUMNS = ["access_declared", "access_open"] as const;

/** The status tells embargoed datasets from published ones, `visibility` (since 2020) public from restricted ones. */
export function accessEvidence(reader: Reader, { asOf, vocabularies }: NormaliseContext): Partial<Evidence> {
  const status = reader.text("curationStatus", [...LEVEL_COLUMNS, "embargo_active"])?.toLowerCase() ?? null;
  const visibility = reader.text("visibility", LEVEL_COLUMNS);
  if (status === null || visibility === null) return {};
  if (status === "embargoed") {
    const ends = firstText(reader.raw("embargoEndDate"), reader.raw("publicationDate"));
    return { access_declared: true, access_open: false, embargo_active: embargo(reader, ends, asOf, null) };
  }
  const level = visibility === "" ? (status === "published" ? "open" : null) : visibility;
  if (level === null) return { access_declared: reader.has("curationStatus") ? false : null };
  const read = level === "open" ? level : vocabularies.accessLevels.levelOf(level);
  if (read === null) {
    reader.fail(LEVEL_COLUMNS);
    return {};
  }
  const unstated = status === "" && read !== "open" ? null : false;
  const ends = asText(reader.raw("embargoEndDate"));
  return {
    access_declared: true,
    access_open: read === "open",
    embargo_active: embargo(reader, ends, asOf, unstated),
  };
}

function embargo(reader: Reader, ends: string | null, asOf: string, unstated: false | null): boolean | null {
  if (ends === null) return unstated;
  const date = dateOf(ends);
  return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** The licence's address. */
export function licenceEvidence(reader: Reader, { hasRights }: DryadAnswer, { vocabularies }: NormaliseContext) {
  const stated = reader.text("license", LICENCE_COLUMNS);
  const unknown = { license_text: null, license_spdx: null, license_permissive: null, license_open: null };
  if (stated === null || (stated === "" && !hasRights)) return unknown;
  return readLicence(stated === "" ? [] : [{ text: stated, spellings: [stated] }], vocabularies);
}
