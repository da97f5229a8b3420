/** Content types of the files of a release, by the end of their names. */

/** Media types by the end of the name, the longer one first. */
const FILE_TYPES: readonly (readonly [string, string])[] = [
  [".csv.gz", "application/gzip"],
  [".parquet", "application/vnd.apache.parquet"],
  [".json", "application/json; charset=utf-8"],
  [".ndjson", "application/x-ndjson; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".cff", "application/yaml; charset=utf-8"],
  [".zst", "application/zstd"],
];

const ANY = "application/octet-stream";

/** Every type that a file of a release can have. */
export const RELEASE_MEDIA_TYPES: readonly string[] = [...new Set([...FILE_TYPES.map(([, type]) => type), ANY])];

export function mediaType(path: string): string {
  return FILE_TYPES.find(([end]) => path.endsWith(end))?.[1] ?? ANY;
}
