/** The path parameters under /account. */

import { claimId, EXAMPLE_CLAIM, researcherId } from "../../schemas/public/account/claim.ts";
import { EXAMPLE_MEASUREMENT, measurementId } from "../../schemas/public/account/measurement.ts";
import { EXAMPLE_SUBMISSION, submissionId } from "../../schemas/public/account/submission.ts";
import { EXAMPLE_REQUEST, visibilityId } from "../../schemas/public/account/visibility.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import { recordKey } from "./path-keys.ts";
import type { PathKey } from "./route.ts";

export const claimKey: PathKey = {
  name: "id",
  schema: claimId,
  description: "Id of a claim, as `/account/profile-claims` shows it.",
  example: EXAMPLE_CLAIM,
  unknown: { problem: "not-found", detail: "You have no profile claim of this id." },
};

export const visibilityKey: PathKey = {
  name: "id",
  schema: visibilityId,
  description: "Id of a request, as `/account/visibility-requests` shows it.",
  example: EXAMPLE_REQUEST,
  unknown: { problem: "not-found", detail: "You have no visibility request of this id." },
};

export const submissionKey: PathKey = {
  name: "id",
  schema: submissionId,
  description: "Id of a submission, as `/account/dataset-submissions` shows it.",
  example: EXAMPLE_SUBMISSION,
  unknown: { problem: "not-found", detail: "You have no dataset submission of this id." },
};

export const measurementKey: PathKey = {
  name: "id",
  schema: measurementId,
  description: "Id of a measurement, as `/account/measurements` shows it.",
  example: EXAMPLE_MEASUREMENT,
  unknown: { problem: "not-found", detail: "You have no measurement of this id." },
};

export const savedRecordKey: PathKey = {
  name: "recordId",
  schema: recordId,
  description: "Member `recordId` of a saved record.",
  example: recordKey.example,
  unknown: { problem: "not-saved", detail: "This record is not among those you saved." },
};

export const authorIdKey: PathKey = {
  name: "authorId",
  schema: researcherId,
  description: "Member `authorId` of a saved researcher.",
  example: "a3f6d5f0f6b6f37f3f3a1c1d5",
  unknown: { problem: "not-saved", detail: "This researcher is not among those you saved." },
};
