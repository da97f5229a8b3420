/**
 * Lists the operations, parameters and fields that this server has in addition to API 1.6 (interface.md). Every server of
 * API 1.6 has all the others.
 */

import type { OpenApi, Operation } from "./types.ts";

const LIST = ["rubric", "page", "limit", "sortBy", "sortOrder", "search"] as const;

/** The query parameters of each operation of API 1.6, by operation id. */
const CONTRACT: Readonly<Record<string, readonly string[]>> = {
  records: [
    ...LIST,
    ...["identifier", "repository", "recordKind", "disease", "ageGroup", "dataType", "accessStatus"],
    ...["minScore", "maxScore", "minSupportedChecks"],
  ],
  record: ["rubric"],
  impact: ["rubric"],
  authors: [...LIST, "minSIndex", "minDatasets"],
  author: ["rubric"],
  metrics: ["rubric"],
  history: ["rubric"],
  register: [],
  rubrics: [],
  rubric: [],
  institutions: [...LIST, "countryCode"],
  geography: ["rubric", "page", "limit", "sortBy", "sortOrder"],
  evaluation: [],
  newEvaluationJob: [],
  evaluationJob: [],
  orcidStart: [],
  orcidCallback: [],
  magicRequest: [],
  magicConsume: [],
  me: [],
  newProfileClaim: [],
  newVisibilityRequest: [],
  saveRecord: [],
  unsaveRecord: [],
  saveAuthor: [],
  unsaveAuthor: [],
  datasetSubmissions: [],
  newDatasetSubmission: [],
  newMeasurement: [],
  logout: [],
  datasetBadge: [],
  repositoryBadge: [],
  researcherBadge: [],
};

/** Fields of request bodies that API 1.6 does not have, by operation id. */
const FIELDS = {
  evaluation: ["fresh"],
  newEvaluationJob: ["fresh"],
  newMeasurement: ["fresh"],
  newProfileClaim: ["evidence"],
} as const;

/** Returns the operations, parameters and fields that API 1.6 does not have. */
export function listAdditions(operations: readonly Operation[]): OpenApi["x-additions"] {
  const added = operations.flatMap(({ operationId, parameters = [] }) => {
    const names = parameters.flatMap((each) => ("in" in each && each.in === "query" ? [each.name] : []));
    const further = names.filter((name) => CONTRACT[operationId]?.includes(name) === false);
    return further.length === 0 ? [] : [[operationId, further] as const];
  });
  return {
    operations: operations.map(({ operationId }) => operationId).filter((id) => CONTRACT[id] === undefined),
    parameters: Object.fromEntries(added),
    fields: FIELDS,
  };
}
