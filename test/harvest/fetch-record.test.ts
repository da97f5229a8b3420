/**
 * Tests requests for one record by its id: the record is put together from its parts, is gone, or is rejected with a reason.
 */

import { describe, expect, test } from "vitest";
import { fetchRecord } from "../../pipeline/1-harvest/index.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { type Dialect, type Reply, serve } from "../support/upstream/service.ts";
import { testEffects } from "./bench-store.ts";

const named = (name: string): Source => {
  const source = sourceNamed(name);
  if (source === null) throw new Error(`there is no source ${name}`);
  return source;
};

/** Fetches a record from a service that has these replies by path and query, and returns 404 for all other requests. */
async function fetched(name: string, id: string, replies: Readonly<Record<string, Reply>>) {
  const asked: string[] = [];
  const dialect: Dialect = ({ url, body }) => {
    asked.push(`${url.pathname}${url.search}${body}`);
    return replies[`${url.pathname}${url.search}`] ?? replies[url.pathname] ?? { status: 404, json: { error: "no" } };
  };
  await using service = await serve(dialect);
  const options = {
    base: service.base,
    contact: null,
    allowPrivate: true,
    limits: { attempts: 2, bodyBytes: 8_000_000 },
  };
  const outcome = await fetchRecord(named(name), id, options, testEffects());
  return { outcome, asked, payload: outcome.kind === "record" ? outcome.record.payload : null };
}

const dataset = { identifier: "doi:10.5061/dryad.a", _links: { "stash:version": { href: "/api/v2/versions/7" } } };
const DATASET = "/api/v2/datasets/doi%3A10.5061%2Fdryad.a";

describe("a record that consists of several parts", () => {
  test.each([
    {
      name: "is returned with all its parts",
      replies: { [DATASET]: { json: dataset }, "/api/v2/versions/7/files": { json: { total: 0 } } },
      payload: { dataset, files: { total: 0 } },
      left: [],
    },
    {
      name: "is returned without a part that the service rejects",
      replies: { [DATASET]: { json: dataset }, "/api/v2/versions/7/files": { status: 401, json: { error: "no" } } },
      payload: { dataset },
      left: ["files"],
    },
    {
      name: "is returned without a part to which it has no link",
      replies: { [DATASET]: { json: { identifier: "doi:10.5061/dryad.a" } } },
      payload: { dataset: { identifier: "doi:10.5061/dryad.a" } },
      left: [],
    },
    {
      name: "is returned without a part that would make it too large",
      replies: { [DATASET]: { json: dataset }, "/api/v2/versions/7/files": { json: { x: "x".repeat(6_000_000) } } },
      payload: { dataset },
      left: ["files"],
    },
    {
      name: "is returned without a list whose pages never end",
      replies: {
        [DATASET]: { json: dataset },
        "/api/v2/versions/7/files": { json: { _links: { next: { href: "/api/v2/versions/7/files" } } } },
      },
      payload: { dataset },
      left: ["files"],
    },
  ])("a record $name", async ({ replies, payload: due, left }) => {
    const { outcome, payload } = await fetched("dryad", "10.5061/dryad.a", replies);
    expect(outcome).toMatchObject({ kind: "record", left, record: { sourceId: "10.5061/dryad.a" } });
    expect(JSON.parse(payload ?? "")).toEqual(due);
  });

  test("the payload contains the response byte for byte", async () => {
    const body = `{ "identifier" : "doi:10.5061\\/DRYAD.A", "n": 1.0 }\n`;
    const { outcome, payload } = await fetched("dryad", "10.5061/dryad.a", { [DATASET]: { body } });
    expect(outcome).toMatchObject({ record: { sourceId: "10.5061/dryad.a" } });
    expect(payload).toBe(`{"dataset":${body.trim()}}`);
  });
});

describe("missing records", () => {
  test.each([
    { name: "an unknown record", reply: { status: 404, json: { error: "no" } }, is: { kind: "gone", status: 404 } },
    { name: "a withdrawn record", reply: { status: 410, body: "gone" }, is: { kind: "gone", status: 410 } },
    {
      name: "a record that is not public",
      reply: { status: 403, json: { error: "not yours" } },
      is: { kind: "rejected", objection: { reason: "error-answer", detail: expect.stringMatching(/403: not yours/) } },
    },
    {
      name: "another kind of document",
      reply: { json: { hello: "world" } },
      is: { kind: "rejected", objection: { reason: "unknown-shape" } },
    },
    {
      name: "a response that never ends",
      reply: { body: "x".repeat(9_000_000) },
      is: { kind: "rejected", objection: { reason: "too-large" } },
    },
    {
      name: "a record too large",
      reply: { json: { identifier: "doi:10.5061/dryad.a", x: "x".repeat(6_000_000) } },
      is: { kind: "rejected", objection: { reason: "too-large" } },
    },
  ])("a single record that is not available has an outcome of its own: $name", async ({ reply, is }) => {
    const { outcome } = await fetched("dryad", "10.5061/dryad.a", { [DATASET]: reply });
    expect(outcome).toMatchObject({ sourceId: "10.5061/dryad.a", ...is });
  });

  test("a failure of the service is not reported as a missing record", async () => {
    const run = fetched("dryad", "10.5061/dryad.a", { [DATASET]: { status: 503 } });
    await expect(run).rejects.toMatchObject({ code: "upstream-unavailable" });
  });
});

describe("a record that may be at several URLs", () => {
  test("an EDI package without a revision is fetched in its newest revision", async () => {
    const xml = (body: string): Reply => ({ body, type: "application/xml" });
    const { outcome, payload } = await fetched("edi", "edi.5", {
      "/package/eml/edi/5": { body: "3\n", type: "text/plain" },
      "/package/metadata/eml/edi/5/3": xml(`<eml:eml xmlns:eml="u" packageId="edi.5.3"/>`),
      "/audit/reads/edi/5": xml("<resourceReads/>"),
    });
    expect(outcome).toMatchObject({ kind: "record", record: { sourceId: "edi.5.3" }, left: ["rmd"] });
    const eml = `<eml:eml xmlns:eml="u" packageId="edi.5.3"/>`;
    expect(JSON.parse(payload ?? "")).toEqual({ eml, reads: "<resourceReads/>" });
  });

  test("a Dataverse dataset is found although its service writes the identifier in capitals", async () => {
    const json = { status: "OK", data: { latestVersion: { datasetPersistentId: "doi:10.7910/DVN/ABC" } } };
    const { outcome, asked } = await fetched("dataverse", "10.7910/dvn/abc", {
      "/api/datasets/:persistentId/?persistentId=doi%3A10.7910%2FDVN%2FABC": { json },
    });
    expect(outcome).toMatchObject({ kind: "record", record: { sourceId: "10.7910/dvn/abc" } });
    expect(asked).toHaveLength(2);
  });

  test("a list with the requested record is accepted, and an empty list is rejected", async () => {
    const item = { meta: { "concept-id": "C1-TEST" }, umm: {} };
    const path = "/search/collections.umm_json";
    expect((await fetched("nasa_cmr", "C1-TEST", { [path]: { json: { items: [item] } } })).payload).toBe(
      JSON.stringify(item),
    );
    const none = await fetched("nasa_cmr", "C1-TEST", { [path]: { json: { hits: 0, items: [] } } });
    expect(none.outcome).toMatchObject({ kind: "rejected", objection: { reason: "empty" } });
  });
});
