/** Sends requests to an S3 bucket, with checksums and clear errors. */

import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import { z } from "zod";
import {
  type CopySource,
  type FileHeaders,
  type PublishedFile,
  PublishInterrupted,
  PublishRejected,
  releaseFileHeaders,
  SMALL_BYTES,
  type TargetPlace,
  verifiedBytes,
  verifiedStream,
} from "./target.ts";

type S3 = Awaited<ReturnType<typeof openS3>>;

/**
 * Size in bytes above which an object is sent again instead of copied. Larger objects can only be copied in parts, which
 * few services support well.
 */
const MAX_COPIED_BYTES = 5 * 1024 ** 3;
const PART_BYTES = 8 * 1024 * 1024;
/** Largest number of parts in one upload. S3's limit is 10,000. */
const MAX_PARTS = 9_000;

/** A bucket. All paths are relative to the prefix of its address. */
export class S3Bucket {
  readonly #s3: S3["s3"];
  readonly #client: S3["client"];
  readonly #address: S3Address;

  constructor({ s3, client }: S3, address: S3Address) {
    this.#s3 = s3;
    this.#client = client;
    this.#address = address;
  }

  /** Returns `s3://bucket/key`, for messages. */
  formatAddress(path: string): string {
    return `s3://${this.#address.bucket}/${this.#address.prefix}${path}`;
  }

  text(path: string): Promise<string | null> {
    return this.#trying("read", path, async () => {
      const { Body } = await this.#client.send(new this.#s3.GetObjectCommand(this.#at(path)));
      return (await Body?.transformToString("utf-8")) ?? "";
    }).catch(nullIfMissing);
  }

  /**
   * Lists the objects below a path. In the results, `path` is relative to that path, and `tag` is the ETag without quotes.
   */
  async *list(path: string): AsyncGenerator<{ path: string; bytes: number; tag: string }> {
    const prefix = `${this.#address.prefix}${path}`;
    for (let next: string | undefined, more = true; more; more = next !== undefined) {
      const page = await this.#trying("list", path, () =>
        this.#client.send(
          new this.#s3.ListObjectsV2Command({
            Bucket: this.#address.bucket,
            Prefix: prefix,
            ...(next === undefined ? {} : { ContinuationToken: next }),
          }),
        ),
      );
      for (const { Key = "", Size = 0, ETag = "" } of page.Contents ?? []) {
        yield { path: Key.slice(prefix.length), bytes: Size, tag: ETag.replaceAll('"', "") };
      }
      next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    }
  }

  /**
   * Returns whether an object exists with this content and these headers. Compares the sha256 with the one in the metadata
   * of the object.
   */
  async has(path: string, { bytes, sha256 }: PublishedFile, headers: FileHeaders): Promise<boolean> {
    const head = await this.#trying("look up", path, () =>
      this.#client.send(new this.#s3.HeadObjectCommand(this.#at(path))),
    ).catch(nullIfMissing);
    return (
      head?.ContentLength === bytes &&
      head.Metadata?.sha256 === sha256 &&
      head.ContentType === headers.contentType &&
      head.CacheControl === headers.cacheControl
    );
  }

  /** Sends an object in one request. The service verifies the checksum. */
  async put(path: string, content: Buffer, headers: FileHeaders): Promise<void> {
    const sha256 = hash("sha256", content);
    await this.#trying("write", path, () =>
      this.#client.send(
        new this.#s3.PutObjectCommand({
          ...this.#buildObject(path, sha256, headers),
          Body: content,
          ContentLength: content.length,
          ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64"),
        }),
      ),
    );
  }

  /** Sends an object in parts, each with a checksum. After a failure, removes the parts. */
  async putLarge(path: string, open: () => Readable, file: PublishedFile, headers: FileHeaders): Promise<void> {
    const { Upload } = await import("@aws-sdk/lib-storage");
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#buildObject(path, file.sha256, headers), Body: open(), ChecksumAlgorithm: "SHA256" },
      partSize: Math.max(PART_BYTES, Math.ceil(file.bytes / MAX_PARTS)),
      queueSize: LARGE_PARTS,
      leavePartsOnError: false,
    });
    await this.#trying("write", path, () => upload.done());
  }

  /** Copies an object within the bucket. Returns false if the source is missing, has other content, or cannot be copied. */
  async copy(from: string, path: string, { bytes, sha256 }: PublishedFile, headers: FileHeaders): Promise<boolean> {
    if (bytes > MAX_COPIED_BYTES) return false;
    const copied = await this.#trying("copy to", path, () =>
      this.#client.send(
        new this.#s3.CopyObjectCommand({
          ...this.#buildObject(path, sha256, headers),
          CopySource: [this.#address.bucket, ...`${this.#address.prefix}${from}`.split("/")]
            .map(encodeURIComponent)
            .join("/"),
          // The headers are replaced, because the same bytes may have another name and content type.
          MetadataDirective: "REPLACE",
          ChecksumAlgorithm: "SHA256",
        }),
      ),
    ).catch((error: unknown) => {
      const cause = getCause(error);
      if (isMissing(cause) || isUnknownOperation(cause) || getErrorName(cause) === "InvalidRequest") return null;
      throw error;
    });
    // Some services return the checksum of the copy.
    const checksum = copied?.CopyObjectResult?.ChecksumSHA256;
    return copied !== null && (checksum === undefined || checksum === Buffer.from(sha256, "hex").toString("base64"));
  }

  async remove(path: string): Promise<void> {
    await this.#trying("remove", path, () => this.#client.send(new this.#s3.DeleteObjectCommand(this.#at(path))));
  }

  /**
   * Removes the parts of unfinished uploads below a path. Such parts cost money, although lists of objects do not show
   * them. If the service does not support or allow the removal, returns the reason; otherwise null.
   */
  async abortUploads(path: string): Promise<{ readonly reason: string } | null> {
    try {
      for await (const { Key, UploadId } of this.#uploads(path)) {
        await this.#client.send(
          new this.#s3.AbortMultipartUploadCommand({ Bucket: this.#address.bucket, Key, UploadId }),
        );
      }
      return null;
    } catch (error) {
      if (isUnknownOperation(error) || getErrorName(error) === "AccessDenied") return { reason: getErrorName(error) };
      throw s3Fault("list the unfinished uploads below", this.formatAddress(path), error);
    }
  }

  async *#uploads(path: string) {
    for (let marker = {}, more = true; more; ) {
      const page = await this.#client.send(
        new this.#s3.ListMultipartUploadsCommand({
          Bucket: this.#address.bucket,
          Prefix: `${this.#address.prefix}${path}`,
          ...marker,
        }),
      );
      for (const { Key, UploadId } of page.Uploads ?? []) yield { Key, UploadId };
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      more = page.IsTruncated === true;
    }
  }

  #at(path: string) {
    return { Bucket: this.#address.bucket, Key: `${this.#address.prefix}${path}` };
  }

  #buildObject(path: string, sha256: string, { contentType, cacheControl }: FileHeaders) {
    return { ...this.#at(path), ContentType: contentType, CacheControl: cacheControl, Metadata: { sha256 } };
  }

  async #trying<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw s3Fault(verb, this.formatAddress(path), error);
    }
  }
}

function getCause(error: unknown): unknown {
  return error instanceof Error ? error.cause : error;
}

function nullIfMissing(error: unknown): null {
  if (isMissing(getCause(error))) return null;
  throw error;
}

const RECEIPT = "release.json";

/** One release in a bucket, below releases/sha256-<hex>/. */
export class S3Place implements TargetPlace {
  readonly #bucket: S3Bucket;
  readonly #digest: string;

  constructor(bucket: S3Bucket, digest: string) {
    this.#bucket = bucket;
    this.#digest = digest;
  }

  receipt(): Promise<string | null> {
    return this.#bucket.text(this.#path(RECEIPT));
  }

  manifest(): Promise<string | null> {
    return this.#bucket.text(this.#path("manifest.ndjson"));
  }

  /** Does nothing, because an object only appears when it is complete. */
  async begin(): Promise<() => Promise<void>> {
    return async () => undefined;
  }

  list(): AsyncGenerator<{ path: string; bytes: number }> {
    return this.#bucket.list(this.#path(""));
  }

  has(file: PublishedFile): Promise<boolean> {
    return this.#bucket.has(this.#path(file.path), file, releaseFileHeaders(file.path));
  }

  copy(file: PublishedFile, source: CopySource): Promise<boolean> {
    const from = this.#path(source.path, source.releaseDigest);
    return this.#bucket.copy(from, this.#path(file.path), file, releaseFileHeaders(file.path));
  }

  async send(file: PublishedFile, local: string): Promise<void> {
    const [path, headers] = [this.#path(file.path), releaseFileHeaders(file.path)];
    if (file.bytes <= SMALL_BYTES) await this.#bucket.put(path, await verifiedBytes(local, file), headers);
    else await this.#bucket.putLarge(path, () => verifiedStream(local, file), file, headers);
  }

  remove(path: string): Promise<void> {
    return this.#bucket.remove(this.#path(path));
  }

  finish(receipt: string): Promise<void> {
    return this.#bucket.put(this.#path(RECEIPT), Buffer.from(receipt), releaseFileHeaders(RECEIPT));
  }

  async putBeside(file: PublishedFile, local: string): Promise<boolean> {
    if (await this.has(file)) return false;
    await this.send(file, local);
    return true;
  }

  #path(path: string, digest = this.#digest): string {
    return `releases/${digest.replace(":", "-")}/${path}`;
  }
}

export interface S3Address {
  readonly bucket: string;
  /** Prefix of every key. It is empty or ends with a slash. */
  readonly prefix: string;
}

/** Matches an address with a bucket name that S3 and similar services accept. */
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
/** Matches path segments whose characters are safe in all clients, caches and URLs. */
const SEGMENT = /^[A-Za-z0-9!_.*'()-]+$/;

/** Parses an address such as s3://bucket/prefix. Returns null if it is not valid. */
export function s3Address(text: string): S3Address | null {
  const [, bucket, path = ""] = ADDRESS.exec(text) ?? [];
  const segments = path.replace(/\/$/, "").split("/");
  const safe = path === "" || segments.every((name) => SEGMENT.test(name) && name !== "." && name !== "..");
  if (bucket === undefined || !safe) return null;
  return { bucket, prefix: path === "" ? "" : `${segments.join("/")}/` };
}

/**
 * Options for the connection to an S3 service. The AWS client finds the credentials itself: in the environment, a profile
 * or a role.
 */
export interface S3Options {
  /** URL of the service. If null, AWS_ENDPOINT_URL or the region determines it. */
  readonly endpoint: string | null;
  /** Region of the service. If null, AWS_REGION or the profile determines it. */
  readonly region: string | null;
  /** True to put the bucket name into the path instead of the host name. Most services other than Amazon's require this. */
  readonly pathStyle: boolean;
  readonly parallel: number;
}

/** Number of attempts for one request. The AWS client waits between them. */
const TRIES = 6;
const CONNECTION_MILLISECONDS = 10_000;
/**
 * Time limit for one request in milliseconds. It is this high because the service may take minutes to copy a large object.
 */
const REQUEST_MILLISECONDS = 300_000;

/** Loads the AWS SDK, and makes a client. It connects with its first request. */
export async function openS3({ endpoint, region, pathStyle, parallel }: S3Options) {
  const s3 = await import("@aws-sdk/client-s3");
  // A large file is sent in several parts at once.
  const agent = { maxSockets: parallel + LARGE_PARTS, keepAlive: true };
  const client = new s3.S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(pathStyle ? { forcePathStyle: true } : {}),
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: CONNECTION_MILLISECONDS,
      requestTimeout: REQUEST_MILLISECONDS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Every content is sent with its sha256. Many services do not support other checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { client, s3 };
}

/** Number of parts of a large file that are sent in parallel. */
export const LARGE_PARTS = 4;

const RESUME = "run the same command again to resume";
const CREDENTIALS =
  "give credentials as for AWS tools (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE), and check that they are valid for this service";

/** The response in an error of the AWS client. */
const responseError = z.object({ $metadata: z.object({ httpStatusCode: z.number() }) });

/**
 * Advice for faults, found by the name of the fault (such as NoSuchBucket). The first entry that matches applies. With
 * `quiet`, the message of the service is not shown, because it may contain secrets.
 */
const FAULTS: readonly { readonly names: RegExp; readonly advice: string; readonly quiet?: true }[] = [
  { names: /^NoSuchBucket$/, advice: "create the bucket, or correct --to" },
  {
    names: /Credential|AccessKey|Signature|Token|^(?:RequestExpired|NotSignedUp)/,
    advice: CREDENTIALS,
    quiet: true,
  },
  {
    names: /^(?:AccessDenied|Forbidden|403|AllAccessDisabled)$/,
    advice: `these credentials do not permit this request: docs/operate/buckets.md lists the permissions that a publication needs`,
    quiet: true,
  },
  {
    names: /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301)$/,
    advice: "the bucket is in another region, or behind another endpoint: correct --region and --endpoint",
    quiet: true,
  },
  { names: /^Region is missing$/, advice: "name the bucket's region with --region or AWS_REGION" },
  { names: /^RequestTimeTooSkewed$/, advice: "set the clock of this machine to the present time" },
  {
    names: /^(?:E[A-Z_]+|TimeoutError|AbortError|NetworkingError)$/,
    advice: `the service cannot be reached: check --endpoint and the network; ${RESUME}`,
  },
];

/**
 * Returns the error for a fault of the service or the connection. `what` is the object, such as `s3://bucket/key`. The
 * error never contains credentials.
 */
export function s3Fault(verb: string, what: string, cause: unknown): Error {
  if (cause instanceof PublishRejected || cause instanceof PublishInterrupted || isLocal(cause)) return cause;
  const name = getErrorName(cause);
  const { advice, quiet = false } = FAULTS.find(({ names }) => names.test(name)) ?? { advice: RESUME };
  const message = cause instanceof Error ? cause.message.replace(/\s+/g, " ").trim().slice(0, 200) : "";
  const words = quiet || message === "" || message === name ? name : `${name}: ${message}`;
  return new PublishInterrupted(`cannot ${verb} ${what} (${words}); ${advice}`, { cause });
}

/** Returns the name that the service gives to a fault. For other faults, returns the error code of the system. */
export function getErrorName(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.message === "Region is missing") return error.message;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z_]+$/.test(error.code)) return error.code;
  if (!/^(?:Error|Unknown|UnknownError|S3ServiceException)$/.test(error.name)) return error.name;
  return String(findHttpStatus(error) ?? error.name);
}

/** Returns the HTTP status of the service's response; null if there was none. */
export function findHttpStatus(error: unknown): number | null {
  return responseError.safeParse(error).data?.$metadata.httpStatusCode ?? null;
}

export function isMissing(error: unknown): boolean {
  return (
    /^(?:NoSuchKey|NotFound)$/.test(getErrorName(error)) ||
    (findHttpStatus(error) === 404 && getErrorName(error) !== "NoSuchBucket")
  );
}

/** Returns whether the fault means that the service does not support this operation. */
export function isUnknownOperation(error: unknown): boolean {
  return (
    /^(?:NotImplemented|MethodNotAllowed)$/.test(getErrorName(error)) || [405, 501].includes(findHttpStatus(error) ?? 0)
  );
}

function isLocal(error: unknown): error is Error {
  return (
    error instanceof Error &&
    "syscall" in error &&
    /^(?:open|read|write|stat|lstat|fstat|close)$/.test(String(error.syscall)) &&
    "path" in error
  );
}
