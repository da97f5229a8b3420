/** Tests scores as linked data: their measurements, the validation against the published shapes, and content negotiation. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { FTR_TYPE } from "../../api-static/routes/route.ts";
import { activate } from "../../pipeline/store/releases.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import { post } from "../evaluations/post.ts";
import { DEPOSITED, REGISTERED, startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { ask } from "../server/ask.ts";
import type { Listening } from "../server/test-store.ts";
import { World } from "../server/world.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import {
  type Benchmark,
  BROKEN_BENCHMARKS,
  BROKEN_SETS,
  benchmark,
  brokenCopies,
  type ResultSet,
  resultSet,
} from "./fair-test-results.ts";
import { validators } from "./validators/judgement.ts";

const PATIENCE = 300_000;
const LINKED = { accept: "application/ld+json" };
const TESTS = { accept: FTR_TYPE };

const measurement = z.looseObject({
  id: z.string(),
  computedOn: z.string(),
  state: z.string(),
  value: z.union([z.boolean(), z.int()]).optional(),
  cap: z.int().optional(),
  metric: z.record(z.string(), z.unknown()),
});
const document = z.looseObject({
  "@context": z.record(z.string(), z.unknown()),
  id: z.string(),
  measurements: z.array(measurement),
});
type Document = z.infer<typeof document>;

const target = z.strictObject({ href: z.url(), type: z.string().optional() });
/** A link set as RFC 9264 defines it in section 4.2. */
const linkset = z.strictObject({
  linkset: z.array(z.object({ anchor: z.url() }).catchall(z.array(target))),
});

/** Faults that are put into a valid document, one at a time. */
const BROKEN: readonly { readonly name: string; readonly breaks: (of: Document) => void }[] = [
  { name: "a missing signal", breaks: (of) => void of.measurements.pop() },
  { name: "no identifier", breaks: (of) => void Reflect.deleteProperty(of, "identifier") },
  { name: "a payload without a digest", breaks: (of) => Object.assign(of, { source: "urn:somewhere" }) },
  { name: "an unknown signal with a value", breaks: (of) => Object.assign(withState(of, UNKNOWN), { value: false }) },
  {
    name: "an absent signal without a value",
    breaks: (of) => void Reflect.deleteProperty(withState(of, ["absent"]), "value"),
  },
  { name: "an absent signal that is true", breaks: (of) => Object.assign(withState(of, ["absent"]), { value: true }) },
  { name: "a passed signal that is false", breaks: (of) => Object.assign(withState(of, ["passed"]), { value: false }) },
  { name: "a passed signal with the value 4", breaks: (of) => Object.assign(withState(of, ["passed"]), { value: 4 }) },
  { name: "an unknown state", breaks: (of) => Object.assign(withState(of, ["passed"]), { state: "good" }) },
  { name: "no state", breaks: (of) => void Reflect.deleteProperty(withState(of, UNKNOWN), "state") },
  { name: "a total above 100", breaks: (of) => Object.assign(withState(of, ["scored"]), { value: 104 }) },
  {
    name: "a scored record without total",
    breaks: (of) => void Reflect.deleteProperty(withState(of, ["scored"]), "value"),
  },
  {
    name: "a total with too few signals",
    breaks: (of) => Object.assign(withState(of, ["scored"]), { state: "failed" }),
  },
  { name: "a total without its cap", breaks: (of) => void Reflect.deleteProperty(withState(of, ["scored"]), "cap") },
  {
    name: "a score of another dataset",
    breaks: (of) => Object.assign(withState(of, ["passed"]), { computedOn: "urn:x:y" }),
  },
  {
    name: "a signal in no bucket",
    breaks: (of) => void Reflect.deleteProperty(withState(of, ["passed"]).metric, "dimension"),
  },
  {
    name: "a metric without a name",
    breaks: (of) => void Reflect.deleteProperty(withState(of, ["absent"]).metric, "name"),
  },
  { name: "another context", breaks: (of) => Object.assign(of, { "@context": "https://example.org/context" }) },
];
const UNKNOWN = ["unsupported", "source_missing", "failed", "not_evaluable"];

function withState({ measurements }: Document, states: readonly string[]): z.infer<typeof measurement> {
  const found = measurements.find(({ state }) => states.includes(state));
  if (found === undefined) throw new Error(`the document has no measurement with the state ${states.join(" or ")}`);
  return found;
}

describe("a score as linked data", { timeout: PATIENCE }, () => {
  let world: World;
  let server: Listening;
  let upstream: Upstream;
  let records: RecordDetail[];
  const linked = new Map<string, Document>();
  const tests = new Map<string, ResultSet>();

  beforeAll(async () => {
    world = await World.make();
    const store = world.copy(world.full);
    await activate(store, world.full.releaseDigest);
    upstream = await startUpstream();
    server = await world.serve(store, { evaluations: { upstreams: upstream.upstreams } });
    const listed = await ask(server.port, "/records?limit=100", {});
    records = [];
    for (const { id } of JSON.parse(listed.text).data) {
      records.push(JSON.parse((await ask(server.port, `/records/${id}`, {})).text));
      linked.set(id, document.parse(JSON.parse((await ask(server.port, `/records/${id}`, { headers: LINKED })).text)));
      tests.set(id, resultSet.parse(JSON.parse((await ask(server.port, `/records/${id}`, { headers: TESTS })).text)));
    }
  }, PATIENCE);

  afterAll(async () => {
    await world?.end();
    await upstream?.close();
  });

  test("the linked data have a measurement for every signal, with its value or the reason why it is not known", () => {
    expect(records.length).toBeGreaterThan(20);
    expect(new Set(records.map(({ scoreStatus }) => scoreStatus)).size).toBeGreaterThan(1);
    for (const record of records) {
      const [total, ...signals] = linked.get(record.id)?.measurements ?? [];
      expect([total?.state, total?.value, total?.cap]).toEqual([record.scoreStatus, record.score?.total, record.cap]);
      expect(signals.map(({ metric: { name }, state, value }) => ({ name, state, value }))).toEqual(
        record.signals.map(({ name, state }) => ({
          name,
          state,
          value: state === "passed" ? true : state === "absent" ? false : undefined,
        })),
      );
      expect(linked.get(record.id)?.id).toBe(
        record.doi === null ? (record.url ?? `/datasets/${record.id}`) : doiAddress(record.doi),
      );
    }
  });

  describe("content negotiation between JSON, linked data and HTML", () => {
    const path = () => `/records/${records[0]?.id}`;

    test("linked data have another ETag than JSON, depend on the contract, and have no body for HEAD", async () => {
      const json = await ask(server.port, path(), {});
      const plain = await ask(server.port, path(), { headers: LINKED });
      expect([plain.status, plain.headers["content-type"], plain.headers["share-release"]]).toEqual([
        200,
        LINKED.accept,
        world.full.releaseDigest,
      ]);
      expect(plain.headers.vary).toContain("Accept");
      expect(plain.headers["cache-control"]).toBe(json.headers["cache-control"]);
      expect(plain.headers.etag).not.toBe(json.headers.etag);
      const again = { ...LINKED, "if-none-match": String(plain.headers.etag) };
      expect((await ask(server.port, path(), { headers: again })).status).toBe(304);
      expect(
        (await ask(server.port, path(), { headers: { "if-none-match": String(plain.headers.etag) } })).status,
      ).toBe(200);
      expect((await ask(server.port, path(), { method: "HEAD", headers: LINKED })).text).toBe("");
      const old = await ask(server.port, `${path()}?rubric=1.0`, { headers: LINKED });
      expect(old.text).toContain("/rubrics/1.0.0#S1");
      expect(plain.text).toContain("/rubrics/2.0.0-beta.2#S1");
    });

    test.each([
      ["application/ld+json, application/json;q=0.5", "application/ld+json"],
      ["application/json, application/ld+json", "application/json; charset=utf-8"],
      ["application/ld+json;q=0", "application/json; charset=utf-8"],
      ["*/*", "application/json; charset=utf-8"],
      ["application/ld+json, text/html;q=0.8", "application/ld+json"],
      [FTR_TYPE, FTR_TYPE],
      ["application/ld+json;profile=https://w3id.org/ftr/1.3.0", FTR_TYPE],
      ['application/ld+json; profile="http://www.w3.org/ns/json-ld#compacted https://w3id.org/ftr/1.3.0"', FTR_TYPE],
      [`${FTR_TYPE}, application/ld+json, application/json;q=0.9`, FTR_TYPE],
      [`${FTR_TYPE}, text/html;q=0.8`, FTR_TYPE],
      [`${FTR_TYPE};q=0.5, application/ld+json`, "application/ld+json"],
      [`${FTR_TYPE};q=0.5, application/json`, "application/json; charset=utf-8"],
      [`${FTR_TYPE};q=0`, "application/json; charset=utf-8"],
      ['application/ld+json; profile="https://w3id.org/ftr/9.9.9"', "application/ld+json"],
      ["application/xml", "application/json; charset=utf-8"],
    ])("Accept: %s returns %s", async (accept, type) => {
      expect((await ask(server.port, path(), { headers: { accept } })).headers["content-type"]).toBe(type);
    });

    test("GET /records/{id} redirects to the HTML page if the client prefers HTML to linked data", async () => {
      const accept = "text/html, application/ld+json;q=0.5";
      const { status, headers } = await ask(server.port, path(), { headers: { accept } });
      expect([status, headers.location]).toEqual([307, path().replace("records", "datasets")]);
    });

    test("a request for linked data of an unknown record returns a problem document", async () => {
      const missing = await ask(server.port, `/records/r${"0".repeat(24)}`, { headers: LINKED });
      expect([missing.status, missing.headers["content-type"]]).toEqual([404, "application/problem+json"]);
    });
  });

  describe("a score as FAIR Test Results", () => {
    const benchmarkAt = async (path: string): Promise<Benchmark> =>
      benchmark.parse(JSON.parse((await ask(server.port, path, { headers: LINKED })).text));

    test("FAIR Test Results have a result for every signal: pass, fail, or indeterminate with the cause", () => {
      const values = { passed: "pass", absent: "fail" } as const;
      for (const record of records) {
        const set = tests.get(record.id);
        expect(set?.hadMember.map(({ title, value, log }) => [title, value, log.split(":")[0]])).toEqual(
          record.signals.map(({ name, state }) => [
            name,
            state === "passed" || state === "absent" ? values[state] : "indeterminate",
            state,
          ]),
        );
        expect([set?.isScoredBy?.value, set?.assessmentTarget["@id"]]).toEqual([
          record.score?.total,
          linked.get(record.id)?.id,
        ]);
        const advised = record.signals.flatMap(({ advice }) => (advice === null ? [] : [advice]));
        const suggested = set?.hadMember.filter((_result, bit) => record.signals[bit]?.advice !== null);
        expect(suggested?.map(({ suggestion }) => suggestion.description)).toEqual(advised);
      }
      expect(new Set(records.map(({ score }) => score === null)).size).toBe(2);
    });

    test("FAIR Test Results have another ETag than other formats, depend on the contract, and have no body for HEAD", async () => {
      const path = `/records/${records[0]?.id}`;
      const reply = await ask(server.port, path, { headers: TESTS });
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, FTR_TYPE]);
      expect(reply.headers.vary).toContain("Accept");
      const others = [await ask(server.port, path), await ask(server.port, path, { headers: LINKED })];
      expect(others.map(({ headers }) => headers.etag)).not.toContain(reply.headers.etag);
      const again = { ...TESTS, "if-none-match": String(reply.headers.etag) };
      expect((await ask(server.port, path, { headers: again })).status).toBe(304);
      const head = await ask(server.port, path, { method: "HEAD", headers: TESTS });
      expect([head.text, head.headers["content-type"]]).toEqual(["", FTR_TYPE]);
      expect((await ask(server.port, `${path}?rubric=1.0`, { headers: TESTS })).text).toContain(
        "/rubrics/1.0.0#S1-test",
      );
    });

    test("FAIR Test Results refer to tests and an algorithm that the URL of the contract describes", async () => {
      for (const { hadMember, isScoredBy } of tests.values()) {
        const named = [...hadMember.map(({ outputFromTest }) => outputFromTest), isScoredBy?.outputFromAlgorithm];
        const [path = "", ...others] = new Set(named.flatMap((each) => each?.["@id"].split("#")[0] ?? []));
        expect(others).toEqual([]);
        const { hasAssociatedMetric, hasImplementation } = await benchmarkAt(path);
        const known = [...hasAssociatedMetric.map((metric) => metric.hasImplementation), hasImplementation];
        const ids = known.map((each) => each["@id"]);
        for (const each of named) if (each !== undefined) expect(ids).toContain(each["@id"]);
      }
    });

    test("a contract is described as FAIR Test Results for every type of linked data, with the operator as contact", async () => {
      const path = "/rubrics/2.0";
      for (const headers of [LINKED, TESTS]) {
        const reply = await ask(server.port, path, { headers });
        expect([reply.status, reply.headers["content-type"]]).toEqual([200, FTR_TYPE]);
        expect(reply.text).toContain("https://w3id.org/fair/principles/terms/R1.1");
      }
      expect((await ask(server.port, path)).headers["content-type"]).toBe("application/json; charset=utf-8");
      const unknown = await ask(server.port, "/rubrics/9.9", { headers: LINKED });
      expect([unknown.status, unknown.headers["content-type"]]).toEqual([400, "application/problem+json"]);
      const store = world.copy(world.full);
      await activate(store, world.full.releaseDigest);
      const { port } = await world.serve(store, { contact: "ada@example.org" });
      const contact = benchmark.parse(JSON.parse((await ask(port, path, { headers: LINKED })).text)).contactPoint;
      expect(contact["@id"]).toBe("mailto:ada@example.org");
    });

    test("POST /evaluations returns FAIR Test Results for a published and for a new record", async () => {
      const [record] = records;
      const { status, headers, text } = await post(
        server.port,
        "/evaluations",
        { identifier: record?.identifier },
        TESTS,
      );
      expect([status, headers["content-type"], headers["content-location"]]).toEqual([
        200,
        FTR_TYPE,
        `/records/${record?.id}?rubric=2.0`,
      ]);
      expect(JSON.parse(text)).toEqual(tests.get(record?.id ?? ""));
      for (const identifier of [DEPOSITED[0], REGISTERED[0]]) {
        const asked = { identifier: identifier?.startsWith("10.") ? identifier : `zenodo/${identifier}` };
        const fresh = await post(server.port, "/evaluations", asked, TESTS);
        expect([fresh.status, fresh.headers["content-type"], fresh.headers["cache-control"]]).toEqual([
          201,
          FTR_TYPE,
          "no-store",
        ]);
        const set = resultSet.parse(JSON.parse(fresh.text));
        expect(set["@id"]).toMatch(/^urn:share:evaluation:e[0-9a-f]{24}$/);
        tests.set(set["@id"], set);
      }
      const plain = await post(server.port, "/evaluations", { identifier: record?.identifier }, LINKED);
      expect(plain.headers["content-type"]).toBe("application/json; charset=utf-8");
    });

    test.skipIf(validators === null)(
      "FAIR Test Results conform to their SHACL shapes, and no invalid document does",
      async () => {
        const whole = [...tests.values()].find(
          ({ hadMember, isScoredBy }) =>
            isScoredBy !== undefined &&
            ["pass", "fail", "indeterminate"].every((value) => hadMember.some((each) => each.value === value)),
        );
        const sets = brokenCopies(whole, BROKEN_SETS);
        // Every fourth record, because the validator takes a quarter of a second for each; the new evaluations come last.
        const judgedSets = [...tests].filter(([id], place) => place % 4 === 0 || id.startsWith("urn:"));
        const judged = judgedByShapes({ ...Object.fromEntries(judgedSets), ...sets }, FTR_RESULTS);
        for (const [id] of judgedSets) expect([id, judged[id]]).toEqual([id, []]);
        expect(judgedSets.length).toBeGreaterThan(20);
        const contracts = {
          "2.0": await benchmarkAt("/rubrics/2.0"),
          "2.0.0-beta.1": await benchmarkAt("/rubrics/2.0.0-beta.1"),
          "1.0": await benchmarkAt("/rubrics/1.0"),
        };
        const benchmarks = brokenCopies(contracts["2.0"], BROKEN_BENCHMARKS);
        const described = judgedByShapes({ ...contracts, ...benchmarks }, FTR_BENCHMARK);
        for (const version of Object.keys(contracts)) expect([version, described[version]]).toEqual([version, []]);
        const found = { ...judged, ...described };
        const passed = Object.keys({ ...sets, ...benchmarks }).filter((name) => found[name]?.length === 0);
        expect(passed).toEqual([]);
      },
    );
  });

  describe("the links of the HTML page", () => {
    const html = { headers: { accept: "text/html" } };
    const parsePosts = (link: unknown) =>
      [...String(link).matchAll(/<([^>]+)>; rel="([a-z-]+)"(?:; type="([^"]+)")?/g)].map(([, ...post]) => post);

    test("the links of an HTML page follow level 1 of FAIR Signposting, and lead to linked data and JSON", async () => {
      for (const record of records.slice(0, 20)) {
        const posts = parsePosts((await ask(server.port, `/datasets/${record.id}`, html)).headers.link);
        const to = (relation: string) => posts.filter(([, named]) => named === relation).map(([at]) => at);
        expect(to("cite-as")).toEqual(record.doi === null ? [] : [doiAddress(record.doi)]);
        expect(to("type")).toEqual(["https://schema.org/AboutPage", "https://schema.org/Dataset"]);
        expect(to("license").length).toBeLessThanOrEqual(record.license === null ? 0 : 1);
        const described = posts.filter(([, relation]) => relation === "describedby");
        expect(described.map(([, , type]) => type)).toEqual(["application/ld+json", "application/json"]);
        for (const [at = "", , type = ""] of described) {
          const { status, headers } = await ask(server.port, at, { headers: { accept: type } });
          expect([status, headers["content-type"]?.split(";")[0]]).toEqual([200, type]);
        }
      }
    });

    test("the links of an HTML page include the URL of a licence in the SPDX list", async () => {
      const links = await Promise.all(
        records.map(async ({ id, license }) => ({
          license,
          posts: parsePosts((await ask(server.port, `/datasets/${id}`, html)).headers.link),
        })),
      );
      const named = links.find(({ license }) => license?.toLowerCase() === "cc-by-4.0");
      expect(named?.posts).toContainEqual(["https://spdx.org/licenses/CC-BY-4.0", "license", undefined]);
    });

    test("the link set of an HTML page has the same links with absolute URLs, and the ORCID iDs of the creators", async () => {
      let authors = 0;
      for (const record of records.slice(0, 20)) {
        const posts = parsePosts((await ask(server.port, `/datasets/${record.id}`, html)).headers.link);
        const [[at = "", , type] = []] = posts.filter(([, relation]) => relation === "linkset");
        expect([at, type]).toEqual([`/datasets/${record.id}/linkset`, "application/linkset+json"]);
        const reply = await ask(server.port, at);
        expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/linkset+json"]);
        const [page, detail, ...others] = linkset.parse(JSON.parse(reply.text)).linkset;
        expect(others).toEqual([]);
        const { origin, pathname } = new URL(page?.anchor ?? "");
        expect(pathname).toBe(`/datasets/${record.id}`);
        expect(detail).toEqual({
          anchor: `${origin}/records/${record.id}`,
          describes: [{ href: page?.anchor, type: "text/html" }],
        });
        const { anchor: _anchor, author = [], ...relations } = page ?? { anchor: "" };
        const told = Object.entries(relations).flatMap(([relation, targets]) =>
          z
            .array(target)
            .parse(targets)
            .map(({ href, type: as }) => [href, relation, as]),
        );
        const whole = posts
          .filter(([, relation]) => relation !== "linkset")
          .map(([to = "", relation, as]) => [new URL(to, origin).href, relation, as]);
        expect(told.toSorted()).toEqual(whole.toSorted());
        const iDs = [...new Set(record.authors.flatMap(({ orcid }) => (orcid === null ? [] : [orcid])))];
        expect(author).toEqual(iDs.map((orcid) => ({ href: `https://orcid.org/${orcid}` })));
        authors += iDs.length;
      }
      expect(authors).toBeGreaterThan(0);
      expect((await ask(server.port, `/datasets/r${"0".repeat(24)}/linkset`)).status).toBe(404);
    });

    test("linked data have no link to an HTML page if the server has no HTML pages", async () => {
      const store = world.copy(world.full);
      await activate(store, world.full.releaseDigest);
      const { port } = await world.serve(store, { pages: false });
      const { status, headers } = await ask(port, `/records/${records[0]?.id}`, { headers: LINKED });
      expect([status, headers.link]).toEqual([200, undefined]);
    });

    test("linked data have a link to the HTML page that they describe", async () => {
      const { headers } = await ask(server.port, `/records/${records[0]?.id}`, { headers: LINKED });
      expect(headers.link).toBe(`</datasets/${records[0]?.id}>; rel="describes"; type="text/html"`);
    });
  });

  describe.skipIf(validators === null)("validation of the linked data with its SHACL shapes", () => {
    test("the linked data of every fourth record conform to their SHACL shapes, and no invalid document does", () => {
      const whole = [...linked.values()].find(
        ({ measurements }) =>
          ["scored", "passed", "absent"].every((state) => measurements.some((each) => each.state === state)) &&
          measurements.some(({ state }) => UNKNOWN.includes(state)),
      );
      const broken = BROKEN.map(({ name, breaks }) => {
        const copy = structuredClone(whole);
        if (copy === undefined) throw new Error("no record has a signal of each kind");
        breaks(copy);
        return [name, copy] as const;
      });
      const judgedRecords = [...linked].filter((_, place) => place % 4 === 0);
      const judged = judgedByShapes(Object.fromEntries([...judgedRecords, ...broken]), SHAPES);
      for (const [id] of judgedRecords) expect([id, judged[id]]).toEqual([id, []]);
      expect(judgedRecords.length).toBeGreaterThan(20);
      expect(broken.filter(([name]) => judged[name]?.length === 0).map(([name]) => name)).toEqual([]);
    });
  });
});

const SHAPES = join(REPOSITORY, "docs/linked-data/shapes.ttl");
const FTR_RESULTS = join(import.meta.dirname, "validators/ftr-results.ttl");
const FTR_BENCHMARK = join(import.meta.dirname, "validators/ftr-benchmark.ttl");

function judgedByShapes(documents: Readonly<Record<string, unknown>>, shapes: string): Record<string, string[]> {
  const program = join(import.meta.dirname, "validators/shapes.py");
  const { status, stdout, stderr } = spawnSync(validators ?? "python3", [program, shapes], {
    input: JSON.stringify(documents),
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
    timeout: 280_000,
  });
  if (status !== 0) throw new Error(`the validation with shapes.py ended with ${status}: ${stderr.slice(-2000)}`);
  return z.record(z.string(), z.array(z.string())).parse(JSON.parse(stdout));
}
