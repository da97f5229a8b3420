/** Stage 1, harvest: what sources say, verbatim, into raw/<source>/. */

export { type FilesOptions, harvestFiles } from "./recorded/files.ts";
export type { HarvestSummary, WantedOutcome } from "./session/summary.ts";
export type { Fetched } from "./walking/fetch-record.ts";
export { fetchRecord, harvestHttp } from "./walking/http.ts";
export type { HttpOptions } from "./walking/http-options.ts";
export type { WantedRecords } from "./walking/wanted-records.ts";
