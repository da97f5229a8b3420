/** Converts the fields of the form on the check page to the metadata of a deposit. */

import type { DraftFields } from "../../schemas/public/site/forms.ts";
import { readOrcid } from "../reading/identifiers.ts";
import { STEERING } from "../reading/text.ts";

/** The source whose deposit format the form produces. */
export const FORM_SOURCE = "zenodo";

/**
 * Checks the creators of the form, one creator on each line. Returns a sentence for each line with an invalid ORCID iD.
 */
export function orcidFaults({ creators }: Pick<DraftFields, "creators">): string[] {
  return creators.split(/\r?\n/).flatMap((line, i) => {
    const orcid = parts(line.trim())[1];
    if (orcid === "" || readOrcid(orcid) !== null) return [];
    return [`line ${i + 1} has an invalid ORCID iD: ${orcid.replace(STEERING, "")}`];
  });
}

/** Returns the deposit as JSON. Leaves out empty fields, except for the title, the creators and the files. */
export function buildDeposit(fields: DraftFields): string {
  const optional = {
    description: fields.description.trim(),
    method: fields.methods.trim(),
    keywords: filled(fields.keywords.split(/[,，、]/)),
    contributors: lines(fields.contributors)
      .map(parts)
      .map(([name, type]) => ({ name, type: type || "Other" })),
    license: fields.licence.trim(),
    access_right: fields.access.trim(),
    references: lines(fields.references),
    related_identifiers: lines(fields.related).map((identifier) => ({ identifier, relation: "isSupplementTo" })),
    grants: lines(fields.grants).map((line) => ({ funder: { name: parts(line)[0] }, code: parts(line)[1] || line })),
  };
  const metadata = {
    upload_type: "dataset",
    title: fields.title,
    creators: lines(fields.creators)
      .map(parts)
      .map(([name, orcid]) => (orcid === "" ? { name } : { name, orcid })),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value.length > 0)),
  };
  return JSON.stringify({ metadata, files: lines(fields.files).map((key) => ({ key })) });
}

const filled = (texts: readonly string[]) => texts.map((text) => text.trim()).filter((text) => text !== "");

const lines = (text: string) => filled(text.split(/\r?\n/));

/**
 * Divides a line into two parts at its last semicolon, for example into name and ORCID iD. A full-width semicolon
 * counts too.
 */
function parts(line: string): readonly [string, string] {
  const at = Math.max(line.lastIndexOf(";"), line.lastIndexOf("；"));
  return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
