/** GET /account/export: everything that is kept of one person. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { profileClaim } from "./claim.ts";
import { user } from "./me.ts";
import { measurement, savedAuthor, savedRecord } from "./saved.ts";
import { EXAMPLE_MOMENTS, exampleOfShape, shape } from "./shape.ts";
import { sessionRow } from "./sign-in.ts";
import { datasetSubmission } from "./submission.ts";
import { visibilityRequest } from "./visibility.ts";

export const signInLink = z
  .object({ createdAt: instant, expiresAt: instant, usedAt: instant.nullable() })
  .describe("A link for signing in that was sent to the address.");

/** What a release says of records and researchers is published, and not kept with the account. */
export const accountExport = shape(
  "AccountExport",
  z
    .object({
      exportedAt: instant,
      user,
      sessions: z.array(sessionRow).describe("Without what signs in: of that only a hash is kept."),
      signInLinks: z.array(signInLink).describe("Those not yet forgotten, likewise."),
      profileClaims: z.array(profileClaim.omit({ researcher: true })),
      visibilityRequests: z.array(visibilityRequest),
      savedRecords: z.array(savedRecord.omit({ record: true })),
      savedAuthors: z.array(savedAuthor.omit({ researcher: true })),
      datasetSubmissions: z.array(datasetSubmission),
      measurements: z.array(measurement),
    })
    .describe("Everything that is kept of the person who is signed in."),
  (parts) => {
    const { researcher: _claimed, ...claim } = exampleOfShape(profileClaim, parts);
    const { record: _saved, ...record } = exampleOfShape(savedRecord, parts);
    const { researcher: _known, ...author } = exampleOfShape(savedAuthor, parts);
    return {
      exportedAt: EXAMPLE_MOMENTS.later,
      user: exampleOfShape(user, parts),
      sessions: [],
      signInLinks: [],
      profileClaims: [claim],
      visibilityRequests: [exampleOfShape(visibilityRequest, parts)],
      savedRecords: [record],
      savedAuthors: [author],
      datasetSubmissions: [exampleOfShape(datasetSubmission, parts)],
      measurements: [exampleOfShape(measurement, parts)],
    };
  },
);
export type AccountExport = z.infer<typeof accountExport>;
