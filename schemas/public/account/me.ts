/** GET /account/me: everything that the account view shows. Its size is limited. */

import { z } from "zod";
import { count } from "../api/common.ts";
import { instant } from "../scalars.ts";
import { profileClaimList } from "./claim.ts";
import { ownApiKey } from "./registration.ts";
import { changeMails, measurementList, savedAuthorList, savedRecordList, savedRepositoryList } from "./saved.ts";
import { EXAMPLE_MOMENTS, exampleOfShape, shape } from "./shape.ts";
import { datasetSubmissionList } from "./submission.ts";
import { hiddenResearcher, visibilityRequestList } from "./visibility.ts";

const userId = z.string().regex(/^u[0-9a-f]{24}$/);

export const user = shape(
  "User",
  z
    .object({
      id: userId,
      name: z.string().nullable().describe("The public name at ORCID, or null."),
      email: z
        .string()
        .nullable()
        .describe("The email address in lower case; null if the user signs in only with ORCID."),
      orcid: z.string().nullable().describe("ORCID iD in four groups; null if the user signs in only by email."),
      createdAt: instant.describe("The time of the first sign-in."),
    })
    .describe("A user."),
  () => ({
    id: "u5b1c9e07d24f4a6f8e3b7a10",
    name: "Mirela Vance",
    email: "mirela.vance@example.org",
    orcid: "0000-0005-1200-0216",
    createdAt: EXAMPLE_MOMENTS.begun,
  }),
);
export type User = z.infer<typeof user>;

/** Maximum number of items of each kind in an account. */
export const ACCOUNT_LIMITS = {
  profileClaims: 100,
  visibilityRequests: 1000,
  savedRecords: 10_000,
  savedAuthors: 10_000,
  savedRepositories: 100,
  datasetSubmissions: 1000,
  measurements: 1000,
} as const;
export type Kept = keyof typeof ACCOUNT_LIMITS;

const most = (itemKind: Kept) =>
  z
    .int()
    .min(1)
    .meta({ examples: [ACCOUNT_LIMITS[itemKind]] });

export const accountLimits = z
  .object({
    profileClaims: most("profileClaims"),
    visibilityRequests: most("visibilityRequests"),
    savedRecords: most("savedRecords"),
    savedAuthors: most("savedAuthors"),
    savedRepositories: most("savedRepositories"),
    datasetSubmissions: most("datasetSubmissions"),
    measurements: most("measurements"),
  } satisfies Record<Kept, z.ZodType>)
  .describe("Maximum number of items of each kind in an account.");

export const accountPage = shape(
  "AccountPage",
  z
    .object({
      user,
      sessions: count.describe("Number of sessions; `/account/sessions` lists them."),
      apiKeys: z.array(ownApiKey).describe("The newest 100 API keys with the email address of the account."),
      hidden: z
        .array(hiddenResearcher)
        .describe("Hidden researchers among those with an approved claim of this account."),
      profileClaims: profileClaimList,
      visibilityRequests: visibilityRequestList,
      savedRecords: savedRecordList,
      savedAuthors: savedAuthorList,
      savedRepositories: savedRepositoryList,
      changeMails: changeMails.nullable().describe("Null if the user gets no emails about changes."),
      datasetSubmissions: datasetSubmissionList,
      measurements: measurementList,
      limits: accountLimits,
    })
    .describe("The user with the first page of each of their lists."),
  (parts) => ({
    user: exampleOfShape(user, parts),
    sessions: 1,
    apiKeys: [],
    hidden: [],
    profileClaims: exampleOfShape(profileClaimList, parts),
    visibilityRequests: exampleOfShape(visibilityRequestList, parts),
    savedRecords: exampleOfShape(savedRecordList, parts),
    savedAuthors: exampleOfShape(savedAuthorList, parts),
    savedRepositories: exampleOfShape(savedRepositoryList, parts),
    changeMails: null,
    datasetSubmissions: exampleOfShape(datasetSubmissionList, parts),
    measurements: exampleOfShape(measurementList, parts),
    limits: ACCOUNT_LIMITS,
  }),
);
export type AccountPage = z.infer<typeof accountPage>;
