/** Bytes to a port as they are, and everything that comes back until the connection closes. */

import { once } from "node:events";
import { connect } from "node:net";

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** `text`: the request, in Latin-1. It should ask for the connection to be closed. */
export async function askRaw(port: number, text: string): Promise<RawReply> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // Who is refused early may find the door shut while still talking.
  socket.on("error", () => {});
  const closed = once(socket, "close");
  socket.write(text, "latin1");
  await closed;
  const all = Buffer.concat(chunks).toString("latin1");
  const end = all.indexOf("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(all)?.[1]), head: all.slice(0, end), body: all.slice(end + 4) };
}
