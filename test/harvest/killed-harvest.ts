/** Kills harvests after a number of requests, resumes them, and returns their results. */

import { hash } from "node:crypto";
import { z } from "zod";
import { readCheckpoint } from "../../pipeline/1-harvest/session.ts";
import { readHarvests } from "../../pipeline/store/harvest-log.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type Child, killWhen, startChild } from "../support/killing.ts";
import { temporaryStore } from "../support/temporary-store.ts";
import { type Dialect, type Service, serve } from "../support/upstream/service.ts";
import { many } from "../support/upstream/world.ts";
import { readEnvelopes, readRejections } from "./bench-store.ts";

/** Starts a harvest in a separate process. `target` is the folder with the files, or the base URL of the service. */
export function startHarvest(mode: "files" | "http", { root }: Store, source: string, target: string): Child {
  return startChild(new URL("./harvest-child.ts", import.meta.url), { mode, root, source, target });
}

const summary = z.looseObject({
  complete: z.boolean(),
  requests: z.int().nullable(),
  rejected: z.record(z.string(), z.int()),
});

/** Returns the summary that a completed harvest prints. */
export async function readSummary(child: Child) {
  return summary.parse(await child.heard());
}

/** A simulated service that is large enough for several checkpoints of a harvest. */
export interface Long {
  readonly source: string;
  readonly dialect: Dialect;
  /** The number of requests that a complete harvest sends. */
  readonly requests: number;
}

/** Simulates DataCite with pages of ten records. Every seventh page also has an element that is not a record. */
function paged(): Long {
  const count = 900;
  const dialect: Dialect = ({ url, base }) => {
    const page = Number(url.searchParams.get("page[cursor]"));
    const data = many(10, (i) => ({ id: `10.5555/${10 * (page - 1) + i}`, type: "dois", attributes: { page } }));
    const next = `${base}/dois?page%5Bcursor%5D=${page + 1}`;
    const odd = page % 7 === 0 ? [{ type: "dois", attributes: {} }] : [];
    return { json: { data: [...data, ...odd], meta: { total: count }, links: 10 * page < count ? { next } : {} } };
  };
  return { source: "datacite", dialect, requests: 90 };
}

/** Simulates Dataverse, which needs one request for each dataset. Every fiftieth dataset is gone (status 404). */
function oneByOne(): Long {
  const all = many(500, (i) => `doi:10.7910/DVN/T${i}`);
  const dialect: Dialect = ({ url }) => {
    if (url.pathname === "/api/search") {
      const start = Number(url.searchParams.get("start"));
      const items = all.slice(start, start + 100).map((id) => ({ type: "dataset", global_id: id }));
      return { json: { status: "OK", data: { total_count: all.length, start, items } } };
    }
    const id = url.searchParams.get("persistentId") ?? "";
    const i = all.indexOf(id);
    if (i < 0 || i % 50 === 49) return { status: 404, json: { status: "ERROR", message: "Not found" } };
    return { json: { status: "OK", data: { id: i, latestVersion: { datasetPersistentId: id } } } };
  };
  // A dataset that is gone is requested twice, in two spellings of its id.
  return { source: "dataverse", dialect, requests: 5 + all.length + all.length / 50 };
}

export const LONG: readonly Long[] = [paged(), oneByOne()];

/** The results of a harvest: its sorted records and rejections, and the lines of the harvest log. */
export interface Left {
  readonly records: readonly string[];
  readonly rejected: readonly string[];
  readonly harvests: readonly unknown[];
}

/**
 * Starts one harvest after the other, and kills number `i` at its request number `moments[i]`; a last one is not killed.
 * Returns the results, and the number of processes that were killed before they ended.
 */
export async function harvestKilled({ source, dialect }: Long, moments: readonly number[]) {
  await using bench = await temporaryStore();
  await using service = await serve(dialect);
  let kills = 0;
  for (const moment of moments) {
    const before = service.asked.length;
    const { process } = startHarvest("http", bench.store, source, service.base);
    if (await killWhen(process, () => service.asked.length - before >= moment)) kills += 1;
    // Stops if the harvest is complete, because a further process would begin a second harvest. A kill may come that late.
    if (await isOver(bench.store, source)) {
      return { kills, complete: true, requests: null, left: await readLeftovers(bench.store, source, service) };
    }
  }
  const { complete, requests } = await readSummary(startHarvest("http", bench.store, source, service.base));
  return { kills, complete, requests, left: await readLeftovers(bench.store, source, service) };
}

/** Returns true if a harvest of the source was completed and none is interrupted. */
export async function isOver(store: Store, source: string): Promise<boolean> {
  const progress = (await readCheckpoint(store.raw(source)))?.progress;
  const unfinished = progress === undefined ? null : [...Object.keys(progress.http), ...Object.keys(progress.files)];
  const isInterrupted = unfinished === null || unfinished.length > 0;
  return !isInterrupted && (await readHarvests(store.raw(source))).length > 0;
}

async function readLeftovers(store: Store, source: string, { base }: Service): Promise<Left> {
  const plain = (text: string) => text.replaceAll(base, "http://service");
  const records = (await readEnvelopes(store, source)).map(({ sourceId, status, payload }) =>
    [sourceId, status, hash("sha256", plain(payload)).slice(0, 16)].join(" "),
  );
  const rejected = (await readRejections(store, source)).map(({ file, line, reason }) =>
    plain(`${file} ${line} ${reason}`),
  );
  const harvests = (await readHarvests(store.raw(source))).map(({ records: count, rejected: bad, ...rest }) => ({
    count,
    bad,
    ...rest,
    ...(rest.service === undefined ? {} : { service: plain(rest.service) }),
  }));
  return { records: records.sort(), rejected: rejected.sort(), harvests };
}
