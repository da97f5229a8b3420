/** The last step of an explanation: who among the people lacks an iD, once it is known who is not to be shown. */

import type { Evaluation } from "./evaluation.ts";
import { improvementsOf } from "./improvements.ts";
import { withPeopleNamed } from "./specifics.ts";

/** `researcherIds`: of each creator, in order; null for what is no person. */
export function peopleNamed(evaluation: Evaluation, researcherIds: readonly (string | null)[]): Evaluation {
  const { record, outcome } = evaluation;
  if (record === null || outcome === "failed") return evaluation;
  const people = researcherIds.map((id) => id !== null);
  const named = withPeopleNamed(record, people);
  return named === record ? evaluation : { ...evaluation, record: named, improvements: improvementsOf(named) };
}
