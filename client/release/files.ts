/** Reads files of a release, and parts of files, over HTTP, and verifies their digests. */

import type { Send } from "../sending.ts";

export interface FileRange {
  readonly offset: number;
  readonly bytes: number;
}

export class Files {
  readonly #folder: string;
  readonly #send: Send;

  /** Takes the URL of the folder of a release, which ends with a slash. */
  constructor(folder: string, send: Send) {
    this.#folder = folder;
    this.#send = send;
  }

  buildUrl(path: string): string {
    return this.#folder + path.split("/").map(encodeURIComponent).join("/");
  }

  /**
   * Reads a complete file of the release.
   * @throws ReleaseFault if the file is missing, or has more than `most` bytes
   */
  async read(path: string, most: number): Promise<Uint8Array<ArrayBuffer>> {
    const url = this.buildUrl(path);
    const response = await this.#send(new Request(url));
    if (response.status === 200) return readResponseBody(response, most, url);
    await response.body?.cancel();
    throw new ReleaseFault(
      url,
      `responds with status ${response.status}; check that the URL is that of a release, or try again later`,
    );
  }

  /**
   * Reads a part of a file with a range request.
   * @throws ReleaseFault if the part is missing or has another length, or the server does not support ranges
   */
  async part(path: string, { offset, bytes }: FileRange): Promise<Uint8Array<ArrayBuffer>> {
    const url = this.buildUrl(path);
    const range = `${offset}-${offset + bytes - 1}`;
    const response = await this.#send(new Request(url, { headers: { range: `bytes=${range}` } }));
    if (response.status !== 206) {
      await response.body?.cancel();
      throw new ReleaseFault(
        url,
        `responds with status ${response.status} to a range request; the host must support these with status 206`,
      );
    }
    const content = await readResponseBody(response, bytes, url);
    if (content.length !== bytes)
      throw new ReleaseFault(
        url,
        `returns only ${content.length} of ${bytes} requested bytes. Try again; if it happens again, report this to the publisher of the release.`,
      );
    return content;
  }
}

/**
 * Reads the body of a response, and stops as soon as it is longer than `most` bytes.
 * @throws ReleaseFault if it is longer
 */
export async function readResponseBody(
  { body }: Response,
  most: number,
  url: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    length += next.value.length;
    if (length > most) {
      await reader?.cancel();
      throw new ReleaseFault(
        url,
        `returns more than ${most} bytes, which is the limit for this file; check that the URL is that of a release`,
      );
    }
    chunks.push(next.value);
  }
  const content = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    content.set(chunk, at);
    at += chunk.length;
  }
  return content;
}

const digits = (byte: number) => byte.toString(16).padStart(2, "0");

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, digits).join("");
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Returns the bytes if their sha256 is `expected`; otherwise throws a ReleaseFault. */
export async function verified(
  bytes: Uint8Array<ArrayBuffer>,
  expected: string,
  url: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = toHex(await sha256(bytes));
  if (found !== expected)
    throw new ReleaseFault(url, `does not match the release: sha256 ${found}, not ${expected}. ${REPORT}`);
  return bytes;
}

/**
 * A cache that keeps the values that were used last. Files of a release never change, so the values never become outdated.
 */
export class LatestValues<Value> {
  readonly #values = new Map<string, Promise<Value>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the cached value or reads it. Does not cache failures. */
  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const found = this.#values.get(key) ?? read();
    // Moves the value to the end, where the latest ones are.
    this.#values.delete(key);
    this.#values.set(key, found);
    found.catch(() => this.#values.delete(key));
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > this.#most) this.#values.delete(oldest);
    return found;
  }
}

/** Tells the caller what to do about a damaged file. */
export const REPORT = "Report this to the publisher of the release.";

/** Thrown if a file of a release is missing, or differs from the manifest or the receipt. */
export class ReleaseFault extends Error {
  override readonly name = "ReleaseFault";
  readonly code = "release-fault";
  /** URL of the file. */
  readonly url: string;

  constructor(url: string, what: string) {
    super(`${url} ${what}`);
    this.url = url;
  }
}

/** Thrown for a fault in the bytes of a pack. The caller adds the name of the pack to the message. */
export class PackFault extends Error {
  override readonly name = "PackFault";
}
