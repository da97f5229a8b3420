/** What a bucket's service says when something fails, in words that say which object, and what to do. */

import { z } from "zod";
import { PublishInterrupted, PublishRefused } from "./target.ts";

const GOES_ON = "the same command goes on where this one stopped";
const CREDENTIALS =
  "give credentials as AWS tools take them (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE), and see that they are valid here";

/** How the client says that an answer came. */
const answered = z.object({ $metadata: z.object({ httpStatusCode: z.number() }) });

/** By the name of the fault; the first that fits. `quiet`: what the service says of it can hold more than it should. */
const FAULTS: readonly { readonly names: RegExp; readonly advice: string; readonly quiet?: true }[] = [
  { names: /^NoSuchBucket$/, advice: "make the bucket, or correct --to" },
  {
    names: /Credential|AccessKey|Signature|Token|^(?:RequestExpired|NotSignedUp)/,
    advice: CREDENTIALS,
    quiet: true,
  },
  {
    names: /^(?:AccessDenied|Forbidden|403|AllAccessDisabled)$/,
    advice: `these credentials may not do that: see "Publishing" in docs/operations.md for what has to be allowed`,
    quiet: true,
  },
  {
    names: /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301)$/,
    advice: "the bucket is in another region, or behind another endpoint: see --region and --endpoint",
    quiet: true,
  },
  { names: /^Region is missing$/, advice: "name the bucket's region with --region or AWS_REGION" },
  { names: /^RequestTimeTooSkewed$/, advice: "set this machine's clock" },
  {
    names: /^(?:E[A-Z_]+|TimeoutError|AbortError|NetworkingError)$/,
    advice: `the service cannot be reached: see --endpoint and the network; ${GOES_ON}`,
  },
];

/**
 * The error to throw for what a service, or the way to it, said of `what` (`s3://bucket/key`). Never repeats credentials.
 */
export function s3Fault(verb: string, what: string, cause: unknown): Error {
  if (cause instanceof PublishRefused || cause instanceof PublishInterrupted || isLocal(cause)) return cause;
  const name = nameOf(cause);
  const { advice, quiet = false } = FAULTS.find(({ names }) => names.test(name)) ?? { advice: GOES_ON };
  const said = cause instanceof Error ? cause.message.replace(/\s+/g, " ").trim().slice(0, 200) : "";
  const words = quiet || said === "" || said === name ? name : `${name}: ${said}`;
  return new PublishInterrupted(`cannot ${verb} ${what} (${words}); ${advice}`, { cause });
}

/** The name of the fault: the service's own where it has one, else the system's. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.message === "Region is missing") return error.message;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z_]+$/.test(error.code)) return error.code;
  if (!/^(?:Error|Unknown|UnknownError|S3ServiceException)$/.test(error.name)) return error.name;
  return String(statusOf(error) ?? error.name);
}

/** HTTP status of the service's answer; null where none came. */
export function statusOf(error: unknown): number | null {
  return answered.safeParse(error).data?.$metadata.httpStatusCode ?? null;
}

export function isMissing(error: unknown): boolean {
  return (
    /^(?:NoSuchKey|NotFound)$/.test(nameOf(error)) || (statusOf(error) === 404 && nameOf(error) !== "NoSuchBucket")
  );
}

/** Services need not know every operation. */
export function isUnknownOperation(error: unknown): boolean {
  return /^(?:NotImplemented|MethodNotAllowed)$/.test(nameOf(error)) || [405, 501].includes(statusOf(error) ?? 0);
}

/** Of this machine's own files: the service has nothing to do with it. */
function isLocal(error: unknown): error is Error {
  return (
    error instanceof Error &&
    "syscall" in error &&
    /^(?:open|read|write|stat|lstat|fstat|close)$/.test(String(error.syscall)) &&
    "path" in error
  );
}
