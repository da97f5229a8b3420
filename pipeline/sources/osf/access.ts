/** OSF's visibility, embargoes and licences as evidence. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay } from "../../reading/dates.ts";
import { type LicenceStatement, readLicence } from "../../reading/licence.ts";
import { asText, type Json, type Reader } from "../../reading/reader.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { embeddedAttributes } from "./embeds.ts";

const COLUMNS = ["access_declared", "access_open", "embargo_active"] as const;

/** Only registrations can be under embargo; a public node is not. */
export function accessEvidence(reader: Reader, { asOf }: NormaliseContext): Partial<Evidence> {
  const shown = reader.raw("public");
  const embargoed = reader.raw("embargoed") ?? false;
  if (shown === undefined || shown === null) return {};
  if (typeof shown !== "boolean" || typeof embargoed !== "boolean") {
    reader.fail(COLUMNS);
    return {};
  }
  return {
    access_declared: true,
    access_open: shown && !embargoed,
    embargo_active: embargoed ? runs(reader, asOf) : false,
  };
}

/** The level in OSF's words. */
export function accessWords(attributes: Json): string | null {
  if (attributes.embargoed === true) return "embargoed";
  if (typeof attributes.public !== "boolean") return null;
  return attributes.public ? "public" : "private";
}

function runs(reader: Reader, asOf: string): boolean | null {
  const ends = reader.text("embargo_end_date", ["embargo_active"]);
  if (ends === null || ends === "") return null;
  const date = dateOf(ends);
  return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** `node_license` says whose and of which year a licence is; its name and address stand in the embedded licence. */
export function licenceEvidence(node: Json, reader: Reader, vocabularies: Vocabularies): Partial<Evidence> {
  const stated = reader.object("node_license", LICENCE_COLUMNS);
  const licence = embeddedAttributes(node, "license");
  const name = asText(licence?.name);
  if (name === null) {
    // null is no licence; an object is one, of which nothing more is carried.
    return stated !== null && reader.raw("node_license") === null ? readLicence([], vocabularies) : {};
  }
  const none = /^no licen[cs]e$/i.test(name);
  const spellings = [asText(licence?.url), name].filter((text) => text !== null);
  const statements: LicenceStatement[] = none ? [] : [{ text: name, spellings }];
  return readLicence(statements, vocabularies);
}
