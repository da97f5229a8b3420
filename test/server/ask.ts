/** A plain HTTP client. It sends paths exactly as written, does not follow redirects, and returns bodies as bytes. */

import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** Returns an HTTP agent that sends all its requests over one connection, which stays open between them. */
export function keptConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

export function ask(port: number, path: string, question: Question = {}): Promise<Reply> {
  const { method = "GET", body, agent } = question;
  // Node sends the body of a DELETE or TRACE only if the request states a Content-Length.
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const headers = { ...question.headers, ...length };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers, agent: agent ?? false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: bytes,
          text: bytes.toString("utf8"),
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
