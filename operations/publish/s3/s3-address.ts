/** s3://bucket/prefix: which objects a target is made of. */

export interface S3Address {
  readonly bucket: string;
  /** Before every key; empty, or ending with a slash. */
  readonly prefix: string;
}

/** Names of buckets as S3 and those compatible with it take them. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
/** Characters that need no care in any client, cache or address. */
const SEGMENT = /^[A-Za-z0-9!_.*'()-]+$/;

/** Null for what is none. */
export function s3Address(text: string): S3Address | null {
  const [, bucket, path = ""] = ADDRESS.exec(text) ?? [];
  const segments = path.replace(/\/$/, "").split("/");
  const safe = path === "" || segments.every((name) => SEGMENT.test(name) && name !== "." && name !== "..");
  if (bucket === undefined || !safe) return null;
  return { bucket, prefix: path === "" ? "" : `${segments.join("/")}/` };
}
