/** A proxy on loopback that drops a number of connections in the middle of a response, and forwards all later ones. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface DroppingProxy extends AsyncDisposable {
  readonly url: string;
  /** Returns the number of connections that the proxy has dropped so far. */
  readonly dropped: () => number;
}

/**
 * Starts a proxy in front of a loopback server. It drops a connection as soon as its response exceeds `after` bytes, until it
 * has dropped `drops` of them.
 */
export async function droppingProxy(target: URL, drops: number, after: number): Promise<DroppingProxy> {
  let dropped = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let passed = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      passed += chunk.length;
      if (passed <= after || dropped >= drops) {
        client.write(chunk);
        return;
      }
      dropped += 1;
      // Sends half of the data, so that the client has part of a response. Some connections end cleanly, some do not.
      const half = chunk.subarray(0, chunk.length >> 1);
      if (dropped % 2 === 1) client.end(half);
      else client.write(half, () => client.resetAndDestroy());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    dropped: () => dropped,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
