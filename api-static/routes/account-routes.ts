/** Addresses of what belongs to one person. */

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
import {
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
  savedRecordRequest,
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
import { recordId } from "../../schemas/public/api/record.ts";
import { BODY_PROBLEMS, OWN_ROUTE, type PathKey, type RouteRows, recordKey } from "./route.ts";

export const claimKey: PathKey = {
  name: "id",
  schema: claimId,
  description: "Id of a claim, as `/account/profile-claims` shows it.",
  example: EXAMPLE_CLAIM,
  unknown: { problem: "not-found", detail: "You have no profile claim of this id." },
};

export const visibilityKey: PathKey = {
  name: "id",
  schema: visibilityId,
  description: "Id of a request, as `/account/visibility-requests` shows it.",
  example: EXAMPLE_REQUEST,
  unknown: { problem: "not-found", detail: "You have no visibility request of this id." },
};

export const submissionKey: PathKey = {
  name: "id",
  schema: submissionId,
  description: "Id of a submission, as `/account/dataset-submissions` shows it.",
  example: EXAMPLE_SUBMISSION,
  unknown: { problem: "not-found", detail: "You have no dataset submission of this id." },
};

export const measurementKey: PathKey = {
  name: "id",
  schema: measurementId,
  description: "Id of a measurement, as `/account/measurements` shows it.",
  example: EXAMPLE_MEASUREMENT,
  unknown: { problem: "not-found", detail: "You have no measurement of this id." },
};

export const savedRecordKey: PathKey = {
  name: "recordId",
  schema: recordId,
  description: "Member `recordId` of a saved record.",
  example: recordKey.example,
  unknown: { problem: "not-saved", detail: "This record is not among those you saved." },
};

export const authorIdKey: PathKey = {
  name: "authorId",
  schema: researcherId,
  description: "Member `authorId` of a saved researcher.",
  example: "a3f6d5f0f6b6f37f3f3a1c1d5",
  unknown: { problem: "not-saved", detail: "This researcher is not among those you saved." },
};

/** Only who is signed in is answered, and only to pages of this site. */
const ACCOUNT_ROUTE = { ...OWN_ROUTE, tag: "Account", session: true } as const;
const ACCOUNT_LIST = { ...ACCOUNT_ROUTE, query: accountListQuery } as const;
const ACCOUNT_DELETE = { ...ACCOUNT_ROUTE, method: "delete", answer: deleted } as const;
const ACCOUNT_POST = { ...ACCOUNT_ROUTE, method: "post", status: 201 } as const;

export const ACCOUNT_ROUTES = {
  me: {
    ...ACCOUNT_ROUTE,
    path: "/account/me",
    summary: "The user who is signed in, with all that a page about them needs",
    description:
      "The first ten of everything, with how many there are; each has an address of its own for the rest. Records and researchers are shown as the active release lists them, and null where it does not.",
    answer: accountPage,
  },
  "erase-account": {
    ...ACCOUNT_DELETE,
    path: "/account/me",
    setsCookie: true,
    summary: "Erase the account",
    description:
      "Everything that is kept of the person goes, at once and for good, and every session ends. A researcher who is hidden stays hidden; a dataset that was submitted stays submitted, by nobody. Whoever signs in again has a new account.",
  },
  "export-account": {
    ...ACCOUNT_ROUTE,
    path: "/account/export",
    download: true,
    summary: "Everything that is kept of the person, as a file",
    description: "Sent as a download, named after the account.",
    answer: accountExport,
  },
  "profile-claims": {
    ...ACCOUNT_LIST,
    path: "/account/profile-claims",
    summary: "The researchers one says to be",
    description: "One's claims with their states, the newest first.",
    answer: profileClaimList,
  },
  "new-profile-claim": {
    ...ACCOUNT_POST,
    path: "/account/profile-claims",
    summary: "Say which researcher one is",
    description:
      "Approved at once where the ORCID iD one signed in with is the researcher's; otherwise a moderator decides. A researcher has one approved claim. Who has opted out can be claimed by who has their ORCID iD, and by nobody else.",
    body: profileClaimRequest,
    answer: profileClaim,
    problems: [...BODY_PROBLEMS, "researcher-not-found", "duplicate", "account-full", "no-release"],
  },
  "withdraw-profile-claim": {
    ...ACCOUNT_DELETE,
    path: "/account/profile-claims/{id}",
    summary: "Take a claim back",
    description: "Requests made as that researcher and not yet decided go with it.",
    key: claimKey,
    problems: ["not-found"],
  },
  "visibility-requests": {
    ...ACCOUNT_LIST,
    path: "/account/visibility-requests",
    summary: "The requests one made for one's own pages",
    description: "One's visibility requests with their states, the newest first.",
    answer: visibilityRequestList,
  },
  "new-visibility-request": {
    ...ACCOUNT_POST,
    path: "/account/visibility-requests",
    summary: "Ask to be hidden, or to be shown again",
    description:
      "Only who has an approved claim of the researcher can ask; a moderator decides. An approved `opt_out` removes the researcher's page, badge and rows within a minute, and the next release names them nowhere; `opt_in` undoes it. Scores do not change.",
    body: visibilityRequestBody,
    answer: visibilityRequest,
    problems: [...BODY_PROBLEMS, "claim-needed", "researcher-not-found", "duplicate", "account-full", "no-release"],
  },
  "withdraw-visibility-request": {
    ...ACCOUNT_DELETE,
    path: "/account/visibility-requests/{id}",
    summary: "Take a request back",
    description: "One that was decided goes from the list alone: the decision stands.",
    key: visibilityKey,
    problems: ["not-found"],
  },
  "saved-records": {
    ...ACCOUNT_LIST,
    path: "/account/saved-records",
    summary: "Saved records",
    description: "With their notes, the newest first, each as the active release lists it.",
    answer: savedRecordList,
  },
  "save-record": {
    ...ACCOUNT_POST,
    path: "/account/saved-records",
    summary: "Save a record",
    description:
      "Saving it again replaces the note. An id that gave way to another source's is saved as the record that is kept.",
    body: savedRecordRequest,
    answer: savedRecord,
    problems: [...BODY_PROBLEMS, "dataset-not-found", "account-full", "no-release"],
  },
  "unsave-record": {
    ...ACCOUNT_DELETE,
    path: "/account/saved-records/{recordId}",
    summary: "Remove a saved record",
    description: "Any id that the record goes by will do: its own, or one that gave way to it.",
    key: savedRecordKey,
    problems: ["not-saved"],
  },
  "saved-authors": {
    ...ACCOUNT_LIST,
    path: "/account/saved-authors",
    summary: "Saved researchers",
    description: "With their notes, the newest first, each as the active release lists them.",
    answer: savedAuthorList,
  },
  "save-author": {
    ...ACCOUNT_POST,
    path: "/account/saved-authors",
    summary: "Save a researcher",
    description: "Saving them again replaces the note.",
    body: savedAuthorRequest,
    answer: savedAuthor,
    problems: [...BODY_PROBLEMS, "researcher-not-found", "account-full", "no-release"],
  },
  "unsave-author": {
    ...ACCOUNT_DELETE,
    path: "/account/saved-authors/{authorId}",
    summary: "Remove a saved researcher",
    description: "The id is the member `authorId` of the saved researcher.",
    key: authorIdKey,
    problems: ["not-saved"],
  },
  "dataset-submissions": {
    ...ACCOUNT_LIST,
    path: "/account/dataset-submissions",
    summary: "Datasets one submitted",
    description: "With what became of each, the newest first.",
    answer: datasetSubmissionList,
  },
  "new-dataset-submission": {
    ...ACCOUNT_POST,
    path: "/account/dataset-submissions",
    summary: "Submit a dataset to be harvested",
    description:
      "The identifier is read as `POST /evaluations` reads it; a DOI that no source is known by is looked for at DataCite. A moderator decides; accepted datasets join the next harvest of their source. `rubricVersion` may be left out.",
    body: datasetSubmissionRequest,
    answer: datasetSubmission,
    problems: [...BODY_PROBLEMS, "unsupported-source", "duplicate", "account-full"],
  },
  "dataset-submission": {
    ...ACCOUNT_ROUTE,
    path: "/account/dataset-submissions/{id}",
    summary: "The fate of one dataset",
    description: "The answer says whether it was accepted, and what its harvest came to.",
    key: submissionKey,
    answer: datasetSubmission,
    problems: ["not-found"],
  },
  "withdraw-dataset-submission": {
    ...ACCOUNT_DELETE,
    path: "/account/dataset-submissions/{id}",
    summary: "Take a submission back",
    description: "One that was decided goes from the list alone: the decision stands.",
    key: submissionKey,
    problems: ["not-found"],
  },
  measurements: {
    ...ACCOUNT_LIST,
    path: "/account/measurements",
    summary: "Kept evaluations, in short",
    description: "The newest first, without the evidence behind them.",
    answer: measurementList,
  },
  "new-measurement": {
    ...ACCOUNT_POST,
    path: "/account/measurements",
    summary: "Evaluate a dataset, and keep the result",
    description:
      "A measurement is what `POST /evaluations` would answer, kept until it is deleted; `release` names the release where the active one had the record. Counts as an evaluation: ten a minute are answered for each caller.",
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
    summary: "One kept evaluation, whole",
    description: "The record as it was then, but for creators who have opted out since.",
    key: measurementKey,
    answer: measurement,
    problems: ["not-found"],
  },
  "delete-measurement": {
    ...ACCOUNT_DELETE,
    path: "/account/measurements/{id}",
    summary: "Delete a kept evaluation",
    description: "The deletion is for good; the record it was of stays as it is.",
    key: measurementKey,
    problems: ["not-found"],
  },
} as const satisfies RouteRows;
