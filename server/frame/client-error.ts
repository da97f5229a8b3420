/** The answer to what is no HTTP request at all: a problem document and the end. There is no request to answer, and nothing of it is logged. */

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { pageText } from "../../api-static/pages/read-page.ts";
import { SHARED_HEADERS } from "../../api-static/routes/headers.ts";
import { type ProblemType, problemOf } from "../../schemas/public/problem.ts";

const PROBLEM: Readonly<Record<string, readonly [ProblemType, string]>> = {
  HPE_HEADER_OVERFLOW: ["headers-too-large", "The headers of a request may have 16 KiB together."],
  ERR_HTTP_REQUEST_TIMEOUT: ["request-timeout", "The request did not arrive within half a minute."],
};

const UNREADABLE = ["invalid-request", "What arrived is no HTTP request."] as const;

/** An answer to HEAD has no body, readable request or not. */
const HEAD = "HEAD ";

/**
 * Milliseconds in which a client may read why it is sent away. Then the connection is closed, whatever it goes on sending:
 * a body a letter a minute would hold it for ever.
 */
const LINGERING = 2000;

type Unreadable = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

export function refuseUnreadable(error: Unreadable, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [type, detail] = PROBLEM[error.code ?? ""] ?? UNREADABLE;
  const problem = problemOf(type, detail, "/");
  const body = pageText(problem);
  setTimeout(() => socket.destroy(), LINGERING).unref();
  const received = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString("latin1", 0, HEAD.length) : "";
  const sent = received === HEAD ? "" : body;
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      "Connection: close",
      "Content-Type: application/problem+json",
      "Cache-Control: no-store",
      ...Object.entries(SHARED_HEADERS).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      sent,
    ].join("\r\n"),
  );
}
