/** Profile claims: a user asks to be recognised as one of the published researchers. */

import { z } from "zod";
import { researcherRow, slug } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { type AccountItem, defineEndpoints } from "./items.ts";
import { defineAccountList } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
import { authorSlug, reason as evidence } from "./texts.ts";

export const CLAIM_STATES = ["pending", "approved", "rejected"] as const;
export const claimState = z
  .enum(CLAIM_STATES)
  .describe("`pending` until a moderator decides, then `approved` or `rejected`.");

const claimId = z.string().regex(/^c[0-9a-f]{24}$/);
const EXAMPLE_EVIDENCE = "https://example.org/staff/mirela-vance has this email address.";
const EXAMPLE_CLAIM = "c51f0be7a9d3c2468e07b1f92";
export const researcherId = researcherRow.shape.id;

const profileClaimRequest = shape(
  "ProfileClaimRequest",
  z
    .object(
      {
        authorSlug,
        evidence: evidence
          .optional()
          .describe("Evidence for the moderator, such as a page of your institution with your email address."),
      },
      "must be a JSON object",
    )
    .describe("The researcher to claim."),
  ({ researcher }) => ({ authorSlug: researcher.slug, evidence: EXAMPLE_EVIDENCE }),
);

const profileClaim = shape(
  "ProfileClaim",
  z
    .object({
      id: claimId,
      authorId: researcherId.describe("Id of the researcher."),
      authorSlug: slug.describe("Their slug at the time of the claim."),
      evidence: z.string().nullable().describe("The evidence in the request, or null."),
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
    evidence: EXAMPLE_EVIDENCE,
    state: "approved" as const,
    decisionReason: null,
    createdAt: EXAMPLE_MOMENTS.begun,
    decidedAt: EXAMPLE_MOMENTS.begun,
    researcher,
  }),
);
export type ProfileClaim = z.infer<typeof profileClaim>;

const list = defineAccountList("ProfileClaimList", profileClaim);

export const claimKey = {
  name: "id",
  schema: claimId,
  description: "Id of a claim, from `/account/profile-claims`.",
  example: EXAMPLE_CLAIM,
  unknown: {
    problem: "not-found",
    detail: "You have no profile claim with this id. GET /account/profile-claims lists yours.",
  },
} as const;
const endpoints = defineEndpoints({ path: "/account/profile-claims", key: claimKey, row: profileClaim, list });

export const profileClaims = {
  words: "profile claims",
  most: 100,
  overview: list,
  exported: z.array(profileClaim.omit({ researcher: true })),
  page: "claims",
  routes: {
    "profile-claims": endpoints.list("List your profile claims", "With their states, newest first."),
    "new-profile-claim": endpoints.add(
      "Claim a researcher profile",
      "If you signed in with the researcher's ORCID iD, the claim is approved immediately. Otherwise a moderator decides. A researcher has at most one approved claim. A researcher who has opted out can be claimed only with their ORCID iD.",
      profileClaimRequest,
      ["researcher-not-found", "duplicate", "account-full", "no-release"],
    ),
    "withdraw-profile-claim": endpoints.remove(
      "Withdraw a profile claim",
      "Also withdraws your pending requests for that researcher.",
    ),
  },
  actions: {
    claim: {
      route: "new-profile-claim",
      fields: ["authorSlug"],
      optional: ["evidence"],
      part: "profile",
      done: "You have claimed the page. The state of your claim is shown below.",
      continued: { title: "Claim this researcher page?", button: "This is me" },
    },
    "withdraw-claim": { route: "withdraw-profile-claim", fields: ["id"], part: "profile", done: "Withdrawn." },
  },
} as const satisfies AccountItem;
