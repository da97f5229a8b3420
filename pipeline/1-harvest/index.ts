/** Stage 1, harvest: what sources say, verbatim, into raw/<source>/. */

export type { Fetched, WantedRecords } from "./fetch-record.ts";
export { type FilesOptions, harvestFiles } from "./harvest-files.ts";
export { fetchRecord, harvestHttp } from "./harvest-http.ts";
export type { HarvestSummary, WantedOutcome } from "./session.ts";
export type { HttpOptions } from "./walk.ts";
