/** Stage 1, harvest: what sources say, verbatim, into raw/<source>/. */

export type { Fetched } from "./fetch-record.ts";
export { type FilesOptions, harvestFiles } from "./files.ts";
export { fetchRecord, harvestHttp } from "./http.ts";
export type { HttpOptions } from "./http-options.ts";
export type { HarvestSummary } from "./summary.ts";
export type { WantedOutcome, WantedRecords } from "./wanted-records.ts";
