/** The path parameters under /account. */

import { z } from "zod";
import { claimId } from "../../schemas/public/account/claim.ts";
import { measurementId } from "../../schemas/public/account/measurement.ts";
import { submissionId } from "../../schemas/public/account/submission.ts";
import { visibilityId } from "../../schemas/public/account/visibility.ts";
import { recordKey } from "./path-keys.ts";
import type { PathKey } from "./route.ts";

export const claimKey: PathKey = {
  name: "id",
  schema: claimId,
  description: "Id of a claim, as `/account/profile-claims` shows it.",
  example: "c51f0be7a9d3c2468e07b1f92",
};

export const visibilityKey: PathKey = {
  name: "id",
  schema: visibilityId,
  description: "Id of a request, as `/account/visibility-requests` shows it.",
  example: "v7c20d9e41b6f3a85d01e9c47",
};

export const submissionKey: PathKey = {
  name: "id",
  schema: submissionId,
  description: "Id of a submission, as `/account/dataset-submissions` shows it.",
  example: "d08e6a3f72c9b14d5fa0e63b1",
};

export const measurementKey: PathKey = {
  name: "id",
  schema: measurementId,
  description: "Id of a measurement, as `/account/measurements` shows it.",
  example: "m94b7d1e05c8f26a3b7e40d1c",
};

export const savedRecordKey: PathKey = {
  name: "recordId",
  schema: z.string().max(160),
  description: "Member `recordId` of a saved record.",
  example: recordKey.example,
};

export const authorIdKey: PathKey = {
  name: "authorId",
  schema: z.string().max(160),
  description: "Member `authorId` of a saved researcher.",
  example: "a3f6d5f0f6b6f37f3f3a1c1d5",
};
