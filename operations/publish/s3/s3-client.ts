/** The official client of S3, set so that services compatible with it understand what it says; loaded only when it is needed. */

/** How a service is reached. Credentials come by the client's own ways: environment, profile, role. */
export interface S3Options {
  /** Null: the client's own, from AWS_ENDPOINT_URL or the region. */
  readonly endpoint: string | null;
  /** Null: from AWS_REGION or the profile. */
  readonly region: string | null;
  /** The bucket in the path and not in the host's name, as most services but Amazon's want it. */
  readonly pathStyle: boolean;
  /** Connections at once. */
  readonly parallel: number;
}

/** Tries of one request, with the client's own longer and longer waits between. */
const TRIES = 6;
const CONNECTION_MILLISECONDS = 10_000;
/** A request without an answer for so long is given up; copying a large object takes a while. */
const REQUEST_MILLISECONDS = 300_000;

/** The client, and the package of its commands. */
export async function openS3({ endpoint, region, pathStyle, parallel }: S3Options) {
  const s3 = await import("@aws-sdk/client-s3");
  // A few more than the files on their way: a large file goes in several parts.
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
    // We send the sha256 of every content; other checksums come in a form that many services do not know.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { client, s3 };
}

/** Parts of a large file on their way at once. */
export const LARGE_PARTS = 4;
