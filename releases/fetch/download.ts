/** Downloads one file of a release. Resumes an interrupted download, and verifies the file before renaming it. */

import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { ask, FetchRejected, persist, REPORT, type Remote } from "./remote.ts";

export interface FileToDownload {
  readonly url: string;
  /** Size of the file; null if only its digest is known, as for the manifest. */
  readonly bytes: number | null;
  readonly sha256: string;
  readonly path: string;
  /** The path of the incomplete file. It is renamed to `path` when it is complete and verified. */
  readonly part: string;
  /** Largest number of bytes to download if the size is not known. */
  readonly most?: number;
  /** Largest number of bytes in one line of the file. A longer line ends the download. By default, there is no limit. */
  readonly longestLine?: number;
  /** Checks the complete file before it is renamed. Throws an error if it must not be stored. */
  readonly check?: (part: string) => Promise<void>;
}

/**
 * Number of times that a file is downloaded completely if its digest is wrong. The second download starts at the first
 * byte, because the bytes of the first one may belong to another file.
 */
const WHOLE_TRIES = 2;

/**
 * Downloads a file unless it already exists. Verifies it, then renames it. Returns the number of bytes received.
 * @throws FetchRejected, FetchInterrupted
 */
export async function download(remote: Remote, target: FileToDownload): Promise<number> {
  if ((await readSize(target.path)) !== null) return 0;
  await mkdir(dirname(target.path), { recursive: true });
  let received = 0;
  for (let tries = 1; ; tries += 1) {
    received += await complete(remote, target);
    if ((await fileDigest(target.part)) === target.sha256) break;
    await rm(target.part, { force: true });
    if (tries >= WHOLE_TRIES)
      throw new FetchRejected(
        target.url,
        `does not have the digest that the release lists (sha256 ${target.sha256}). ${REPORT}`,
      );
  }
  await target.check?.(target.part);
  await rename(target.part, target.path);
  return received;
}

/**
 * Downloads the missing rest of the file, and resumes after faults until it is complete. Returns the number of bytes
 * received.
 */
async function complete(remote: Remote, target: FileToDownload): Promise<number> {
  let received = 0;
  let furthest = 0;
  await persist(
    remote,
    target.url,
    () => furthest,
    async () => {
      const existing = (await readSize(target.part)) ?? 0;
      if (target.bytes !== null && existing === target.bytes && existing > 0) return;
      const response = await ask(remote, target.url, existing);
      if (response.status === 416) {
        await response.body?.cancel();
        // The part is as long as the file. The digest decides if it is the file.
        if (existing > 0 && target.bytes === null) return;
        await rm(target.part, { force: true });
        throw new Error("HTTP 416");
      }
      const from = response.status === 206 ? readStart(response) : 0;
      if (from !== existing && from !== 0)
        throw new Error(`the server sent the bytes from ${from} on, but those from ${existing} on were requested`);
      await save(response, target, from, (bytes, size) => {
        received += bytes;
        furthest = Math.max(furthest, size);
      });
    },
  );
  return received;
}

async function save(
  response: Response,
  target: FileToDownload,
  from: number,
  onBytes: (bytes: number, size: number) => void,
): Promise<void> {
  const { bytes, most = bytes ?? 0, longestLine = Number.POSITIVE_INFINITY } = target;
  const file = await open(target.part, "a+");
  try {
    await file.truncate(from);
    let size = from;
    let line = longestLine === Number.POSITIVE_INFINITY ? 0 : await unendedIn(file, from, longestLine);
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > most)
        throw new FetchRejected(target.url, `has more than the ${most} bytes that the release lists. ${REPORT}`);
      const end = chunk.lastIndexOf(LINE_FEED);
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (line > longestLine)
        throw new FetchRejected(
          target.url,
          `has a line that is longer than ${longestLine} bytes, which no release can have. ${REPORT}`,
        );
      await file.writeFile(chunk);
      onBytes(chunk.length, size);
    }
    if (target.bytes !== null && size < target.bytes)
      throw new Error(`the response ended after ${size} of ${target.bytes} bytes`);
  } finally {
    await file.close();
  }
}

const LINE_FEED = 0x0a;

/**
 * Returns how many bytes follow the last newline of the file. Counts at most one byte more than `longestLine`, because that
 * is enough to reject the line.
 */
async function unendedIn(file: FileHandle, size: number, longestLine: number): Promise<number> {
  const length = Math.min(size, longestLine + 1);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return length - buffer.lastIndexOf(LINE_FEED) - 1;
}

/** Returns the position of the first byte in a partial response, from its header Content-Range. */
function readStart(response: Response): number {
  return Number(/^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);
}

async function readSize(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null;
}
