/** Ports for programs that listen later, or never. No other suite takes these ports while this process lives. */

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a random port number below those that systems give to connections and to `listen(0)` (from 32768 on Linux). Only suites
 * and programs with a fixed port can use such a port.
 */
export function randomPort(): number {
  return 20_000 + Math.floor(Math.random() * 12_768);
}

/**
 * Returns a port that is free on every address of this machine. It stays free when it is released, or if it is never used,
 * because this process holds the UDP port of the same number: other suites then choose another.
 */
export async function freePort(choose = randomPort): Promise<number> {
  for (;;) {
    const port = choose();
    if ((await isHeld(port)) && (await isFree(port))) return port;
  }
}

/** Takes the UDP port until this process ends. Returns false if another process has the port. */
async function isHeld(port: number): Promise<boolean> {
  const socket = createSocket("udp4").unref();
  socket.bind({ port, address: "127.0.0.1", exclusive: true });
  return isListening(socket);
}

/** True if no program listens on the TCP port of any address. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen({ port, exclusive: true });
  if (!(await isListening(server))) return false;
  server.close();
  await once(server, "close");
  return true;
}

/** Waits until the socket listens. Returns false if its port is taken, and throws any other error. */
async function isListening(opening: NodeJS.EventEmitter): Promise<boolean> {
  try {
    await once(opening, "listening");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
    throw error;
  }
}
