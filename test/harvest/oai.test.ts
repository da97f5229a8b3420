/**
 * Tests harvests by OAI-PMH from a service on loopback: months, resumption tokens, changes, deletions, and violations of the
 * protocol.
 */

import { describe, expect, test } from "vitest";
import { type HttpOptions, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { readSelection } from "../../pipeline/sources/adapter/selection.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { normalisePayload } from "../sources/fragment.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { type Asked, type Dialect, type Reply, type Service, send, serve } from "../support/upstream/service.ts";
import { many } from "../support/upstream/world.ts";
import { readEnvelopes, testEffects } from "./bench-store.ts";

interface Item {
  readonly doi: string;
  readonly changed: string;
  readonly deleted?: boolean;
}

const DAY = 86_400_000;
const day = (n: number) => new Date(Date.UTC(2025, 0, 1) + n * DAY).toISOString().slice(0, 10);

/** Thirty records, one every five days from January to May 2025. The fourth is deleted. */
const ITEMS: readonly Item[] = many(30, (i) => ({
  doi: `10.5072/oai-${i}`,
  changed: day(5 * i),
  ...(i === 3 ? { deleted: true } : {}),
}));
const listIds = (items: readonly Item[]) => items.map(({ doi }) => doi);

function writeRecord({ doi, changed, deleted }: Item): string {
  const header = `<identifier>doi:${doi.toUpperCase()}</identifier><datestamp>${changed}T00:00:00Z</datestamp>`;
  if (deleted === true) return `<record><header status="deleted">${header}</header></record>`;
  const resource =
    `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">${doi}</identifier>` +
    `<titles><title>T &amp; ${doi}</title></titles><resourceType resourceTypeGeneral="Dataset"/></resource>`;
  return `<record><header>${header}</header><metadata><oai_datacite><payload>${resource}</payload></oai_datacite></metadata></record>`;
}

function answer(content: string): Reply {
  const head = `<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2025-06-02T09:00:00Z</responseDate>`;
  return { body: `${head}${content}</OAI-PMH>`, type: "text/xml;charset=UTF-8" };
}

const error = (code: string) => answer(`<error code="${code}">no</error>`);

/**
 * Simulates an OAI-PMH service with two records on a page. A resumption token such as "2025-01-01_2025-01-31_1" contains the
 * dates and the page. `size` makes the value of completeListSize.
 */
function makeOaiDialect(items: () => readonly Item[], size: (count: number) => string = String): Dialect {
  return ({ url }) => {
    const given = (name: string) => url.searchParams.get(name);
    if (given("verb") === "Identify") {
      return answer(`<Identify><earliestDatestamp>2025-01-01T00:00:00Z</earliestDatestamp></Identify>`);
    }
    const token = given("resumptionToken");
    // A request with a token has no other parameters.
    if (token !== null && [...url.searchParams].length > 2) return error("badArgument");
    if (token === null && given("metadataPrefix") !== "oai_datacite") return error("cannotDisseminateFormat");
    const [from, until, page] = token?.split("_") ?? [given("from") ?? "", given("until") ?? "9999", "0"];
    const found = items().filter(({ changed }) => changed >= (from ?? "") && changed <= (until ?? ""));
    if (found.length === 0) return error("noRecordsMatch");
    const start = 2 * Number(page);
    const next = start + 2 < found.length ? `${from}_${until}_${Number(page) + 1}` : "";
    const resumption = `<resumptionToken completeListSize="${size(found.length)}" cursor="${start}">${next}</resumptionToken>`;
    const records = found
      .slice(start, start + 2)
      .map(writeRecord)
      .join("");
    return answer(`<ListRecords>${records}${found.length > 2 ? resumption : ""}</ListRecords>`);
  };
}

interface Bench extends AsyncDisposable {
  readonly service: Service;
  readonly store: TemporaryStore;
  readonly events: string[];
  harvest(options?: Partial<HttpOptions>): ReturnType<typeof harvestHttp>;
  ids(): Promise<string[]>;
}

async function openBench(dialect: Dialect): Promise<Bench> {
  const service = await serve(dialect);
  const store = await temporaryStore();
  const events: string[] = [];
  const base = `${service.base}/oai`;
  const only = readSelection(dataciteByOai(base), "set=example");
  const options = { since: null, only, limit: null, contact: null, base, allowPrivate: true };
  return {
    service,
    store,
    events,
    async harvest(more = {}) {
      const effects = testEffects();
      try {
        return await harvestHttp(store.store, dataciteByOai(base), { ...options, ...more }, effects);
      } finally {
        events.push(...effects.logged.map(({ event }) => event));
      }
    },
    ids: async () => (await readEnvelopes(store.store, "datacite")).map(({ sourceId }) => sourceId),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const query = ({ url }: Asked) => Object.fromEntries(url.searchParams);

describe("OAI-PMH", () => {
  test("a harvest by OAI-PMH requests a set month by month, with resumption tokens within a month", async () => {
    await using bench = await openBench(makeOaiDialect(() => ITEMS));
    expect(await bench.harvest()).toMatchObject({ records: 30, expected: 30, complete: true });
    expect(await bench.ids()).toEqual(listIds(ITEMS));
    const [identify, first, second] = bench.service.asked.map(query);
    expect(identify).toEqual({ verb: "Identify" });
    expect(first).toEqual({
      verb: "ListRecords",
      metadataPrefix: "oai_datacite",
      set: "example",
      from: "2025-01-01",
      until: "2025-01-31",
    });
    expect(second).toEqual({ verb: "ListRecords", resumptionToken: "2025-01-01_2025-01-31_1" });
    const lists = bench.service.asked.map(query).filter(({ from }) => from !== undefined);
    expect(lists.map(({ from, until }) => [from, until])).toEqual([
      ["2025-01-01", "2025-01-31"],
      ["2025-02-01", "2025-02-28"],
      ["2025-03-01", "2025-03-31"],
      ["2025-04-01", "2025-04-30"],
      ["2025-05-01", "2025-05-31"],
      // The last month has no end, so that it includes changes during the harvest. An empty month is not an error.
      ["2025-06-01", undefined],
    ]);
  });

  test("a harvest by OAI-PMH stores the XML of a record unchanged, and a deletion as a tombstone with the DOI", async () => {
    await using bench = await openBench(makeOaiDialect(() => ITEMS));
    await bench.harvest();
    const envelopes = await readEnvelopes(bench.store.store, "datacite");
    expect(envelopes[0]?.payload).toBe(writeRecord(ITEMS[0] ?? { doi: "", changed: "" }));
    const outcomes = envelopes.map(({ payload, sourceId }) =>
      normalisePayload(dataciteByOai("https://oai.datacite.org/oai"), parsePayload(payload), sourceId),
    );
    expect(outcomes[3]).toEqual({
      outcome: "tombstone",
      reason: "DOI state is deleted",
      updated: "2025-01-16T00:00:00.000Z",
    });
    expect(outcomes.filter(({ outcome }) => outcome === "record")).toHaveLength(29);
    expect(outcomes[0]).toMatchObject({ fields: { title: "T & 10.5072/oai-0", doi: "10.5072/oai-0" } });
  });

  test("`since: last` requests changes from the day before the last harvest", async () => {
    let items: readonly Item[] = ITEMS.map((item) => ({ ...item, changed: "2025-01-03" }));
    await using bench = await openBench(makeOaiDialect(() => items));
    await bench.harvest();
    // The clock of the tests is at 1 March 2025.
    items = [...items.slice(1), { doi: "10.5072/oai-0", changed: "2025-03-02", deleted: true }];
    const asked = bench.service.asked.length;
    expect(await bench.harvest({ since: "last" })).toMatchObject({ records: 1, complete: true, expected: 1 });
    expect(
      query(bench.service.asked[asked + 1] ?? { url: new URL("x:"), headers: {}, body: "", base: "" }),
    ).toMatchObject({ from: "2025-02-28", until: "2025-02-28" });
  });

  test.each([
    { name: "a completeListSize that is not a number", size: () => "{u&apos;relation&apos;: u&apos;eq&apos;}" },
    { name: "an empty completeListSize", size: () => "" },
  ])("a harvest by OAI-PMH completes if the service sends $name of a list", async ({ size }) => {
    await using bench = await openBench(makeOaiDialect(() => ITEMS, size));
    expect(await bench.harvest()).toMatchObject({ records: 30, complete: true });
  });
});

describe("expired resumption tokens", () => {
  const tokens = (reply: Reply, times: number) => {
    let rejected = 0;
    return (service: Service) => {
      service.fault = (response, _n, asked) => {
        const token = asked.url.searchParams.get("resumptionToken");
        if (token !== "2025-03-01_2025-03-31_2" || rejected >= times) return false;
        rejected += 1;
        send(response, reply);
        return true;
      };
    };
  };
  const expired: Reply = { status: 422, json: { status: 422, message: "Unprocessable" } };

  test.each([
    { name: "the service reports it with status 422", reply: expired },
    { name: "the service reports it with an OAI-PMH error", reply: error("badResumptionToken") },
  ])(
    "a resumption token that expires makes the harvest repeat the month, and store no record twice: $name",
    async ({ reply }) => {
      await using bench = await openBench(makeOaiDialect(() => ITEMS));
      tokens(reply, 1)(bench.service);
      const summary = await bench.harvest();
      expect(summary.complete).toBe(true);
      expect(await bench.ids()).toEqual(listIds(ITEMS));
      expect(bench.events).toContain("harvest-recovered");
    },
  );

  test("a resumption token that expires every time ends the harvest with an error, and the same command resumes the harvest", async () => {
    await using bench = await openBench(makeOaiDialect(() => ITEMS));
    tokens(expired, 100)(bench.service);
    await expect(bench.harvest()).rejects.toMatchObject({ code: "upstream-rejected" });
    bench.service.fault = () => false;
    expect(await bench.harvest()).toMatchObject({ resumed: true, complete: true });
    expect(new Set(await bench.ids())).toEqual(new Set(listIds(ITEMS)));
  });

  test("a resumption token that expires between two runs makes the next run repeat the month", async () => {
    await using bench = await openBench(makeOaiDialect(() => ITEMS));
    expect(await bench.harvest({ bounds: { requests: 9 } })).toMatchObject({ paused: true });
    tokens(expired, 1)(bench.service);
    expect(await bench.harvest()).toMatchObject({ resumed: true, complete: true });
    expect(new Set(await bench.ids())).toEqual(new Set(listIds(ITEMS)));
  });
});

describe("violations of OAI-PMH", () => {
  test.each([
    {
      name: "returns the token that it received",
      reply: answer(
        `<ListRecords>${writeRecord({ doi: "10.5072/x", changed: day(1) })}<resumptionToken>t</resumptionToken></ListRecords>`,
      ),
      says: /same page again|loop|returned the resumption token t twice/,
    },
    {
      name: "does not state its earliest date",
      reply: answer("<Identify/>"),
      says: /no date in responseDate or earliestDatestamp/,
    },
  ])("a harvest by OAI-PMH ends with an error that names the fault if the service $name", async ({ reply, says }) => {
    const identify = answer(`<Identify><earliestDatestamp>2025-01-01</earliestDatestamp></Identify>`);
    const broken: Dialect = ({ url }) =>
      url.searchParams.get("verb") === "Identify" && reply.body?.includes("ListRecords") === true ? identify : reply;
    await using bench = await openBench(broken);
    expect(await bench.harvest()).toMatchObject({ complete: false, missing: expect.stringMatching(says) });
  });

  test.each([
    { name: "an error about the format", reply: error("cannotDisseminateFormat"), says: /no.* \(error-answer\)/ },
    {
      name: "Dublin Core",
      reply: answer("<ListRecords><record><metadata><dc/></metadata></record></ListRecords>"),
      says: /format dc/,
    },
    { name: "a page of HTML", reply: { body: "<!doctype html><p>Hello", type: "text/html" }, says: /HTML page/ },
  ])("a harvest by OAI-PMH rejects $name in place of a list", async ({ reply, says }) => {
    const identify = answer(`<Identify><earliestDatestamp>2025-01-01</earliestDatestamp></Identify>`);
    await using bench = await openBench(({ url }) => (url.searchParams.get("verb") === "Identify" ? identify : reply));
    await expect(bench.harvest()).rejects.toMatchObject({ message: expect.stringMatching(says) });
  });

  test("a harvest by OAI-PMH completes although the service once asks it to wait (503 with Retry-After)", async () => {
    await using bench = await openBench(makeOaiDialect(() => ITEMS));
    bench.service.fault = (response, n) => {
      if (n !== 4) return false;
      send(response, { status: 503, headers: { "retry-after": "20" }, body: "busy", type: "text/plain" });
      return true;
    };
    expect(await bench.harvest()).toMatchObject({ records: 30, complete: true });
  });
});

test("a harvest by OAI-PMH sends requests only to hosts that are known or configured", async () => {
  await using bench = await temporaryStore();
  const options = { since: null, limit: null, contact: null };
  const source = dataciteByOai("https://oai.example.org/oai");
  const run = (installations: readonly string[]) =>
    harvestHttp(
      bench.store,
      source,
      { ...options, installations },
      { ...testEffects(), fetch: () => Promise.reject(new Error("asked")) },
    );
  await expect(run([])).rejects.toMatchObject({ code: "forbidden-host" });
  await expect(run(["oai.example.org"])).rejects.toMatchObject({ code: "upstream-unavailable" });
});

test("a harvest by OAI-PMH with `since: last` ignores the last harvest from another service", async () => {
  await using one = await serve(makeOaiDialect(() => ITEMS.slice(0, 2)));
  await using other = await serve(makeOaiDialect(() => ITEMS.slice(0, 3)));
  await using bench = await temporaryStore();
  const run = ({ base }: Service) =>
    harvestHttp(
      bench.store,
      dataciteByOai(`${base}/oai`),
      { since: "last", limit: null, contact: null, base: `${base}/oai`, allowPrivate: true },
      testEffects(),
    );
  await run(one);
  expect(await run(other)).toMatchObject({ records: 3 });
  expect(await run(one)).toMatchObject({ records: 0, complete: true });
});
