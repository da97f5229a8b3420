/** A form that somebody filled in, as a deposit at Zenodo: the payload that its form would make of it. */

import type { DraftFields } from "../../../schemas/public/site/forms.ts";

/** The source whose form it is. */
export const FORM_SOURCE = "zenodo";

const lines = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The parts of a line: what stands before its last semicolon, and after it. */
function parts(line: string): readonly [string, string] {
  const at = line.lastIndexOf(";");
  return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

export function deposited(fields: DraftFields): string {
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
  const given = (name: string, value: unknown, text: string) => (text.trim() === "" ? {} : { [name]: value });
  const metadata = {
    upload_type: "dataset",
    title,
    creators: lines(creators).map((line) => {
      const [name, orcid] = parts(line);
      return orcid === "" ? { name } : { name, orcid };
    }),
    ...given("description", description, description),
    ...given("method", methods, methods),
    ...given(
      "keywords",
      keywords
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== ""),
      keywords,
    ),
    ...given(
      "contributors",
      lines(contributors).map((line) => ({ name: parts(line)[0], type: parts(line)[1] || "Other" })),
      contributors,
    ),
    ...given("license", licence.trim(), licence),
    ...given("access_right", access, access),
    ...given("references", lines(references), references),
    ...given(
      "related_identifiers",
      lines(related).map((identifier) => ({ identifier, relation: "isSupplementTo" })),
      related,
    ),
    ...given(
      "grants",
      lines(grants).map((line) => ({ funder: { name: parts(line)[0] }, code: parts(line)[1] || line })),
      grants,
    ),
  };
  return JSON.stringify({ metadata, files: lines(files).map((key) => ({ key })) });
}
