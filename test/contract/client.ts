/** A client that uses many loopback addresses, because the limits of the service count each address as another caller. */

import { Agent, request } from "node:http";
import type { Question as Asked, Reply } from "../server/ask.ts";

export interface Question extends Asked {
  /** The loopback address from which the client sends. By default, the client changes its address from time to time. */
  readonly from?: string;
}

export type Ask = (path: string, question?: Question) => Promise<Reply>;

/** Number of requests after which the client changes its address. An anonymous caller may send more than this in a minute. */
const REQUESTS_AN_ADDRESS = 60;

/** Milliseconds after which a request fails, because a test that hangs reports nothing. */
const MAX_SILENCE_MS = 20_000;

/** Sends requests from addresses such as 127.1.0.7, because all of 127.0.0.0/8 is loopback. */
export class Client {
  readonly #port: number;
  #agent: Agent | null = null;
  #asked = 0;
  #address = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request with the path exactly as it is written, and does not follow redirects. */
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
      outgoing.setTimeout(MAX_SILENCE_MS, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
      outgoing.end(body);
    });
  };

  close(): void {
    this.#agent?.destroy();
  }

  /** Returns the connection of the current address. Requests from the same address share it. */
  #kept(): { readonly agent: Agent; readonly localAddress: string } {
    if (this.#asked % REQUESTS_AN_ADDRESS === 0) {
      // Running requests hold the connection of the previous address, which ends with them.
      this.#address += 1;
      this.#agent = new Agent({ keepAlive: true, maxSockets: 4 });
    }
    this.#asked += 1;
    const agent = this.#agent ?? new Agent();
    return { agent, localAddress: `127.${1 + (this.#address >> 8)}.${this.#address & 255}.7` };
  }
}
