/** Requests as fast as they are answered, for a few seconds. */

import autocannon from "autocannon";

export interface Flood {
  readonly seconds: number;
  readonly connections: number;
  /** Requests on the way at once on each connection. */
  readonly pipelining: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers a second of the server at `port`, asked for `paths` in turn.
 * @throws Error where one of them is not 200: what is not answered is quickly done
 */
export async function flood(port: number, paths: readonly string[], options: Flood): Promise<number> {
  let started = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: options.connections,
    pipelining: options.pipelining,
    duration: options.seconds,
    headers: { ...options.headers },
    // Each connection begins elsewhere: together they would ask for one page after the other, sixteen times each.
    setupClient: (client) => {
      const start = Math.floor((paths.length * started) / options.connections);
      started += 1;
      client.setRequests([...paths.slice(start), ...paths.slice(0, start)].map((path) => ({ method: "GET", path })));
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers of port ${port} were no 200, ${result.errors} requests failed`);
  }
  return result["2xx"] / result.duration;
}
