/**
 * Compares the time of an evaluation with that of its upstream request and of the score alone, and counts the upstream
 * requests of a thousand identical evaluations.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { Evaluator } from "../pipeline/evaluate/index.ts";
import type { Identifier } from "../pipeline/parse-identifier.ts";
import { scorePayload } from "../pipeline/score-payload.ts";
import { datacite } from "../pipeline/sources/datacite/source.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import { guardedFetch } from "../server/http/guarded-fetch.ts";
import type { Figure } from "./measure.ts";
import { median, timed } from "./measure.ts";

/** Number of evaluations: as many as DataCite's rate limit allows in one burst. */
const EVALUATIONS = 40;
const AT_ONCE = 1000;
const CONTRACT = "2.0.0-beta.2";

export async function benchEvaluate(): Promise<Figure[]> {
  const upstream = await upstreamOnLoopback();
  const outbound = guardedFetch({ allow: [upstream.base] });
  const evaluator = new Evaluator(
    { contact: null, upstreams: { datacite: upstream.base } },
    effectsOver(outbound.fetch),
  );
  try {
    // Workers start with the first evaluation.
    await evaluator.evaluate(doiNamed(-1000), CONTRACT);
    const bare: number[] = [];
    const whole: number[] = [];
    for (let i = 0; i < EVALUATIONS; i += 1) {
      const trip = await timed(async () =>
        (
          await outbound.fetch(datacite.buildUrl(makeDoi(-i)).replace("https://api.datacite.org", upstream.base))
        ).text(),
      );
      bare.push(trip + (await timed(async () => scoreDoi(makeDoi(-i)))));
      whole.push(await timed(() => evaluator.evaluate(doiNamed(i), CONTRACT)));
    }
    const ratio = median(whole) / median(bare);
    const detail = `${ms(median(whole))} whole, ${ms(median(bare))} round trip and score`;
    return [
      { name: "evaluation against upstream and score", ratio, goal: "≤ 3", met: ratio <= 3, detail },
      await shared(evaluator, upstream),
    ];
  } finally {
    await evaluator.close();
    await outbound.close();
    await upstream.stop();
  }
}

/** Counts the upstream requests of a thousand identical evaluations that run at the same time. */
async function shared(evaluator: Evaluator, upstream: Upstream): Promise<Figure> {
  const before = upstream.requests();
  const seconds = await timed(() =>
    Promise.all(Array.from({ length: AT_ONCE }, () => evaluator.evaluate(doiNamed(EVALUATIONS), CONTRACT))),
  );
  const ratio = upstream.requests() - before;
  const detail = `${AT_ONCE} identical at once in ${ms(seconds)}`;
  return { name: "requests for a thousand identical evaluations", ratio, goal: "= 1", met: ratio === 1, detail };
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(1)} ms`;
}

function makeDoi(i: number): string {
  return `10.5072/bench${i < 0 ? `-${-i}` : i}`;
}

function doiNamed(i: number): Identifier {
  return { kind: "doi", doi: makeDoi(i) };
}

interface Upstream {
  readonly base: string;
  requests(): number;
  stop(): Promise<void>;
}

/** Starts a server that simulates DataCite. It has every DOI, and responds without delay. */
async function upstreamOnLoopback(): Promise<Upstream> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const doi = decodeURIComponent((request.url ?? "").split(/[/?]/)[2] ?? "");
    response.setHeader("content-type", "application/json");
    response.end(makePayload(doi));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    base: `http://127.0.0.1:${address.port}`,
    requests: () => requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns a DataCite record of average length. */
function makePayload(doi: string): string {
  const creators = Array.from({ length: 5 }, (_, i) => ({ name: `Family${i}, Given`, nameType: "Personal" }));
  const attributes = {
    doi,
    state: "findable",
    titles: [{ title: "Readings of a bench" }],
    publisher: "Bench",
    creators,
    types: { resourceTypeGeneral: "Dataset" },
    subjects: [{ subject: "benches" }],
    descriptions: [{ description: "Sat on, and measured. ".repeat(40), descriptionType: "Abstract" }],
    rightsList: [{ rightsIdentifier: "cc-by-4.0" }],
  };
  const relationships = { client: { data: { id: "bench.bench", type: "clients" } } };
  return JSON.stringify({ data: { id: doi, type: "dois", attributes, relationships } });
}

function scoreDoi(doi: string): void {
  const given = { source: datacite.name, sourceId: doi, payload: makePayload(doi), status: 200 };
  scorePayload(given, { asOf: "2026-11-01" });
}

function effectsOver(fetch: Effects["fetch"]): Effects {
  return {
    fetch,
    now: () => new Date(),
    sleep: (milliseconds, signal) => wait(milliseconds, undefined, signal === undefined ? {} : { signal }),
    random: Math.random,
    log: () => {},
    progress: () => {},
  };
}
