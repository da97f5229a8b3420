/** Listings of a bucket as S3 writes them, made of the files that the test's server keeps. */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
/** As many as S3 gives at once. */
const PAGE = 1000;
/** Ends the names of the files it keeps objects in. */
export const OBJECT = "._S3rver_object";

/** Keys of the objects, in the order of their bytes. */
export async function namesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const keys = names.filter((name) => name.endsWith(OBJECT)).map((name) => name.slice(0, -OBJECT.length));
  return keys.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** One page of ListObjectsV2. A token is the last key of the page before. */
export async function listingOf(folder: string, prefix: string, token: string | null): Promise<string> {
  const after = token === null ? "" : Buffer.from(token, "base64url").toString();
  const keys = (await namesBelow(folder)).filter((key) => key.startsWith(prefix) && key > after);
  const page = keys.slice(0, PAGE);
  const contents = await Promise.all(
    page.map(async (key) => {
      const content = await readFile(join(folder, `${key}${OBJECT}`));
      return `<Contents><Key>${escaped(key)}</Key><ETag>"${hash("md5", content)}"</ETag><Size>${content.length}</Size></Contents>`;
    }),
  );
  const next = Buffer.from(page.at(-1) ?? "").toString("base64url");
  const more = keys.length > PAGE ? `<NextContinuationToken>${next}</NextContinuationToken>` : "";
  return `<ListBucketResult ${XMLNS}><IsTruncated>${keys.length > PAGE}</IsTruncated>${more}${contents.join("")}</ListBucketResult>`;
}

/** ListMultipartUploads. */
export async function uploadsOf(folder: string, prefix: string): Promise<string> {
  const uploads: string[] = [];
  for (const id of await readdir(folder).catch(() => [])) {
    const key = await readFile(join(folder, id, "key"), "utf8").catch(() => null);
    if (key?.startsWith(prefix) === true) {
      uploads.push(`<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></Upload>`);
    }
  }
  return `<ListMultipartUploadsResult ${XMLNS}><IsTruncated>false</IsTruncated>${uploads.join("")}</ListMultipartUploadsResult>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
