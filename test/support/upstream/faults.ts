/** What services do wrong: faults that pass, each over one connection. */

import type { ServerResponse } from "node:http";

export interface PassingFault {
  readonly name: string;
  readonly answer: (response: ServerResponse) => void;
  /** The wait the service asks for, in milliseconds. */
  readonly wait?: number;
}

function plain(status: number, headers: Record<string, string>, body: string) {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export const PASSING: readonly PassingFault[] = [
  { name: "429 with Retry-After", answer: plain(429, { "retry-after": "7" }, "slow down"), wait: 7000 },
  { name: "429 without", answer: plain(429, { "content-type": "text/html" }, "<html>429</html>") },
  { name: "500", answer: plain(500, {}, `{"error":"oops"}`) },
  { name: "502 in HTML", answer: plain(502, { "content-type": "text/html" }, "<html><h1>Bad Gateway</h1></html>") },
  { name: "a body cut off", answer: cut },
  { name: "the wrong content in a 200", answer: plain(200, { "content-type": "text/html" }, "<!doctype html><p>Wait") },
  { name: "a slow drip", answer: drip },
  { name: "a connection reset", answer: (response) => response.socket?.resetAndDestroy() },
];

function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100000" });
  response.write(`{"data":[`);
  setTimeout(() => response.destroy(), 20);
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

/** Says that five gigabytes come, and begins to send them. */
export function enormous(response: ServerResponse): void {
  response.writeHead(200, { "content-length": String(5 * 1024 ** 3) });
  const more = () => {
    while (response.write("x".repeat(64 * 1024)));
  };
  response.on("drain", more);
  more();
}

export function elsewhere(response: ServerResponse): void {
  plain(302, { location: "http://localhost:9/stolen" }, "")(response);
}
