/** One file of a release: taken up where it stopped, checked before it gets its name. */

import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fileDigest } from "../../pipeline/files/durable.ts";
import { ask, FetchRefused, persist, type Remote } from "./remote.ts";

export interface Wanted {
  readonly url: string;
  /** Null where only the digest is known: the manifest. */
  readonly bytes: number | null;
  readonly sha256: string;
  /** Where it belongs. */
  readonly path: string;
  /** Where it lies until it is whole. */
  readonly part: string;
  /** Bytes a file may have whose size nobody told. */
  readonly most?: number;
  /** Bytes that may come without an end of line. */
  readonly longestLine?: number;
  /** Looks at the whole part before it gets its name; rejects what must not be kept. */
  readonly check?: (part: string) => Promise<void>;
}

/** A part that is whole but wrong is fetched once more from the start: the rest of an earlier try may be of something else. */
const WHOLE_TRIES = 2;

/**
 * Downloads a file unless it is there; files get their name once they are checked. Answers the bytes that came.
 * @throws FetchRefused, FetchInterrupted
 */
export async function download(remote: Remote, wanted: Wanted): Promise<number> {
  if ((await sizeOf(wanted.path)) !== null) return 0;
  await mkdir(dirname(wanted.path), { recursive: true });
  let came = 0;
  for (let tries = 1; ; tries += 1) {
    came += await complete(remote, wanted);
    if ((await fileDigest(wanted.part)) === wanted.sha256) break;
    await rm(wanted.part, { force: true });
    if (tries >= WHOLE_TRIES)
      throw new FetchRefused(wanted.url, `is not what the release lists (sha256 ${wanted.sha256})`);
  }
  await wanted.check?.(wanted.part);
  await rename(wanted.part, wanted.path);
  return came;
}

/** Fills the part up. Answers the bytes that came. */
async function complete(remote: Remote, wanted: Wanted): Promise<number> {
  let came = 0;
  let furthest = 0;
  await persist(
    remote,
    wanted.url,
    () => furthest,
    async () => {
      const have = (await sizeOf(wanted.part)) ?? 0;
      if (wanted.bytes !== null && have === wanted.bytes && have > 0) return;
      const response = await ask(remote, wanted.url, have);
      if (response.status === 416) {
        await response.body?.cancel();
        // What lies here is longer than the file, or as long: the digest tells which.
        if (have > 0 && wanted.bytes === null) return;
        await rm(wanted.part, { force: true });
        throw new Error("HTTP 416");
      }
      const from = response.status === 206 ? startOf(response) : 0;
      if (from !== have && from !== 0) throw new Error(`asked from byte ${have}, got from ${from}`);
      await save(response, wanted, from, (bytes, size) => {
        came += bytes;
        furthest = Math.max(furthest, size);
      });
    },
  );
  return came;
}

async function save(
  response: Response,
  wanted: Wanted,
  from: number,
  onBytes: (bytes: number, size: number) => void,
): Promise<void> {
  const { bytes, most = bytes ?? 0, longestLine = Number.POSITIVE_INFINITY } = wanted;
  const file = await open(wanted.part, "a+");
  try {
    await file.truncate(from);
    let size = from;
    let line = longestLine === Number.POSITIVE_INFINITY ? 0 : await unendedIn(file, from, longestLine);
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > most) throw new FetchRefused(wanted.url, `has more than the ${most} bytes that a release lists`);
      const end = chunk.lastIndexOf(LINE_FEED);
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (line > longestLine) throw new FetchRefused(wanted.url, "has a line that no release has: unreadable");
      await file.writeFile(chunk);
      onBytes(chunk.length, size);
    }
    if (wanted.bytes !== null && size < wanted.bytes) throw new Error(`the answer ended after ${size} bytes`);
  } finally {
    await file.close();
  }
}

const LINE_FEED = 0x0a;

/** Bytes behind the last end of a line; at most one more than a line may have. */
async function unendedIn(file: FileHandle, size: number, longestLine: number): Promise<number> {
  const length = Math.min(size, longestLine + 1);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return length - buffer.lastIndexOf(LINE_FEED) - 1;
}

/** The first byte of a part, as its Content-Range says. */
function startOf(response: Response): number {
  return Number(/^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null;
}
