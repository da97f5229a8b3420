/** Visibility requests: a researcher asks to be hidden or shown. */

import { z } from "zod";
import { slug } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { claimState, researcherId } from "./claim.ts";
import { accountListOf } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
import { authorSlug, reason } from "./texts.ts";

export const REQUEST_TYPES = ["opt_out", "opt_in"] as const;
export const requestType = z
  .enum(REQUEST_TYPES, `must be one of ${REQUEST_TYPES.join(", ")}`)
  .describe("`opt_out` hides the researcher, `opt_in` shows them again.");
export type RequestType = z.infer<typeof requestType>;

export const visibilityId = z.string().regex(/^v[0-9a-f]{24}$/);
export const EXAMPLE_REQUEST = "v7c20d9e41b6f3a85d01e9c47";

const WISH = { requestType: "opt_out", reason: "I have left research." } as const;

export const visibilityRequestBody = shape(
  "VisibilityRequestBody",
  z
    .object(
      { authorSlug, requestType, reason: reason.optional().describe("The reason, for the moderator.") },
      "must be a JSON object",
    )
    .describe("A visibility request."),
  ({ researcher }) => ({ authorSlug: researcher.slug, ...WISH }),
);

export const visibilityRequest = shape(
  "VisibilityRequest",
  z
    .object({
      id: visibilityId,
      authorId: researcherId.describe("Id of the researcher."),
      authorSlug: slug.describe("Their slug at the time of the claim."),
      requestType,
      reason: z.string().nullable(),
      state: claimState,
      decisionReason: z.string().nullable().describe("The moderator's reason, or null."),
      createdAt: instant,
      decidedAt: instant.nullable().describe("Null while pending."),
    })
    .describe("A request to be hidden or shown."),
  ({ researcher }) => ({
    id: EXAMPLE_REQUEST,
    authorId: researcher.id,
    authorSlug: researcher.slug,
    ...WISH,
    state: "pending" as const,
    decisionReason: null,
    createdAt: EXAMPLE_MOMENTS.later,
    decidedAt: null,
  }),
);
export type VisibilityRequest = z.infer<typeof visibilityRequest>;

export const visibilityRequestList = accountListOf("VisibilityRequestList", visibilityRequest);

export const hiddenResearcher = z
  .object({
    authorId: researcherId,
    authorSlug: slug,
    since: instant.describe("The time of the approval."),
  })
  .describe("A hidden researcher.");
export type HiddenResearcher = z.infer<typeof hiddenResearcher>;
