/** Check boxes in a list, and the form that opens the comparison of the selected rows. It works without a script. */

import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { COMPARED } from "../../schemas/public/site/compared.ts";
import { type Html, html } from "../html.ts";
import { english, t } from "../languages/translate.ts";
import { rubricInput } from "./navigation.ts";

/** The kind of row to compare. Its name is also that of the query parameter of `/compare`. */
export type Compared = "dataset" | "repository";

export const PLURALS: Readonly<Record<Compared, string>> = {
  dataset: english("datasets"),
  repository: english("repositories"),
};

/** Returns the path of the comparison of these datasets or repositories. */
export function comparePath(kind: Compared, values: readonly string[], version: string): string {
  const parameters = new URLSearchParams(version === PUBLIC_VERSIONS[0] ? {} : { rubric: version });
  for (const value of values) parameters.append(kind, value);
  return `/compare?${parameters}`;
}

/** Returns the check box of a row. Its accessible name is the text of the element with the id `labelled`. */
export function selectBox(kind: Compared, value: string, labelled: string, isSelected = false): Html {
  return html`<label class="select" data-server><input type="checkbox" form="compare" name="${kind}" value="${value}" aria-labelledby="${labelled}"${isSelected ? html` checked` : null}></label>`;
}

/** Returns the form of the check boxes in a list. It follows the list, and stays visible while a box is checked. */
export function compareSelected(kind: Compared, version: string): Html {
  return html`<form id="compare" class="selected" action="/compare" data-compare="${COMPARED.least} ${COMPARED.most}">${rubricInput(version)}<button>Compare selected</button><span role="status">Select two to four ${t(PLURALS[kind])}.</span></form>`;
}
