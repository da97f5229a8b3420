/** GET /account/me: all that a person's page needs, in one answer that stays small whatever they have saved. */

import { z } from "zod";
import { count } from "../api/common.ts";
import { instant } from "../scalars.ts";
import { profileClaimList } from "./claim.ts";
import { measurementList, savedAuthorList, savedRecordList } from "./saved.ts";
import { EXAMPLE_MOMENTS, exampleOfShape, shape } from "./shape.ts";
import { datasetSubmissionList } from "./submission.ts";
import { hiddenResearcher, visibilityRequestList } from "./visibility.ts";

const userId = z.string().regex(/^u[0-9a-f]{24}$/);

export const user = shape(
  "User",
  z
    .object({
      id: userId,
      name: z.string().nullable().describe("The name that ORCID shows; null where it shows none."),
      email: z
        .string()
        .nullable()
        .describe("The address links are sent to, in lower case; null for who uses ORCID only."),
      orcid: z.string().nullable().describe("ORCID iD, in four groups; null for who signs in by mail only."),
      createdAt: instant.describe("The moment at which they signed in for the first time."),
    })
    .describe("A person with an account."),
  () => ({
    id: "u5b1c9e07d24f4a6f8e3b7a10",
    name: "Mirela Vance",
    email: "mirela.vance@example.org",
    orcid: "0000-0005-1200-0216",
    createdAt: EXAMPLE_MOMENTS.begun,
  }),
);
export type User = z.infer<typeof user>;

/** Most of each that one account may have. */
export const ACCOUNT_LIMITS = {
  profileClaims: 100,
  visibilityRequests: 1000,
  savedRecords: 10_000,
  savedAuthors: 10_000,
  datasetSubmissions: 1000,
  measurements: 1000,
} as const;
export type Kept = keyof typeof ACCOUNT_LIMITS;

const most = (kept: Kept) =>
  z
    .int()
    .min(1)
    .meta({ examples: [ACCOUNT_LIMITS[kept]] });

export const accountLimits = z
  .object({
    profileClaims: most("profileClaims"),
    visibilityRequests: most("visibilityRequests"),
    savedRecords: most("savedRecords"),
    savedAuthors: most("savedAuthors"),
    datasetSubmissions: most("datasetSubmissions"),
    measurements: most("measurements"),
  } satisfies Record<Kept, z.ZodType>)
  .describe("The number of each that an account may have.");

export const accountPage = shape(
  "AccountPage",
  z
    .object({
      user,
      sessions: count.describe("Places where one is signed in; `/account/sessions` lists them."),
      hidden: z
        .array(hiddenResearcher)
        .describe("The hidden ones among the researchers whose claims were approved for this account."),
      profileClaims: profileClaimList,
      visibilityRequests: visibilityRequestList,
      savedRecords: savedRecordList,
      savedAuthors: savedAuthorList,
      datasetSubmissions: datasetSubmissionList,
      measurements: measurementList,
      limits: accountLimits,
    })
    .describe("The user who is signed in, with the first page of everything that is theirs."),
  (parts) => ({
    user: exampleOfShape(user, parts),
    sessions: 1,
    hidden: [],
    profileClaims: exampleOfShape(profileClaimList, parts),
    visibilityRequests: exampleOfShape(visibilityRequestList, parts),
    savedRecords: exampleOfShape(savedRecordList, parts),
    savedAuthors: exampleOfShape(savedAuthorList, parts),
    datasetSubmissions: exampleOfShape(datasetSubmissionList, parts),
    measurements: exampleOfShape(measurementList, parts),
    limits: ACCOUNT_LIMITS,
  }),
);
export type AccountPage = z.infer<typeof accountPage>;
