/** One spelling for the research product of Graph API v2, of v1 (singular keys) and of the dumps (lower-case keys). */

import type { EvidenceName } from "../../../schemas/public/evidence.ts";
import type { Json, Reader } from "../../reading/reader.ts";

/** Earlier spelling → today's. */
const RENAMED = new Map([
  ["author", "authors"],
  ["contributor", "contributors"],
  ["description", "descriptions"],
  ["format", "formats"],
  ["instance", "instances"],
  ["pid", "pids"],
  ["subject", "subjects"],
  ["maintitle", "mainTitle"],
  ["bestaccessright", "bestAccessRight"],
  ["publicationdate", "publicationDate"],
  ["embargoenddate", "embargoEndDate"],
  ["geolocation", "geoLocations"],
  ["geoLocation", "geoLocations"],
  ["lastupdatetimestamp", "lastUpdateTimeStamp"],
  ["dateofcollection", "dateOfCollection"],
  ["accessright", "accessRight"],
  ["fullname", "fullName"],
]);

/** The object with today's keys; where both spellings are there, today's holds. */
export function modernised(product: Json): Json {
  const entries = Object.entries(product).filter(([key]) => {
    const today = RENAMED.get(key);
    return today === undefined || !Object.hasOwn(product, today);
  });
  return Object.fromEntries(entries.map(([key, value]) => [RENAMED.get(key) ?? key, value]));
}

/**
 * A list that only some of OpenAIRE's mappings fill: null and [] are what is left where the depositor gave nothing and
 * where a mapping dropped it, so that neither says "none".
 */
export function partlyMapped(reader: Reader, key: string, columns: readonly EvidenceName[]): readonly unknown[] | null {
  const list = reader.list(key, columns);
  return list === null || list.length === 0 ? null : list;
}
