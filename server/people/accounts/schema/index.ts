/** Every migration there is, oldest first. A new one is a new file and a new line; a released one is never edited. */

import { apiKeys } from "./0001-api-keys.ts";
import { evaluationJobs } from "./0002-evaluation-jobs.ts";
import { signIn } from "./0003-sign-in.ts";
import { account } from "./0004-account.ts";
import { submissionHarvest } from "./0005-submission-harvest.ts";
import { jobTurns } from "./0006-job-turns.ts";
import { correctedDisputes, disputes, noDisputes } from "./0009-no-disputes.ts";
import type { Migration } from "./migration.ts";

export const MIGRATIONS: readonly Migration[] = [
  apiKeys,
  evaluationJobs,
  signIn,
  account,
  submissionHarvest,
  jobTurns,
  disputes,
  correctedDisputes,
  noDisputes,
];
