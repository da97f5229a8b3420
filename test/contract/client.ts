/** A client of many addresses: every loopback address is a caller of its own to the limits of the service. */

import { Agent, request } from "node:http";
import type { Question as Asked, Reply } from "../server/ask.ts";

export interface Question extends Asked {
  /** The address to ask from; a fresh one now and then where none is named. */
  readonly from?: string;
}

export type Ask = (path: string, question?: Question) => Promise<Reply>;

/** Requests from one address before the next takes its place: well below what an anonymous caller may ask a minute. */
const REQUESTS_AN_ADDRESS = 60;

/** Milliseconds after which a request counts as never answered: a test that hangs tells nothing. */
const LONGEST_SILENCE = 20_000;

/** 127.0.0.0/8 is all loopback; the addresses named by statements lie in 127.200.0.0/16. */
export class Client {
  readonly #port: number;
  #agent: Agent | null = null;
  #asked = 0;
  #address = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Paths go out exactly as written, redirects are not followed. */
  readonly ask: Ask = (path, question = {}) => {
    const { method = "GET", body, from } = question;
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const connection = from === undefined ? this.#kept() : { localAddress: from, agent: false as const };
    const options = { ...connection, host: "127.0.0.1", port: this.#port, path, method };
    return new Promise((resolve, reject) => {
      const outgoing = request({ ...options, headers: { ...question.headers, ...length } }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const whole = Buffer.concat(chunks);
          const { statusCode: status = 0, headers } = incoming;
          resolve({ status, headers, body: whole, text: whole.toString("utf8") });
        });
      });
      outgoing.on("error", reject);
      outgoing.setTimeout(LONGEST_SILENCE, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
      outgoing.end(body);
    });
  };

  close(): void {
    this.#agent?.destroy();
  }

  /** A kept connection of the address whose turn it is. */
  #kept(): { readonly agent: Agent; readonly localAddress: string } {
    if (this.#asked % REQUESTS_AN_ADDRESS === 0) {
      // Requests under way hold the connection of the former; it ends when they do.
      this.#address += 1;
      this.#agent = new Agent({ keepAlive: true, maxSockets: 4 });
    }
    this.#asked += 1;
    const agent = this.#agent ?? new Agent();
    return { agent, localAddress: `127.${1 + (this.#address >> 8)}.${this.#address & 255}.7` };
  }
}
