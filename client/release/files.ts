/** Files of a release and parts of them, over HTTP, each proven by what is said of it elsewhere. */

import type { Send } from "../sending.ts";

export interface Part {
  readonly offset: number;
  readonly bytes: number;
}

export class Files {
  readonly #folder: string;
  readonly #send: Send;

  /** `folder` ends with a slash. */
  constructor(folder: string, send: Send) {
    this.#folder = folder;
    this.#send = send;
  }

  address(path: string): string {
    return this.#folder + path.split("/").map(encodeURIComponent).join("/");
  }

  /** @throws ReleaseFault where it is not there */
  async whole(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const url = this.address(path);
    const response = await this.#send(new Request(url));
    if (response.status !== 200) throw new ReleaseFault(url, `is answered with ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** @throws ReleaseFault where the part is not there, is longer or shorter, or the place answers no ranges */
  async part(path: string, { offset, bytes }: Part): Promise<Uint8Array<ArrayBuffer>> {
    const url = this.address(path);
    const range = `${offset}-${offset + bytes - 1}`;
    const response = await this.#send(new Request(url, { headers: { range: `bytes=${range}` } }));
    if (response.status !== 206) {
      await response.body?.cancel();
      throw new ReleaseFault(url, `is answered with ${response.status} where a part of it was asked for`);
    }
    const content = new Uint8Array(await response.arrayBuffer());
    if (content.length !== bytes) throw new ReleaseFault(url, `gives ${content.length} bytes instead of ${bytes}`);
    return content;
  }
}

const digits = (byte: number) => byte.toString(16).padStart(2, "0");

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, digits).join("");
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** The bytes, if they have that digest. */
export async function proven(
  bytes: Uint8Array<ArrayBuffer>,
  expected: string,
  url: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const found = hexOf(await sha256(bytes));
  if (found !== expected) throw new ReleaseFault(url, `is not what the release says: sha256 ${found}, not ${expected}`);
  return bytes;
}

/** Things that were read, until too many others were: nothing of a release ever changes. */
export class Kept<Value> {
  readonly #values = new Map<string, Promise<Value>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reads it if it is not here; a failure is not kept. */
  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const found = this.#values.get(key) ?? read();
    // The one that was asked for last comes last.
    this.#values.delete(key);
    this.#values.set(key, found);
    found.catch(() => this.#values.delete(key));
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > this.#most) this.#values.delete(oldest);
    return found;
  }
}

/** What was got is not what the release says, or is not there though it should be. */
export class ReleaseFault extends Error {
  override readonly name = "ReleaseFault";
  readonly code = "release-fault";
  /** The address of the file. */
  readonly url: string;

  constructor(url: string, what: string) {
    super(`${url} ${what}`);
    this.url = url;
  }
}

/** What is wrong with the bytes of a pack; who reads it adds which pack it is. */
export class PackFault extends Error {
  override readonly name = "PackFault";
}
