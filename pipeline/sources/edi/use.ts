/** Reads that PASTA's audit counted for one revision of a package. */

import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { asObject, asText, at, Reader } from "../../reading/reader.ts";
import { allAt } from "./elements.ts";

/** Metadata read are views, data read are downloads; without robots. The answer lists all revisions. */
export function useEvidence(payload: unknown, sourceId: string, errors: Set<EvidenceName>): Partial<Evidence> {
  const reads = at(payload, "reads", "resourceReads");
  if (reads === undefined) return {};
  const revision = sourceId.split(".").at(-1);
  const ofRevision = allAt(reads, "resource").filter((resource) => asText(at(resource, "revision")) === revision);
  return {
    view_count: total(ofRevision, "metadata", "view_count", errors),
    download_count: total(ofRevision, "data", "download_count", errors),
  };
}

function total(
  resources: readonly unknown[],
  type: string,
  column: "view_count" | "download_count",
  errors: Set<EvidenceName>,
): number {
  const counts = resources
    .filter((resource) => at(resource, "resourceType") === type)
    .map((resource) => new Reader(asObject(resource) ?? {}, errors).count("nonRobotReads", column) ?? 0);
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    2_147_483_647,
  );
}
