/** What a repository's badge is made of, exactly: sums and counts, which its totals and the caps of its sources give. */

import type { ExactMean } from "../../api-static/pages/tenths.ts";
import { TOTALS } from "../../schemas/public/tables.ts";

export interface RepositoryFigures {
  readonly repository: string;
  /** Null where nothing of it is scored. */
  readonly mean: ExactMean | null;
  readonly cap: ExactMean | null;
}

const SUM = TOTALS.map((name) => `${name.slice(1)} * repository.${name}`).join(" + ");

/** Rows that {@link repositoryFiguresOf} reads; parameter `version`. All records of a source have its cap, so that the mean of those is a whole number. */
export const REPOSITORY_FIGURES = `
  select repository.repository, cast(${SUM} as integer) as sum, cast(repository.scored_count as integer) as count,
    (select cast(sum(source.mean_cap * source.scored_count) as integer) from repository_source as source
     where source.rubric = repository.rubric and source.repository = repository.repository) as cap
  from repository where repository.rubric = $version`;

/** The figures in such a row. */
export function repositoryFiguresOf(row: readonly unknown[]): RepositoryFigures {
  const [repository, sum, count, cap] = row;
  const scored = typeof sum === "number" && typeof count === "number" && count > 0;
  return {
    repository: String(repository),
    mean: scored ? { sum, count } : null,
    cap: scored && typeof cap === "number" ? { sum: cap, count } : null,
  };
}
