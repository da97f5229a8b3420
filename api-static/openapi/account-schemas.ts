/** The names of the schemas under /account. */

import type { z } from "zod";
import { profileClaim, profileClaimList, profileClaimRequest } from "../../schemas/public/account/claim.ts";
import { dispute, disputeList, disputeRequest } from "../../schemas/public/account/dispute.ts";
import { accountExport } from "../../schemas/public/account/export.ts";
import { accountPage } from "../../schemas/public/account/me.ts";
import { measurement, measurementList, measurementRow } from "../../schemas/public/account/measurement.ts";
import {
  savedAuthor,
  savedAuthorList,
  savedAuthorRequest,
  savedRecord,
  savedRecordList,
  savedRecordRequest,
} from "../../schemas/public/account/saved.ts";
import { datasetSubmission, datasetSubmissionList } from "../../schemas/public/account/submission.ts";
import {
  visibilityRequest,
  visibilityRequestBody,
  visibilityRequestList,
} from "../../schemas/public/account/visibility.ts";

export const ACCOUNT_SCHEMAS = {
  AccountPage: accountPage,
  AccountExport: accountExport,
  ProfileClaimRequest: profileClaimRequest,
  ProfileClaimList: profileClaimList,
  ProfileClaim: profileClaim,
  VisibilityRequestBody: visibilityRequestBody,
  VisibilityRequestList: visibilityRequestList,
  VisibilityRequest: visibilityRequest,
  SaveRecordRequest: savedRecordRequest,
  SavedRecordList: savedRecordList,
  SavedRecord: savedRecord,
  SaveAuthorRequest: savedAuthorRequest,
  SavedAuthorList: savedAuthorList,
  SavedAuthor: savedAuthor,
  DatasetSubmissionList: datasetSubmissionList,
  DatasetSubmission: datasetSubmission,
  MeasurementList: measurementList,
  MeasurementRow: measurementRow,
  Measurement: measurement,
  DisputeRequest: disputeRequest,
  DisputeList: disputeList,
  Dispute: dispute,
} as const satisfies Readonly<Record<string, z.ZodType>>;
