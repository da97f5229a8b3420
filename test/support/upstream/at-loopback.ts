/**
 * Preloaded (`node --import`) into a command that requests services by their real names: requests to the hosts of
 * SHARE_TEST_SERVICES (JSON, from host to URL) go to a loopback server instead, over real HTTP. All other hosts fail.
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
