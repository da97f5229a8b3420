/** GET /account/export: all data stored about one person. */

import { z } from "zod";
import { instant } from "../scalars.ts";
import { profileClaim } from "./claim.ts";
import { user } from "./me.ts";
import { ownApiKey } from "./registration.ts";
import { changeMails, measurement, savedAuthor, savedRecord, savedRepository } from "./saved.ts";
import { EXAMPLE_MOMENTS, exampleOfShape, shape } from "./shape.ts";
import { sessionRow } from "./sign-in.ts";
import { datasetSubmission } from "./submission.ts";
import { visibilityRequest } from "./visibility.ts";

export const signInLink = z
  .object({ createdAt: instant, expiresAt: instant, usedAt: instant.nullable() })
  .describe("A sign-in link that was sent to the email address.");

/** Published data of records and researchers are not part of the export. */
export const accountExport = shape(
  "AccountExport",
  z
    .object({
      exportedAt: instant,
      user,
      sessions: z.array(sessionRow).describe("Without tokens: the server stores only their hashes."),
      signInLinks: z.array(signInLink).describe("Recent links, also without tokens."),
      apiKeys: z.array(ownApiKey).describe("Without the keys: the server stores only their hashes."),
      profileClaims: z.array(profileClaim.omit({ researcher: true })),
      visibilityRequests: z.array(visibilityRequest),
      savedRecords: z.array(savedRecord.omit({ record: true })),
      savedAuthors: z.array(savedAuthor.omit({ researcher: true })),
      savedRepositories: z.array(savedRepository),
      changeMails: z.array(changeMails).describe("One item if the user gets emails about changes."),
      datasetSubmissions: z.array(datasetSubmission),
      measurements: z.array(measurement),
    })
    .describe("All data stored about the user."),
  (parts) => {
    const { researcher: _claimed, ...claim } = exampleOfShape(profileClaim, parts);
    const { record: _saved, ...record } = exampleOfShape(savedRecord, parts);
    const { researcher: _known, ...author } = exampleOfShape(savedAuthor, parts);
    return {
      exportedAt: EXAMPLE_MOMENTS.later,
      user: exampleOfShape(user, parts),
      sessions: [],
      signInLinks: [],
      apiKeys: [],
      profileClaims: [claim],
      visibilityRequests: [exampleOfShape(visibilityRequest, parts)],
      savedRecords: [record],
      savedAuthors: [author],
      savedRepositories: [exampleOfShape(savedRepository, parts)],
      changeMails: [],
      datasetSubmissions: [exampleOfShape(datasetSubmission, parts)],
      measurements: [exampleOfShape(measurement, parts)],
    };
  },
);
export type AccountExport = z.infer<typeof accountExport>;
