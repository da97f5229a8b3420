/** The Prometheus metrics of a server, and the alert rules and the dashboard that read them. */

import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { appendHarvest } from "../../pipeline/store/harvest-log.ts";
import { signHead } from "../../pipeline/store/head.ts";
import { LOCK, lockFolder } from "../../pipeline/store/locks.ts";
import { makeSigner, newReleaseKey } from "../../pipeline/store/signatures.ts";
import { writeLastRun } from "../../releases/run/last-run.ts";
import type { RunSummary } from "../../releases/run/unfinished-run.ts";
import { openMailbox } from "../sign-in/mailbox.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { freePort } from "../support/free-port.ts";
import { linkedStore, temporaryStore } from "../support/temporary-store.ts";
import { ask } from "./ask.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "./test-store.ts";

const OPERATE = join(REPOSITORY, "docs/operate");
const HAS_PROMTOOL = spawnSync("promtool", ["--version"]).status === 0;

let released: ReleasedStore;
const servers: Listening[] = [];

beforeAll(async () => {
  released = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await released?.[Symbol.asyncDispose]();
});

type Options = Parameters<typeof serve>[1];

/**
 * Starts a server. Returns it with its port for operators, and with `read`, which requests the metrics: values by name and
 * labels.
 */
async function scraped(store: Parameters<typeof serve>[0], options: Options = {}) {
  const server = await serve(store, options);
  servers.push(server);
  server.operations.listen(0, "127.0.0.1");
  await once(server.operations, "listening");
  const { port } = z.object({ port: z.int() }).parse(server.operations.address());
  const read = async () => {
    const { text } = await ask(port, "/metrics");
    const lines = text.split("\n").filter((line) => line.startsWith("share_"));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
    );
  };
  return { read, port, server };
}

const RUN: RunSummary = {
  outcome: "failed",
  asOf: "2026-11-02",
  resumed: false,
  harvests: [],
  release: null,
  gated: [],
  findings: [],
  published: null,
  notified: [],
  failed: { step: "publish", why: "the bucket is closed" },
  took: {
    seconds: 100,
    steps: [
      { step: "harvest", seconds: 60 },
      { step: "build", seconds: 40 },
    ],
  },
};

test("metrics show the dates of the release, the last run and its harvests, the queues, and which services respond", async () => {
  const { store, receipt } = released;
  const { read } = await scraped(store);
  const before = await read();
  expect(before.has('share_run_failed{step="publish"}')).toBe(false);
  for (const folder of [store.run, store.raw("zenodo")]) await mkdir(folder, { recursive: true });
  const finished = "2026-11-02T03:00:00.000Z";
  await writeLastRun(store, RUN, new Date(finished));
  const started = "2026-11-02T02:00:00.000Z";
  const harvest = { source: "zenodo", mode: "http", started, finished, since: null, limit: null } as const;
  const counts = { records: 5, rejected: 7, expected: 9, got: 5, complete: false, missing: "4 records" };
  await appendHarvest(store.raw("zenodo"), { ...harvest, ...counts });
  const after = await read();
  const seconds = (time: string) => Date.parse(time) / 1000;
  expect(Object.fromEntries(after)).toMatchObject({
    share_release_published_timestamp_seconds: seconds(receipt.publishedAt),
    share_release_as_of_timestamp_seconds: seconds(receipt.asOf),
    'share_run_finished_timestamp_seconds{outcome="failed"}': seconds(finished),
    'share_run_step_seconds{step="harvest"}': 60,
    'share_run_step_seconds{step="build"}': 40,
    'share_run_failed{step="publish"}': 1,
    share_run_killed: 0,
    'share_harvest_finished_timestamp_seconds{source="zenodo"}': seconds(finished),
    'share_harvest_complete{source="zenodo"}': 0,
    'share_harvest_rejected{source="zenodo"}': 7,
    'share_service_up{service="database"}': 1,
    'share_queue_length{queue="messages"}': 0,
    'share_queue_length{queue="claims"}': 0,
    'share_queue_length{queue="evaluations"}': 0,
  });
  for (const [free, all] of [
    ["share_store_free_bytes", "share_store_size_bytes"],
    ["share_store_free_inodes", "share_store_inodes"],
  ] as const)
    expect(after.get(free)).toBeLessThan(after.get(all) ?? 0);
  expect(after.has('share_service_up{service="redis"}')).toBe(false);
});

test("metrics show a nightly run while it works, and a killed run until another run ends", async () => {
  await using there = await linkedStore(released.store);
  const { read } = await scraped(there.store);
  const shown = async () => {
    const metrics = await read();
    return [metrics.get("share_run_unfinished_timestamp_seconds"), metrics.get("share_run_killed")];
  };
  const before = Math.floor(Date.now() / 1000) - 1;
  expect(await shown()).toEqual([undefined, 0]);
  const release = await lockFolder(there.store.run);
  expect(await shown()).toEqual([expect.any(Number), 0]);
  expect((await shown())[0]).toBeGreaterThan(before);
  await release();
  // A run that was killed leaves its lock file, although the system has released the lock.
  await writeFile(join(there.store.run, LOCK), "");
  expect(await shown()).toEqual([undefined, 1]);
  await (await lockFolder(there.store.run))();
  expect(await shown()).toEqual([undefined, 0]);
});

test("metrics show when the signed head ends, and nothing without a head that can be read", async () => {
  await using there = await linkedStore(released.store);
  const { read } = await scraped(there.store);
  const readEnd = async () => (await read()).get("share_head_expires_timestamp_seconds");
  expect(await readEnd()).toBeUndefined();
  const signer = await makeSigner(await newReleaseKey());
  const head = await signHead(there.store, signer, { at: "2026-11-02T03:00:00.000Z" });
  expect(await readEnd()).toBe(Date.parse(head?.expiresAt ?? "") / 1000);
  await writeFile(there.store.publicKeys, "{");
  expect(await readEnd()).toBeUndefined();
  expect((await read()).has("share_run_killed")).toBe(true);
});

test("metrics show a database and a Redis that do not respond, and the server stays ready", async () => {
  const { read, port } = await scraped(released.store, {
    accounts: { postgres: `postgresql://share@127.0.0.1:${await freePort()}/share` },
    redisUrl: `redis://127.0.0.1:${await freePort()}`,
  });
  const metrics = await read();
  expect([
    metrics.get('share_service_up{service="database"}'),
    metrics.get('share_service_up{service="redis"}'),
  ]).toEqual([0, 0]);
  expect(metrics.has('share_queue_length{queue="claims"}')).toBe(false);
  expect((await ask(port, "/ready")).status).toBe(200);
});

test("metrics show whether the mail server accepts a connection", async () => {
  const mailbox = await openMailbox();
  try {
    const { read } = await scraped(released.store, { signIn: { smtpUrl: mailbox.url } });
    expect((await read()).get('share_service_up{service="mail"}')).toBe(1);
    const absent = { signIn: { smtpUrl: `smtp://127.0.0.1:${await freePort()}` } };
    expect((await (await scraped(released.store, absent)).read()).get('share_service_up{service="mail"}')).toBe(0);
    expect((await (await scraped(released.store)).read()).has('share_service_up{service="mail"}')).toBe(false);
  } finally {
    await mailbox.close();
  }
});

test("metrics count failed requests to a source", async () => {
  const upstreams = { zenodo: `http://127.0.0.1:${await freePort()}` };
  const { read, server } = await scraped(released.store, { evaluations: { upstreams } });
  const asked = await ask(server.port, "/evaluations", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier: "https://zenodo.org/records/424242", rubricVersion: "2.0" }),
  });
  expect(asked.status).toBeGreaterThanOrEqual(500);
  expect((await read()).get('share_upstream_failures_total{host="127.0.0.1"}')).toBeGreaterThan(0);
});

describe("the alert rules and the dashboard", async () => {
  const rules = await readFile(join(OPERATE, "alerts.yaml"), "utf8");
  const dashboard = await readFile(join(OPERATE, "dashboard.json"), "utf8");
  const documented = await readFile(join(REPOSITORY, "docs/reference/metrics.md"), "utf8");

  test("the alert rules and the dashboard use only metrics that exist", () => {
    for (const text of [rules, dashboard]) {
      const names = new Set(
        text.match(/\bshare_[a-z_]+\b/g)?.map((name) => name.replace(/_(?:bucket|sum|count)$/, "")),
      );
      expect(names.size).toBeGreaterThan(10);
      expect([...names].filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
    }
  });

  test("promtool is installed to check the alert rules, at least in CI", () => {
    if (!HAS_PROMTOOL)
      console.warn("promtool is missing, so nothing checked the alert rules; install Prometheus to check them");
    expect(HAS_PROMTOOL || process.env.CI === undefined).toBe(true);
  });

  test.skipIf(!HAS_PROMTOOL)("the alert rules and the queries of the dashboard are valid", async () => {
    await using there = await temporaryStore();
    execFileSync("promtool", ["check", "rules", join(OPERATE, "alerts.yaml")]);
    const { panels } = z
      .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })) })
      .parse(JSON.parse(dashboard));
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(14);
    const path = join(there.folder, "queries.json");
    const records = queries.map((expr, i) => ({ record: `query_${i}`, expr }));
    await writeFile(path, JSON.stringify({ groups: [{ name: "dashboard", rules: records }] }));
    execFileSync("promtool", ["check", "rules", path]);
  });

  test.skipIf(!HAS_PROMTOOL)(
    "alerts report a failed night: a killed run, a full disk, a lost database, a head that ends",
    async () => {
      await using there = await temporaryStore();
      const alert = (alertname: string, labels: object, summary: string) => ({
        eval_time: "14h",
        alertname,
        exp_alerts: [{ exp_labels: labels, exp_annotations: { summary } }],
      });
      const path = join(there.folder, "night.json");
      const tests = {
        rule_files: [join(OPERATE, "alerts.yaml")],
        tests: [
          {
            interval: "5m",
            input_series: [
              { series: "share_run_killed", values: "1x200" },
              { series: "share_run_unfinished_timestamp_seconds", values: "3600x200" },
              { series: "share_store_free_bytes", values: "50x200" },
              { series: "share_store_free_inodes", values: "5x200" },
              { series: "share_store_inodes", values: "100x200" },
              { series: "share_store_size_bytes", values: "100x200" },
              { series: 'share_service_up{service="database"}', values: "0x200" },
              { series: 'share_service_up{service="redis"}', values: "1x200" },
              { series: "share_release_as_of_timestamp_seconds", values: "0x200" },
              { series: "share_head_expires_timestamp_seconds", values: "475200x200" },
            ],
            alert_rule_test: [
              alert(
                "RunKilled",
                { severity: "ticket" },
                "The nightly run was killed. Read its log, and start it again: it continues.",
              ),
              alert("RunUnfinished", { severity: "ticket" }, "A run works for twelve hours. Read its log."),
              alert(
                "DiskFull",
                { severity: "page" },
                "The disk of the store is almost full. Run share-release release prune.",
              ),
              alert(
                "ServiceDown",
                { severity: "page", service: "database" },
                "The server cannot reach its database. Start it, or restore its backup.",
              ),
              { eval_time: "14h", alertname: "ReleaseOld", exp_alerts: [] },
              { eval_time: "12h", alertname: "HeadEnds", exp_alerts: [] },
              alert(
                "HeadEnds",
                { severity: "ticket" },
                "The signed head ends in less than five days. Run share-release key sign; on a mirror, fetch again.",
              ),
            ],
          },
        ],
      };
      await writeFile(path, JSON.stringify(tests));
      const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", path], { encoding: "utf8" });
      expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
    },
  );
});
