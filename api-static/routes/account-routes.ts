/** Endpoints of one person's account. */

import {
  claimId,
  EXAMPLE_CLAIM,
  profileClaim,
  profileClaimList,
  profileClaimRequest,
  researcherId,
} from "../../schemas/public/account/claim.ts";
import { accountExport } from "../../schemas/public/account/export.ts";
import { accountListQuery, deleted } from "../../schemas/public/account/list.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { apiKeyId, EXAMPLE_KEY } from "../../schemas/public/account/registration.ts";
import {
  changeMails,
  EXAMPLE_MEASUREMENT,
  measurement,
  measurementId,
  measurementList,
  measurementRequest,
  savedAuthor,
  savedAuthorList,
  savedAuthorRequest,
  savedRecord,
  savedRecordList,
  savedRecordListQuery,
  savedRecordRequest,
  savedRepository,
  savedRepositoryList,
  savedRepositoryRequest,
} from "../../schemas/public/account/saved.ts";
import {
  datasetSubmission,
  datasetSubmissionList,
  datasetSubmissionRequest,
  EXAMPLE_SUBMISSION,
  submissionId,
} from "../../schemas/public/account/submission.ts";
import {
  EXAMPLE_REQUEST,
  visibilityId,
  visibilityRequest,
  visibilityRequestBody,
  visibilityRequestList,
} from "../../schemas/public/account/visibility.ts";
import { LONGEST_LABEL } from "../../schemas/public/api/lists.ts";
import { recordId } from "../../schemas/public/api/record.ts";
import { text } from "../../schemas/public/text.ts";
import { BODY_PROBLEMS, OWN_ROUTE, type PathKey, type RouteRows, recordKey, repositoryKey } from "./route.ts";

export const claimKey: PathKey = {
  name: "id",
  schema: claimId,
  description: "Id of a claim, from `/account/profile-claims`.",
  example: EXAMPLE_CLAIM,
  unknown: { problem: "not-found", detail: "You have no profile claim with this id." },
};

export const visibilityKey: PathKey = {
  name: "id",
  schema: visibilityId,
  description: "Id of a request, from `/account/visibility-requests`.",
  example: EXAMPLE_REQUEST,
  unknown: { problem: "not-found", detail: "You have no visibility request with this id." },
};

export const submissionKey: PathKey = {
  name: "id",
  schema: submissionId,
  description: "Id of a submission, from `/account/dataset-submissions`.",
  example: EXAMPLE_SUBMISSION,
  unknown: { problem: "not-found", detail: "You have no dataset submission with this id." },
};

export const measurementKey: PathKey = {
  name: "id",
  schema: measurementId,
  description: "Id of a saved evaluation, from `/account/measurements`.",
  example: EXAMPLE_MEASUREMENT,
  unknown: { problem: "not-found", detail: "You have no saved evaluation with this id." },
};

export const ownKeyId: PathKey = {
  name: "id",
  schema: apiKeyId,
  description: "Id of an API key, from `/account/me`.",
  example: EXAMPLE_KEY,
  unknown: { problem: "not-found", detail: "You have no API key with this id." },
};

export const savedRecordKey: PathKey = {
  name: "recordId",
  schema: recordId,
  description: "Field `recordId` of a saved record.",
  example: recordKey.example,
  unknown: { problem: "not-saved", detail: "You have not saved this record." },
};

export const authorIdKey: PathKey = {
  name: "authorId",
  schema: researcherId,
  description: "Field `authorId` of a saved researcher.",
  example: "a3f6d5f0f6b6f37f3f3a1c1d5",
  unknown: { problem: "not-saved", detail: "You have not saved this researcher." },
};

/** Requires a session. Browsers can call it only from pages of the site. */
const ACCOUNT_ROUTE = { ...OWN_ROUTE, tag: "Account", session: true } as const;
const ACCOUNT_LIST = { ...ACCOUNT_ROUTE, query: accountListQuery } as const;
const ACCOUNT_DELETE = { ...ACCOUNT_ROUTE, method: "delete", answer: deleted } as const;
const ACCOUNT_POST = { ...ACCOUNT_ROUTE, method: "post", status: 201 } as const;

export const savedRepositoryKey: PathKey = {
  ...repositoryKey,
  // PostgreSQL has no texts with NUL.
  schema: text(LONGEST_LABEL).refine((label) => !label.includes("\0")),
  description: "Exact label of a saved repository, percent-encoded once.",
  unknown: { problem: "not-saved", detail: "You have not saved this repository." },
};

export const ACCOUNT_ROUTES = {
  me: {
    ...ACCOUNT_ROUTE,
    path: "/account/me",
    summary: "Get your account",
    description:
      "The first ten items of each list, with its total. Each list has an endpoint of its own. Records and researchers are as in the active release, and null if it does not have them.",
    answer: accountPage,
  },
  "erase-account": {
    ...ACCOUNT_DELETE,
    path: "/account/me",
    setsCookie: true,
    summary: "Erase your account",
    description:
      "Deletes everything that the service stores about you, immediately and permanently, and ends every session. A hidden researcher stays hidden. Submitted datasets stay submitted, without your name. If you sign in again, you get a new account.",
  },
  "export-account": {
    ...ACCOUNT_ROUTE,
    path: "/account/export",
    download: true,
    summary: "Export your data",
    description: "Everything that the service stores about you, as a download named after the account.",
    answer: accountExport,
  },
  "revoke-api-key": {
    ...ACCOUNT_DELETE,
    path: "/account/api-keys/{id}",
    summary: "Revoke an API key",
    description: "For a key with the email address of your account. Requests with the key then return 401.",
    key: ownKeyId,
    problems: ["not-found"],
  },
  "profile-claims": {
    ...ACCOUNT_LIST,
    path: "/account/profile-claims",
    summary: "List your profile claims",
    description: "With their states, newest first.",
    answer: profileClaimList,
  },
  "new-profile-claim": {
    ...ACCOUNT_POST,
    path: "/account/profile-claims",
    summary: "Claim a researcher profile",
    description:
      "If you signed in with the researcher's ORCID iD, the claim is approved immediately. Otherwise a moderator decides. A researcher has at most one approved claim. A researcher who has opted out can be claimed only with their ORCID iD.",
    body: profileClaimRequest,
    answer: profileClaim,
    problems: [...BODY_PROBLEMS, "researcher-not-found", "duplicate", "account-full", "no-release"],
  },
  "withdraw-profile-claim": {
    ...ACCOUNT_DELETE,
    path: "/account/profile-claims/{id}",
    summary: "Withdraw a profile claim",
    description: "Also withdraws your pending requests for that researcher.",
    key: claimKey,
    problems: ["not-found"],
  },
  "visibility-requests": {
    ...ACCOUNT_LIST,
    path: "/account/visibility-requests",
    summary: "List your visibility requests",
    description: "With their states, newest first.",
    answer: visibilityRequestList,
  },
  "new-visibility-request": {
    ...ACCOUNT_POST,
    path: "/account/visibility-requests",
    summary: "Request to be hidden or shown",
    description:
      "You need an approved claim of the researcher. A moderator decides. An approved `opt_out` removes the researcher's page, badge and rows within a minute, and the next release does not name them. `opt_in` reverses it. Scores do not change.",
    body: visibilityRequestBody,
    answer: visibilityRequest,
    problems: [...BODY_PROBLEMS, "claim-needed", "researcher-not-found", "duplicate", "account-full", "no-release"],
  },
  "withdraw-visibility-request": {
    ...ACCOUNT_DELETE,
    path: "/account/visibility-requests/{id}",
    summary: "Withdraw a visibility request",
    description: "If it was decided, it only disappears from your list; the decision stays.",
    key: visibilityKey,
    problems: ["not-found"],
  },
  "saved-records": {
    ...ACCOUNT_LIST,
    path: "/account/saved-records",
    summary: "List your saved records",
    description: "With your notes, newest first. Each record is as in the active release.",
    query: savedRecordListQuery,
    answer: savedRecordList,
  },
  "save-record": {
    ...ACCOUNT_POST,
    path: "/account/saved-records",
    summary: "Save a record",
    description:
      "If you already saved the record, this replaces the note. If the record was merged into another one, that one is saved.",
    body: savedRecordRequest,
    answer: savedRecord,
    problems: [...BODY_PROBLEMS, "dataset-not-found", "account-full", "no-release"],
  },
  "unsave-record": {
    ...ACCOUNT_DELETE,
    path: "/account/saved-records/{recordId}",
    summary: "Remove a saved record",
    description: "You can use the id of the record, or the id of a record that was merged into it.",
    key: savedRecordKey,
    problems: ["not-saved"],
  },
  "saved-authors": {
    ...ACCOUNT_LIST,
    path: "/account/saved-authors",
    summary: "List your saved researchers",
    description: "With your notes, newest first. Each researcher is as in the active release.",
    answer: savedAuthorList,
  },
  "save-author": {
    ...ACCOUNT_POST,
    path: "/account/saved-authors",
    summary: "Save a researcher",
    description: "If you already saved the researcher, this replaces the note.",
    body: savedAuthorRequest,
    answer: savedAuthor,
    problems: [...BODY_PROBLEMS, "researcher-not-found", "account-full", "no-release"],
  },
  "unsave-author": {
    ...ACCOUNT_DELETE,
    path: "/account/saved-authors/{authorId}",
    summary: "Remove a saved researcher",
    description: "The id is the field `authorId` of the saved researcher.",
    key: authorIdKey,
    problems: ["not-saved"],
  },
  "saved-repositories": {
    ...ACCOUNT_LIST,
    path: "/account/saved-repositories",
    summary: "List your saved repositories",
    description: "Newest first. Their changes are in the emails about changes.",
    answer: savedRepositoryList,
  },
  "save-repository": {
    ...ACCOUNT_POST,
    path: "/account/saved-repositories",
    summary: "Save a repository",
    description: "If you already saved the repository, nothing changes.",
    body: savedRepositoryRequest,
    answer: savedRepository,
    problems: [...BODY_PROBLEMS, "repository-not-found", "account-full", "no-release"],
  },
  "unsave-repository": {
    ...ACCOUNT_DELETE,
    path: "/account/saved-repositories/{repository}",
    summary: "Remove a saved repository",
    description: "The repository does not need to be in the active release.",
    key: savedRepositoryKey,
    problems: ["not-saved"],
  },
  "start-change-mails": {
    ...ACCOUNT_POST,
    path: "/account/change-mails",
    summary: "Get an email when saved items change",
    description:
      "After each release you get at most one email: the changes of your saved records, researchers and repositories, and their causes. Each email has a link that stops them. An account without an email address gets none.",
    answer: changeMails,
  },
  "stop-change-mails": {
    ...ACCOUNT_DELETE,
    path: "/account/change-mails",
    summary: "Stop emails about changes",
    description: "If you get none, nothing changes.",
  },
  "dataset-submissions": {
    ...ACCOUNT_LIST,
    path: "/account/dataset-submissions",
    summary: "List your submitted datasets",
    description: "With their states, newest first.",
    answer: datasetSubmissionList,
  },
  "new-dataset-submission": {
    ...ACCOUNT_POST,
    path: "/account/dataset-submissions",
    summary: "Submit a dataset to be harvested",
    description:
      "`POST /evaluations` accepts the same identifiers. A DOI of no known source is looked up at DataCite. A moderator decides. The next harvest of the source includes accepted datasets. `rubricVersion` is optional.",
    body: datasetSubmissionRequest,
    answer: datasetSubmission,
    problems: [...BODY_PROBLEMS, "unsupported-source", "duplicate", "account-full"],
  },
  "dataset-submission": {
    ...ACCOUNT_ROUTE,
    path: "/account/dataset-submissions/{id}",
    summary: "Get a submitted dataset",
    description: "The response has the moderator's decision and the outcome of the harvest.",
    key: submissionKey,
    answer: datasetSubmission,
    problems: ["not-found"],
  },
  "withdraw-dataset-submission": {
    ...ACCOUNT_DELETE,
    path: "/account/dataset-submissions/{id}",
    summary: "Withdraw a submission",
    description: "If it was decided, it only disappears from your list; the decision stays.",
    key: submissionKey,
    problems: ["not-found"],
  },
  measurements: {
    ...ACCOUNT_LIST,
    path: "/account/measurements",
    summary: "List your saved evaluations",
    description: "Newest first, without the evidence.",
    answer: measurementList,
  },
  "new-measurement": {
    ...ACCOUNT_POST,
    path: "/account/measurements",
    summary: "Evaluate a dataset and save the result",
    description:
      "Saves the response of `POST /evaluations` until you delete it. If the active release has the record, `release` names that release. The request counts as an evaluation; each caller can make ten a minute.",
    body: measurementRequest,
    answer: measurement,
    quota: "evaluation",
    problems: [
      ...BODY_PROBLEMS,
      "account-full",
      "not-in-source",
      "unsupported-source",
      "source-unreachable",
      "source-too-slow",
    ],
  },
  measurement: {
    ...ACCOUNT_ROUTE,
    path: "/account/measurements/{id}",
    summary: "Get a saved evaluation",
    description: "The record as it was then, without creators who have opted out since.",
    key: measurementKey,
    answer: measurement,
    problems: ["not-found"],
  },
  "delete-measurement": {
    ...ACCOUNT_DELETE,
    path: "/account/measurements/{id}",
    summary: "Delete a saved evaluation",
    description: "The deletion is permanent. The record itself does not change.",
    key: measurementKey,
    problems: ["not-found"],
  },
} as const satisfies RouteRows;
