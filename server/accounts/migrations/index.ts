/** Every migration there is, oldest first. A new one is a new file and a new line; a released one is never edited. */

import type { Migration } from "../migrate.ts";
import { apiKeys } from "./0001-api-keys.ts";
import { evaluationJobs } from "./0002-evaluation-jobs.ts";

export const MIGRATIONS: readonly Migration[] = [apiKeys, evaluationJobs];
