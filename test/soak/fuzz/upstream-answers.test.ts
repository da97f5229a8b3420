/** Fuzz test of upstream responses: whatever a service sends for one record, the server still responds to all other clients. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { SOURCES } from "../../../pipeline/sources/index.ts";
import { services } from "../../evaluate/services.ts";
import { post } from "../../evaluations/post.ts";
import { serve, UNLIMITED } from "../../server/test-store.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { samples } from "./corpus.ts";
import type { Dice } from "./dice.ts";
import { mutated } from "./mutated.ts";
import { FUZZ_TIME, playRounds } from "./rounds.ts";
import { answering } from "./watched-server.ts";

const SAMPLES = samples().filter(({ bytes }) => bytes.length < 1_000_000);
const ALL = SAMPLES.map(({ bytes }) => bytes);

/** Time limit of an evaluation in milliseconds. It is short, so that slow responses end. */
const TIMEOUT = 500;

const STATUSES = [200, 200, 200, 200, 200, 200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 410, 429, 500, 503];

/** Returns targets of redirects: URLs of foreign hosts, and invalid URLs. */
const places = (elsewhere: string) => [
  elsewhere,
  `${elsewhere}/x`,
  "//elsewhere.invalid/",
  "file:///etc/passwd",
  "/",
  "",
  "http://[::1]:1/",
  "\u00e9",
];

function makeHeaders(dice: Dice, elsewhere: string): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": dice.of(["application/json", "text/html", "application/xml", "x"]),
  };
  if (dice.oneIn(3)) headers.location = encodeURI(dice.of(places(elsewhere)));
  if (dice.oneIn(6)) headers["retry-after"] = dice.of(["0", "1", "99999999999", "-1", "Mon", ""]);
  if (dice.oneIn(10)) headers["content-encoding"] = dice.of(["gzip", "br", "zstd", "deflate", "x"]);
  return headers;
}

test("any response of a source leads to an evaluation or an error, and to no request to another host", {
  timeout: FUZZ_TIME,
}, async () => {
  await using there = await services();
  // Another origin on loopback, which no request may reach.
  const visitors: string[] = [];
  const stranger = createServer((request, response) => {
    visitors.push(request.url ?? "");
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const elsewhere = `http://localhost:${(stranger.address() as AddressInfo).port}`;
  await using empty = await temporaryStore();
  const upstreams = { ...Object.fromEntries(SOURCES.map(({ name }) => [name, there.base])), "doi.org": there.base };
  const quotas = { ...UNLIMITED, evaluation: { requests: 1_000_000, seconds: 60 } };
  const server = await serve(empty.store, { quotas, evaluations: { upstreams, timeoutMs: TIMEOUT } });
  const statuses = new Map<number, number>();
  try {
    // The first evaluations start the workers.
    await post(server.port, "/evaluations", { identifier: "zenodo/99000001" });
    await playRounds(async (dice, round, unblocked) => {
      there.fault = (_request, response) => {
        const sample = dice.of(SAMPLES);
        const body = dice.oneIn(5) ? sample.bytes : mutated(sample.bytes, dice, ALL);
        const headers = makeHeaders(dice, elsewhere);
        const sent = headers["content-encoding"] === "gzip" && dice.oneIn(2) ? gzipSync(body) : body;
        response.writeHead(dice.of(STATUSES), headers);
        if (dice.oneIn(12)) response.destroy();
        else if (dice.oneIn(40)) response.write(sent);
        else response.end(sent);
        return true;
      };
      const source = dice.of(SOURCES);
      const identifier = dice.oneIn(2) ? `zenodo/${99_100_000 + round}` : `${source.name}/${source.example}`;
      const { status } = await answering(server.port, () =>
        unblocked(() => post(server.port, "/evaluations", { identifier })),
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([200, 201, 400, 404, 422, 429, 502, 503, 504]).toContain(status);
    });
  } finally {
    await server.close();
    stranger.closeAllConnections();
    stranger.close();
  }
  expect(visitors).toEqual([]);
  expect(statuses.size).toBeGreaterThan(0);
});
