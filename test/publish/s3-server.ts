/** Starts a real S3-compatible server for one test, on loopback, with its objects in a folder. */

import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
/** The number of keys on one page of a listing, as in S3. */
const PAGE = 1000;
/** The suffix of the files in which the server stores objects. */
const OBJECT = "._S3rver_object";

/** Returns the keys of all objects in a folder of the server, in the order of their bytes. */
async function namesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const keys = names.filter((name) => name.endsWith(OBJECT)).map((name) => name.slice(0, -OBJECT.length));
  return keys.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Returns one page of the response to ListObjectsV2 (XML). The token is the last key of the page before, in base64url. */
async function writeListing(folder: string, prefix: string, token: string | null): Promise<string> {
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

/** Returns the response to ListMultipartUploads (XML). */
async function listUploads(folder: string, prefix: string): Promise<string> {
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

const S3rver = createRequire(import.meta.url)("s3rver");

export const BUCKET = "scores";

/** The credentials of the server's only account. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER", AWS_REGION: "us-east-1" };

/**
 * Decides how the server responds to a request: with an error status and S3 error code, by cutting the connection, or normally
 * if it returns null.
 */
export type Interference = (request: IncomingMessage) => { status: number; code: string } | "cut" | null;

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** Methods and paths of the requests so far. A PUT that copies an object is listed as COPY. */
  readonly requests: string[];
  /** Returns the keys of all objects, in order. */
  keys(): Promise<string[]>;
  /** Returns the content of an object; null if there is no such object. */
  object(key: string): Promise<Buffer | null>;
  /** Returns the ids of multipart uploads that were started but not completed. */
  uploads(): Promise<string[]>;
  interfere(instead: Interference): void;
}

/** Starts the S3 server with one empty bucket. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), "share-s3-"));
  const folder = join(directory, BUCKET);
  await mkdir(folder);
  const handle = new S3rver({ directory, silent: true }).callback();
  const requests: string[] = [];
  let interference: Interference = () => null;
  const server = createServer(async (request, response) => {
    const copies = request.headers["x-amz-copy-source"] !== undefined;
    requests.push(`${copies ? "COPY" : request.method} ${request.url}`);
    const instead = interference(request);
    if (instead === "cut") request.socket.destroy();
    else if (instead !== null) reject(response, instead);
    else if (!(await answerWhatItCannot(request, response, folder))) handle(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    keys: () => namesBelow(folder),
    object: (key) => readFile(join(folder, `${key}${OBJECT}`)).catch(() => null),
    uploads: () => readdir(join(folder, UPLOADS)).catch(() => []),
    interfere: (given) => {
      interference = given;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const UPLOADS = "._S3rver_uploads";

function reject(response: ServerResponse, { status, code }: { status: number; code: string }): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>as told</Message></Error>`);
}

/**
 * Responds to three operations that the server cannot do, and returns false for all others: the server neither lists nor aborts
 * multipart uploads, and its listings of several pages need a cipher that Node no longer has.
 */
async function answerWhatItCannot(request: IncomingMessage, response: ServerResponse, folder: string) {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (request.method === "DELETE" && searchParams.has("uploadId")) {
    await rm(join(folder, UPLOADS, searchParams.get("uploadId") ?? "none"), { recursive: true, force: true });
    response.writeHead(204).end();
    return true;
  }
  if (request.method !== "GET" || pathname.replaceAll("/", "") !== BUCKET) return false;
  const prefix = searchParams.get("prefix") ?? "";
  const answer = searchParams.has("uploads")
    ? await listUploads(join(folder, UPLOADS), prefix)
    : await writeListing(folder, prefix, searchParams.get("continuation-token"));
  response.writeHead(200, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${answer}`);
  return true;
}
