/** Figshare's embargoes, confidential items and metadata-only records as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay } from "../../reading/dates.ts";
import { asText, type Json, type Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { NormaliseContext } from "../adapter/source.ts";

const LEVEL_COLUMNS = ["access_declared", "access_open"] as const;

/** What closes a public article; a closed one says so whatever the others say. */
const CLOSED_BY = ["is_embargoed", "is_confidential", "is_metadata_record", "download_disabled"] as const;

export function accessEvidence(reader: Reader, { asOf }: NormaliseContext): Partial<Evidence> {
  const embargoed = flag(reader, "is_embargoed", [...LEVEL_COLUMNS, "embargo_active"]);
  const closed = CLOSED_BY.map((key) => (key === "is_embargoed" ? embargoed : flag(reader, key, LEVEL_COLUMNS)));
  if (closed.every((value) => value === null)) return {};
  const isClosed = closed.includes(true);
  return {
    access_declared: embargoed === null && !isClosed ? null : true,
    access_open: isClosed ? false : embargoed === null ? null : true,
    embargo_active: embargoed === null ? null : embargoed && runs(reader, asOf),
  };
}

/** A truth value; null where it is missing or cannot be read. */
function flag(reader: Reader, key: string, columns: Parameters<Reader["fail"]>[0]): boolean | null {
  const value = reader.raw(key);
  if (value === undefined || value === null) return null;
  return typeof value === "boolean" ? value : reader.fail(columns);
}

/** An embargo without a date is figshare's permanent one. */
function runs(reader: Reader, asOf: string): boolean | null {
  const ends = reader.text("embargo_date", ["embargo_active"]);
  if (ends === "") return true;
  const date = dateOf(ends);
  return date !== null ? firstDay(date) > asOf : ends === null ? null : reader.fail(["embargo_active"]);
}

/** The level in figshare's words. */
export function accessWords(article: Json): string | null {
  const title = asText(article.embargo_title);
  if (article.is_embargoed === true) return title === null ? "embargoed" : displayText(title, 80) || "embargoed";
  if (article.is_confidential === true) return "confidential";
  if (article.is_metadata_record === true) return "metadata record";
  return asText(article.status);
}
