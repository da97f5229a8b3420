/** A listening socket to which nothing should connect. It counts connections. */

import { once } from "node:events";
import { createServer } from "node:net";

export interface SilentSocket extends AsyncDisposable {
  readonly port: number;
  readonly connections: number;
}

/** Listens on this port of `host`; 0 selects a free port. */
export async function silentSocket(host: string, port = 0): Promise<SilentSocket> {
  const state = { port, connections: 0 };
  const server = createServer((socket) => {
    state.connections += 1;
    socket.destroy();
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the silent socket has no port");
  state.port = address.port;
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  });
}
