/** Converts the fields of the form on the check page to the metadata of a deposit. */

import type { DraftFields } from "../../schemas/public/site/forms.ts";
import { readOrcid } from "../reading/identifiers.ts";
import { STEERING } from "../reading/text.ts";

/** The source whose deposit format the form produces. */
export const FORM_SOURCE = "zenodo";

/** Checks the creators, one on each line. Returns a sentence for each line with an invalid ORCID iD. */
export function orcidFaults({ creators }: Pick<DraftFields, "creators">): string[] {
  return creators.split(/\r?\n/).flatMap((line, i) => {
    const orcid = parts(line.trim())[1];
    if (orcid === "" || readOrcid(orcid) !== null) return [];
    return [`line ${i + 1} has an invalid ORCID iD: ${orcid.replace(STEERING, "")}`];
  });
}

/** Returns the deposit as JSON. Fields that are empty are left out, except for the title, the creators and the files. */
export function buildDeposit(fields: DraftFields): string {
  const {
    title,
    description,
    methods,
    keywords,
    creators,
    contributors,
    licence,
    access,
    references,
    related,
    grants,
    files,
  } = fields;
  const optional = (name: string, value: unknown, text: string) => (text.trim() === "" ? {} : { [name]: value });
  const metadata = {
    upload_type: "dataset",
    title,
    creators: lines(creators).map((line) => {
      const [name, orcid] = parts(line);
      return orcid === "" ? { name } : { name, orcid };
    }),
    ...optional("description", description, description),
    ...optional("method", methods, methods),
    ...optional(
      "keywords",
      keywords
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== ""),
      keywords,
    ),
    ...optional(
      "contributors",
      lines(contributors).map((line) => ({ name: parts(line)[0], type: parts(line)[1] || "Other" })),
      contributors,
    ),
    ...optional("license", licence.trim(), licence),
    ...optional("access_right", access, access),
    ...optional("references", lines(references), references),
    ...optional(
      "related_identifiers",
      lines(related).map((identifier) => ({ identifier, relation: "isSupplementTo" })),
      related,
    ),
    ...optional(
      "grants",
      lines(grants).map((line) => ({ funder: { name: parts(line)[0] }, code: parts(line)[1] || line })),
      grants,
    ),
  };
  return JSON.stringify({ metadata, files: lines(files).map((key) => ({ key })) });
}

const lines = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

function parts(line: string): readonly [string, string] {
  const at = line.lastIndexOf(";");
  return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
