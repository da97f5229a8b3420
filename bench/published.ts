/** Compares the time of POST /evaluations for a published record with that of GET of the record's page, over HTTP. */

import { recordDetail, recordList } from "../schemas/public/api/record.ts";
import { createServer } from "../server/index.ts";
import { prepareReleasedCorpus } from "./build.ts";
import type { Figure } from "./measure.ts";
import { median, silent, timed } from "./measure.ts";

const RECORDS = 2000;
const ROUNDS = 1000;
const PLENTY = { requests: 1_000_000_000, seconds: 60 };

export async function benchPublished(): Promise<Figure[]> {
  const store = await prepareReleasedCorpus(RECORDS);
  const quotas = { anonymous: PLENTY, evaluation: PLENTY };
  const server = await createServer(store, { logger: false, quotas }, silent);
  try {
    const base = await server.app.listen({ port: 0, host: "127.0.0.1" });
    const { data } = recordList.parse(await (await fetch(`${base}/records?limit=100`)).json());
    const pages: number[] = [];
    const evaluations: number[] = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const { id } = data[i % data.length] ?? { id: "" };
      const page = await (await fetch(`${base}/records/${id}`)).json();
      const { identifier } = recordDetail.parse(page);
      pages.push(await timed(async () => (await fetch(`${base}/records/${id}`)).arrayBuffer()));
      evaluations.push(await timed(() => evaluate(base, identifier)));
    }
    const ratio = median(evaluations) / median(pages);
    const ms = (seconds: number) => `${(seconds * 1000).toFixed(2)} ms`;
    const detail = `${ms(median(evaluations))} evaluation, ${ms(median(pages))} page`;
    return [{ name: "published evaluation against the record's page", ratio, goal: "≤ 2", met: ratio <= 2, detail }];
  } finally {
    await server.close();
  }
}

async function evaluate(base: string, identifier: string): Promise<void> {
  const response = await fetch(`${base}/evaluations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier, rubricVersion: "2.0" }),
  });
  if (response.status !== 200)
    throw new Error(
      `the evaluation of ${identifier} responds with status ${response.status}: ${await response.text()}`,
    );
  await response.arrayBuffer();
}
