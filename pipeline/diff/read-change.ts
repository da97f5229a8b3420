/** Rows of the table `change`, read back as what the API and the command line show. */

import {
  type RecordChange,
  type ResearcherChange,
  recordChange,
  researcherChange,
} from "../../schemas/public/api/diff.ts";
import type { Cell } from "../engine/open.ts";

/** A row of `change`, by column. */
export function readChange(row: Readonly<Record<string, Cell>>): RecordChange {
  return recordChange.parse({
    kind: row.kind,
    rubric: row.rubric,
    id: row.id,
    previousId: row.previous_id,
    identifier: row.identifier,
    source: row.source,
    previousSource: row.previous_source,
    repository: row.repository,
    title: row.title,
    statusBefore: row.status_before,
    statusAfter: row.status_after,
    totalBefore: row.total_before,
    totalAfter: row.total_after,
    points: row.points,
    causes: wordsOf(row.causes),
    reason: row.reason,
    signals: wordsOf(row.signals).map(readSignal),
  });
}

/** A row of `researcher_change`, by column. */
export function readResearcherChange(row: Readonly<Record<string, Cell>>): ResearcherChange {
  return researcherChange.parse({
    rubric: row.rubric,
    id: row.id,
    slug: row.slug,
    name: row.name,
    sIndexBefore: row.s_index_before,
    sIndexAfter: row.s_index_after,
    sImpactBefore: row.s_impact_before,
    sImpactAfter: row.s_impact_after,
    tierBefore: row.tier_before,
    tierAfter: row.tier_after,
    quadrantBefore: row.quadrant_before,
    quadrantAfter: row.quadrant_after,
    datasetCountBefore: row.dataset_count_before,
    datasetCountAfter: row.dataset_count_after,
  });
}

function wordsOf(text: Cell | undefined): string[] {
  return String(text ?? "")
    .split(" ")
    .filter((word) => word !== "");
}

/** `A5:absent>passed:as_of:4`. */
function readSignal(text: string) {
  const [signal, moved = "", cause, points] = text.split(":");
  const [before, after] = moved.split(">");
  return { signal, cause, before, after, points: Number(points) };
}
