/** The form in which a creator is shown who has asked not to be: the place stays, nameless (decisions.md, "Accounts"). */

/** It stands where the name was, in tables as on pages. */
export const WITHHELD_NAME = "withheld";

/** The same creators, those withheld of whom `isWithheld` says so by the id of the researcher beside them, or their place. */
export function withholding<Author extends object>(
  authors: readonly Author[],
  researcherIds: readonly (string | null)[],
  isWithheld: (researcherId: string, place: number) => boolean,
) {
  return authors.map((author, i) => {
    const id = researcherIds[i] ?? null;
    return id === null || !isWithheld(id, i)
      ? author
      : { ...author, name: WITHHELD_NAME, affiliation: null, orcid: null };
  });
}
