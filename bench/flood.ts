/** Sends requests as fast as the server responds, for a few seconds. */

import autocannon from "autocannon";

export interface Flood {
  readonly seconds: number;
  readonly connections: number;
  /** Number of requests that each connection sends before it waits for a response. */
  readonly pipelining: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the responses per second of the server at `port`, which gets requests for `paths` in turn.
 * @throws Error if a response has another status than 200, because errors are sent faster than pages
 */
export async function flood(port: number, paths: readonly string[], options: Flood): Promise<number> {
  let started = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: options.connections,
    pipelining: options.pipelining,
    duration: options.seconds,
    headers: { ...options.headers },
    // Connections start at different paths, so that they do not request the same page at the same time.
    setupClient: (client) => {
      const start = Math.floor((paths.length * started) / options.connections);
      started += 1;
      client.setRequests([...paths.slice(start), ...paths.slice(0, start)].map((path) => ({ method: "GET", path })));
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${result.non2xx} responses of the server on port ${port} had another status than 200, and ${result.errors} requests failed; its log has the causes`,
    );
  }
  return result["2xx"] / result.duration;
}
