/**
 * Sends a command's requests to the hosts in SHARE_TEST_SERVICES (JSON, from host to URL) to a loopback server instead, over real
 * HTTP. Requests to all other hosts fail. Tests preload this module into the command (`node --import`).
 */

import { z } from "zod";

const services = z.record(z.string(), z.string()).parse(JSON.parse(process.env.SHARE_TEST_SERVICES ?? "{}"));
const send = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const asked = new URL(input instanceof Request ? input.url : input);
  const base = services[asked.host];
  if (base === undefined) throw new TypeError(`${asked.host} is none of the test's services`);
  return send(new URL(asked.pathname + asked.search, base), init);
};
