/** Access right, embargo and licence of a research product: the product's best right, and what its instances state. */

import type { Evidence } from "../../../schemas/public/evidence.ts";
import { dateOf, firstDay } from "../../reading/dates.ts";
import { doiOf } from "../../reading/identifiers.ts";
import { type LicenceStatement, readLicence } from "../../reading/licence.ts";
import { asList, asObject, asText, at, firstText, type Json, type Reader } from "../../reading/reader.ts";
import { displayText } from "../../reading/text.ts";
import type { Vocabularies } from "../../vocabularies/index.ts";
import type { NormaliseContext } from "../adapter/source.ts";
import { modernised } from "./answer.ts";

interface Access {
  readonly evidence: Partial<Evidence>;
  /** The access statement in OpenAIRE's words, or null. */
  readonly statement: string | null;
}

const LICENCE_COLUMNS = ["license_text", "license_spdx", "license_permissive", "license_open"] as const;

/** `doi` is the DOI the record goes by: of several instances, its own speak first. */
export function accessOf(reader: Reader, doi: string | null, { asOf, vocabularies }: NormaliseContext): Access {
  const instances = reader.list("instances", LICENCE_COLUMNS);
  const right = reader.object("bestAccessRight", ["access_declared", "access_open"]);
  const label = asText(right?.label);
  const levelOf = (text: string | null) => (text === null ? null : vocabularies.accessLevels.levelOf(text));
  const level = levelOf(label) ?? levelOf(coarAddress(asText(right?.code)));
  return {
    evidence: {
      ...(instances === null ? {} : readLicence(licencesOf(instances, doi, vocabularies), vocabularies)),
      access_declared: right === null ? null : level !== null,
      access_open: level === null ? null : level === "open",
      embargo_active: embargo(reader, level, asOf),
    },
    statement: level === null || label === null ? null : displayText(label, 80),
  };
}

/** Codes are the last part of a COAR address: c_abf2 is open access. */
function coarAddress(code: string | null): string | null {
  return code === null ? null : `http://purl.org/coar/access_right/${code}`;
}

function embargo(reader: Reader, level: string | null, asOf: string): boolean | null {
  const stated = reader.text("embargoEndDate", ["embargo_active"]);
  if (stated !== null && stated !== "") {
    const date = dateOf(stated);
    return date === null ? reader.fail(["embargo_active"]) : firstDay(date) > asOf;
  }
  return level === "open" ? false : null;
}

function licencesOf(instances: readonly unknown[], doi: string | null, vocabularies: Vocabularies): LicenceStatement[] {
  const stated = instances.map((instance) => modernised(asObject(instance) ?? {}));
  const ofThisDoi = stated.filter((instance) =>
    asList(instance.pids).some((pid) => doiOf(asText(at(pid, "value"))) === doi),
  );
  // Old answers put an access level where the licence belongs.
  const isLicence = (text: string) =>
    !vocabularies.placeholders.isPlaceholder(text, "any") && vocabularies.accessLevels.levelOf(text) === null;
  const textsOf = (some: readonly Json[]) =>
    some
      .map((instance) => firstText(instance.license, at(instance.license, "value")))
      .filter((text) => text !== null)
      .filter(isLicence);
  const textsOfThisDoi = textsOf(ofThisDoi);
  return (textsOfThisDoi.length > 0 ? textsOfThisDoi : textsOf(stated)).map((text) => ({ text, spellings: [text] }));
}
