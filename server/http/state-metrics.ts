/**
 * Metrics of the store, the last run, queues, and the services that the server uses. They are read each time that
 * Prometheus asks for them.
 */

import { readdir, statfs } from "node:fs/promises";
import { basename } from "node:path";
import { Counter, Gauge, type Registry } from "prom-client";
import { readHarvests } from "../../pipeline/store/harvest-log.ts";
import { readHead } from "../../pipeline/store/head.ts";
import { readStorePublicKeys } from "../../pipeline/store/key-set.ts";
import { lockState } from "../../pipeline/store/locks.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { readLastRun } from "../../releases/run/last-run.ts";
import type { Receipt } from "../../schemas/public/release.ts";

export interface StateSources {
  readonly store: Store;
  readonly active: { readonly release: { readonly receipt: Receipt } | null };
  /** Returns the number of waiting entries in each queue of the database. It fails if the database is not available. */
  readonly waiting: (now: Date) => Promise<Readonly<Record<string, number>>>;
  /** Whether Redis responds; null if the server counts without Redis. */
  readonly redis: () => boolean | null;
  readonly outbox: { readonly waiting: number; isUp(now: Date): Promise<boolean | null> };
  /** Failed requests to sources by host, since the start. */
  readonly upstreamFailures: ReadonlyMap<string, number>;
  readonly now: () => Date;
}

/** Milliseconds in which the database and the mail server must respond, so that the metrics are read in time. */
const SERVICE_MILLISECONDS = 2000;

type Read = (sources: StateSources) => void | Promise<void>;

/** Adds the metrics, and returns the function that reads them. Without `sources`, the metrics have names but no values. */
export function addStateMetrics(registry: Registry, sources: StateSources | null): () => Promise<void> {
  const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name, help, labelNames, registers: [registry] });
  const reads: Read[] = [
    releaseMetrics(gauge),
    headMetrics(gauge),
    runMetrics(gauge),
    harvestMetrics(gauge),
    serviceMetrics(gauge),
    upstreamMetrics(registry),
    diskMetrics(gauge),
  ];
  return async () => {
    if (sources !== null) await Promise.all(reads.map((read) => read(sources)));
  };
}

type NewGauge = <L extends string = never>(name: string, help: string, labelNames?: readonly L[]) => Gauge<L>;

function releaseMetrics(gauge: NewGauge): Read {
  const published = gauge(
    "share_release_published_timestamp_seconds",
    "Time of the build of the release that is served.",
  );
  const asOf = gauge("share_release_as_of_timestamp_seconds", "Start of the as-of day of the release that is served.");
  return ({ active: { release } }) => {
    published.remove();
    asOf.remove();
    if (release === null) return;
    published.set(toSeconds(release.receipt.publishedAt));
    asOf.set(toSeconds(release.receipt.asOf));
  };
}

function headMetrics(gauge: NewGauge): Read {
  const expires = gauge(
    "share_head_expires_timestamp_seconds",
    "Time at which the signed head ends; none without a head.",
  );
  return async ({ store }) => {
    expires.remove();
    // `doctor` reports key sets that cannot be read, and the other metrics must not fail with them.
    const keySet = await readStorePublicKeys(store).catch(() => null);
    const head = readHead(keySet?.head);
    if (head !== null) expires.set(toSeconds(head.expiresAt));
  };
}

function runMetrics(gauge: NewGauge): Read {
  const finished = gauge("share_run_finished_timestamp_seconds", "Time at which the last run ended, by its outcome.", [
    "outcome",
  ]);
  const steps = gauge("share_run_step_seconds", "Seconds that each step of the last run took.", ["step"]);
  const failed = gauge("share_run_failed", "1 for the step at which the last run failed.", ["step"]);
  const started = gauge("share_run_unfinished_timestamp_seconds", "Start of the run that works.");
  const killed = gauge("share_run_killed", "1 if the last run was killed.");
  return async ({ store }) => {
    for (const each of [finished, steps, failed]) each.reset();
    started.remove();
    // A file system without locks stops runs too, so this needs no alert of its own.
    const lock = await lockState(store.run).catch(() => null);
    if (lock instanceof Date) started.set(lock.getTime() / 1000);
    killed.set(lock === "abandoned" ? 1 : 0);
    const last = await readLastRun(store);
    if (last === null) return;
    finished.set({ outcome: last.outcome }, toSeconds(last.finished));
    for (const { step, seconds } of last.steps) steps.set({ step }, seconds);
    if (last.failed !== null) failed.set({ step: last.failed }, 1);
  };
}

function harvestMetrics(gauge: NewGauge): Read {
  const finished = gauge("share_harvest_finished_timestamp_seconds", "End of the last harvest of a source.", [
    "source",
  ]);
  const complete = gauge("share_harvest_complete", "1 if the last harvest of a source returned all records.", [
    "source",
  ]);
  const rejected = gauge("share_harvest_rejected", "Rejected input of the last harvest of a source.", ["source"]);
  return async ({ store }) => {
    for (const each of [finished, complete, rejected]) each.reset();
    for (const source of await readdir(store.raw("")).catch(() => [])) {
      const last = (await readHarvests(store.raw(basename(source))).catch(() => [])).at(-1);
      if (last === undefined) continue;
      if (last.finished !== null) finished.set({ source }, toSeconds(last.finished));
      complete.set({ source }, last.complete ? 1 : 0);
      rejected.set({ source }, last.rejected);
    }
  };
}

function serviceMetrics(gauge: NewGauge): Read {
  const up = gauge("share_service_up", "1 if the database, Redis or the mail server answers, 0 if not.", ["service"]);
  const queues = gauge("share_queue_length", "Entries that wait: for the server, a moderator or a harvest.", ["queue"]);
  return async ({ waiting: readWaiting, redis, outbox, now }) => {
    for (const each of [up, queues]) each.reset();
    queues.set({ queue: "messages" }, outbox.waiting);
    const isRedisUp = redis();
    if (isRedisUp !== null) up.set({ service: "redis" }, isRedisUp ? 1 : 0);
    const isMailUp = await withinTime(outbox.isUp(now())).catch(() => false);
    if (isMailUp !== null) up.set({ service: "mail" }, isMailUp ? 1 : 0);
    const waiting = await withinTime(readWaiting(now())).catch(() => null);
    up.set({ service: "database" }, waiting === null ? 0 : 1);
    for (const [queue, length] of Object.entries(waiting ?? {})) queues.set({ queue }, length);
  };
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(
    () => reject(new Error("the database or the mail server did not respond in time to the check for /metrics")),
    SERVICE_MILLISECONDS,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(late);
  }
}

function upstreamMetrics(registry: Registry): Read {
  const failures = new Counter({
    name: "share_upstream_failures_total",
    help: "Failed requests of evaluations to a service.",
    labelNames: ["host"],
    registers: [registry],
  });
  return ({ upstreamFailures }) => {
    failures.reset();
    for (const [host, count] of upstreamFailures) failures.inc({ host }, count);
  };
}

function diskMetrics(gauge: NewGauge): Read {
  const free = gauge("share_store_free_bytes", "Free space of the file system of the store.");
  const size = gauge("share_store_size_bytes", "Size of the file system of the store.");
  const freeInodes = gauge("share_store_free_inodes", "Inodes that are free there, for further files.");
  const inodes = gauge("share_store_inodes", "Inodes there; none if their number is not fixed.");
  return async ({ store }) => {
    const { bavail, blocks, bsize, ffree, files } = await statfs(store.root);
    free.set(bavail * bsize);
    size.set(blocks * bsize);
    for (const each of [freeInodes, inodes]) each.remove();
    if (files === 0) return;
    freeInodes.set(ffree);
    inodes.set(files);
  };
}

function toSeconds(time: string): number {
  return Date.parse(time) / 1000;
}
