/** Visibility requests: a researcher asks to be hidden or to be shown again. */

import { z } from "zod";
import { slug } from "../api/researcher.ts";
import { instant } from "../scalars.ts";
import { claimState, researcherId } from "./claim.ts";
import { type AccountItem, defineEndpoints } from "./items.ts";
import { defineAccountList } from "./list.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
import { authorSlug, reason } from "./texts.ts";

const REQUEST_TYPES = ["opt_out", "opt_in"] as const;
export const requestType = z
  .enum(REQUEST_TYPES, `must be one of ${REQUEST_TYPES.join(", ")}`)
  .describe("`opt_out` hides the researcher, `opt_in` shows them again.");

const visibilityId = z.string().regex(/^v[0-9a-f]{24}$/);
const EXAMPLE_REQUEST = "v7c20d9e41b6f3a85d01e9c47";

const WISH = { requestType: "opt_out", reason: "I have left research." } as const;

const visibilityRequestBody = shape(
  "VisibilityRequestBody",
  z
    .object(
      { authorSlug, requestType, reason: reason.optional().describe("The reason, for the moderator.") },
      "must be a JSON object",
    )
    .describe("A visibility request."),
  ({ researcher }) => ({ authorSlug: researcher.slug, ...WISH }),
);

const visibilityRequest = shape(
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

const list = defineAccountList("VisibilityRequestList", visibilityRequest);

export const visibilityKey = {
  name: "id",
  schema: visibilityId,
  description: "Id of a request, from `/account/visibility-requests`.",
  example: EXAMPLE_REQUEST,
  unknown: {
    problem: "not-found",
    detail: "You have no visibility request with this id. GET /account/visibility-requests lists yours.",
  },
} as const;
const endpoints = defineEndpoints({
  path: "/account/visibility-requests",
  key: visibilityKey,
  row: visibilityRequest,
  list,
});

export const visibilityRequests = {
  words: "visibility requests",
  most: 1000,
  overview: list,
  exported: z.array(visibilityRequest),
  page: "requests",
  routes: {
    "visibility-requests": endpoints.list("List your visibility requests", "With their states, newest first."),
    "new-visibility-request": endpoints.add(
      "Request to be hidden or shown",
      "You need an approved claim of the researcher. A moderator decides. An approved `opt_out` removes the researcher's page, badge and rows within a minute, and the next release does not name them. `opt_in` reverses it. Scores do not change.",
      visibilityRequestBody,
      ["claim-needed", "researcher-not-found", "duplicate", "account-full", "no-release"],
    ),
    "withdraw-visibility-request": endpoints.remove(
      "Withdraw a visibility request",
      "If it was decided, it only disappears from your list; the decision stays.",
    ),
  },
  actions: {
    visibility: {
      route: "new-visibility-request",
      fields: ["authorSlug", "requestType"],
      optional: ["reason"],
      part: "profile",
      done: "Your request was sent. A moderator decides. The change is visible within a minute after that.",
      continued: { title: "Ask a moderator to change the visibility of your page?", button: "Send the request" },
    },
    "withdraw-visibility": {
      route: "withdraw-visibility-request",
      fields: ["id"],
      part: "profile",
      done: "Withdrawn.",
    },
  },
} as const satisfies AccountItem;

export const hiddenResearcher = z
  .object({
    authorId: researcherId,
    authorSlug: slug,
    since: instant.describe("The time of the approval."),
  })
  .describe("A hidden researcher.");
export type HiddenResearcher = z.infer<typeof hiddenResearcher>;
