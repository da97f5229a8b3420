/** Files of a release and parts of them, over HTTP, each proven by what is said of it elsewhere. */

import type { Send } from "../sending.ts";
import { ReleaseFault } from "./fault.ts";

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
