/** Profile claims: a user claims to be a researcher. */

import { z } from "zod";
import { researcherRow, slug } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
import { authorSlug } from "./texts.ts";

export const CLAIM_STATES = ["pending", "approved", "rejected"] as const;
export const claimState = z
  .enum(CLAIM_STATES)
  .describe("`pending` until a moderator decides, then `approved` or `rejected`.");

export const claimId = z.string().regex(/^c[0-9a-f]{24}$/);
export const EXAMPLE_CLAIM = "c51f0be7a9d3c2468e07b1f92";
export const researcherId = researcherRow.shape.id;

export const profileClaimRequest = shape(
  "ProfileClaimRequest",
  z.object({ authorSlug }, "must be a JSON object").describe("The researcher to claim."),
  ({ researcher }) => ({ authorSlug: researcher.slug }),
);

export const profileClaim = shape(
  "ProfileClaim",
  z
    .object({
      id: claimId,
      authorId: researcherId.describe("Id of the researcher."),
      authorSlug: slug.describe("Their slug at the time of the claim."),
      state: claimState,
      decisionReason: z.string().nullable().describe("The moderator's reason, or null."),
      createdAt: instant,
      decidedAt: instant.nullable().describe("Null while pending."),
      researcher: researcherRow.nullable().describe("The researcher in the active release, or null."),
    })
    .describe("A profile claim."),
  ({ researcher }) => ({
    id: EXAMPLE_CLAIM,
    authorId: researcher.id,
    authorSlug: researcher.slug,
    state: "approved" as const,
    decisionReason: null,
    createdAt: EXAMPLE_MOMENTS.begun,
    decidedAt: EXAMPLE_MOMENTS.begun,
    researcher,
  }),
);
export type ProfileClaim = z.infer<typeof profileClaim>;

export const profileClaimList = accountListOf("ProfileClaimList", profileClaim);
