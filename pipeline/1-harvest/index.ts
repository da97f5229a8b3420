/** Stage 1, harvest: what sources say, verbatim, into raw/<source>/. */

export { type FilesOptions, harvestFiles } from "./files.ts";
export { harvestHttp } from "./http.ts";
export type { HarvestSummary } from "./summary.ts";
export type { HttpOptions } from "./walk.ts";
