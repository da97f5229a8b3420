/** What a real server answers is what the document says: status, kind of content, schema and headers, for every operation. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES, routeNamed } from "../../api-static/routes/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { REGISTERED, startUpstream, UNKNOWN_DOI, type Upstream } from "../evaluations/upstream.ts";
import { ask, type Question } from "../server/ask.ts";
import { idOf, type Listening, type ReleasedStore, releasedStore, SPECIAL, serve } from "../server/test-store.ts";
import { expectDescribed, PROBLEM_CONTENT as PROBLEM, responseOf } from "./described.ts";

const ID = idOf(SPECIAL.winner);

interface Row {
  /** Name of the route. */
  readonly name: string;
  /** Path and query; `{digest}`, `{slug}` and `{job}` are filled in. */
  readonly target: string;
  readonly status: number;
  readonly type: string;
  readonly question?: Question;
}

const JSON_CONTENT = "application/json";
const row = (name: string, target: string, status = 200, type = JSON_CONTENT, question: Question = {}): Row => ({
  name,
  target,
  status,
  type,
  question,
});
const csv = { headers: { accept: "text/csv" } };
const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const posted = (body: string, type = "application/json"): Question => ({
  method: "POST",
  headers: { "content-type": type },
  body,
});

const ROWS: readonly Row[] = [
  ...["records", "authors", "institutions", "geography"].flatMap((name) => [
    row(name, `/${name}`),
    row(name, `/${name}?rubric=1.0&page=2&limit=3&sortOrder=desc`),
    row(name, `/${name}?page=2`, 200, "text/csv", csv),
    row(name, `/${name}?rubric=3.0`, 400, PROBLEM),
    row(name, `/${name}?page=0`, 400, PROBLEM),
  ]),
  row("records", "/records?fields=id,doi,score.total"),
  row("records", "/records?fields=score.bucketScores.S&sortBy=score"),
  row("authors", "/authors?fields=sIndexBasis.cap,name"),
  row("institutions", "/institutions?fields=totalDistribution.4"),
  row("geography", "/geography?fields=countryCode,bucketMeans"),
  row("release-changes", "/releases/{digest}/changes?fields=id,kind,points"),
  row("records", "/records?sortBy=score&sortOrder=desc&minScore=10&search=a"),
  ...["2.0", "1.0"].flatMap((rubric) => [
    row("record", `/records/${ID}?rubric=${rubric}`),
    row("record", `/records/${idOf(SPECIAL.failed)}?rubric=${rubric}`),
    row("impact", `/records/${ID}/impact?rubric=${rubric}`),
    row("impact", `/records/${idOf(SPECIAL.failed)}/impact?rubric=${rubric}`),
    row("author", `/authors/{slug}?rubric=${rubric}`),
    row("metrics", `/metrics/live?rubric=${rubric}`),
    row("history", `/metrics/history?rubric=${rubric}`),
    row("rubric", `/rubrics/${rubric}`),
  ]),
  row("record", `/records/${idOf(SPECIAL.loser)}`, 308, ""),
  row("record", `/records/${idOf(SPECIAL.tombstone)}`, 404, PROBLEM),
  row("impact", "/records/nothing/impact", 404, PROBLEM),
  row("author", "/authors/nobody", 404, PROBLEM),
  row("rubrics", "/rubrics"),
  row("rubric", "/rubrics/2.0.0-beta.1"),
  row("rubric", "/rubrics/3.0", 400, PROBLEM),
  row("dataset-badge", `/widgets/datasets/${ID}/badge.svg`, 200, "image/svg+xml"),
  row("repository-badge", "/widgets/repositories/Zenodo/badge.svg", 200, "image/svg+xml"),
  row("repository-badge", "/widgets/repositories/nowhere/badge.svg", 404, "image/svg+xml"),
  row("researcher-badge", "/widgets/researchers/{slug}/badge.svg", 200, "image/svg+xml"),
  row("dataset-badge-json", `/widgets/datasets/${ID}/badge.json?style=social`, 200, "application/json"),
  row("repository-badge-json", "/widgets/repositories/Zenodo/badge.json", 200, "application/json"),
  row("repository-badge-json", "/widgets/repositories/nowhere/badge.json", 404, "application/problem+json"),
  row("researcher-badge-json", "/widgets/researchers/{slug}/badge.json", 200, "application/json"),
  row("releases", "/releases"),
  row("release", "/releases/{digest}"),
  row("release", `/releases/sha256-${"0".repeat(64)}`, 404, PROBLEM),
  row("release-diff", "/releases/{digest}/diff"),
  row("release-diff", `/releases/sha256-${"0".repeat(64)}/diff`, 404, PROBLEM),
  row("release-changes", "/releases/{digest}/changes"),
  row("release-changes", "/releases/{digest}/changes?kind=moved&limit=3", 200, "text/csv", csv),
  row("release-changes", "/releases/{digest}/changes?kind=nothing", 400, PROBLEM),
  row("release-changes", `/releases/sha256-${"0".repeat(64)}/changes`, 404, PROBLEM),
  row("release-file", "/releases/{digest}/data/records/part-0000.parquet", 200, "application/octet-stream"),
  row("release-file", "/releases/{digest}/manifest.ndjson", 206, "application/octet-stream", {
    headers: { range: "bytes=0-9" },
  }),
  row("release-file", "/releases/{digest}/manifest.ndjson", 416, PROBLEM, {
    headers: { range: "bytes=999999999-" },
  }),
  row("release-file", "/releases/{digest}/nothing", 404, PROBLEM),
  row("release-keys", "/.well-known/share-release-keys.json"),
  row("register", "/api-keys/register", 201, JSON_CONTENT, posted('{"name":"N","email":"n@norvale.example"}')),
  row("register", "/api-keys/register", 400, PROBLEM, posted('{"name":""}')),
  row("register", "/api-keys/register", 400, PROBLEM, posted("{")),
  row("register", "/api-keys/register", 413, PROBLEM, posted(JSON.stringify("x".repeat(70_000)))),
  row("register", "/api-keys/register", 415, PROBLEM, posted("name=N", "text/plain")),
  ...(["evaluation", "new-evaluation-job"] as const).flatMap((name) => {
    const { path, status } = routeNamed(name);
    return [
      row(
        name,
        path,
        status,
        JSON_CONTENT,
        posted(JSON.stringify({ identifier: REGISTERED[0], rubricVersion: "2.0" })),
      ),
      row(name, path, 400, PROBLEM, posted('{"identifier":""}')),
      row(name, path, 422, PROBLEM, posted('{"identifier":"PXD012345","rubricVersion":"2.0"}')),
    ];
  }),
  row(
    "evaluation",
    "/evaluations",
    200,
    JSON_CONTENT,
    posted(JSON.stringify({ identifier: SPECIAL.winner, rubricVersion: "2.0" })),
  ),
  row(
    "evaluation",
    "/evaluations",
    404,
    PROBLEM,
    posted(JSON.stringify({ identifier: UNKNOWN_DOI, rubricVersion: "2.0" })),
  ),
  row(
    "draft",
    "/evaluations/draft?source=zenodo",
    200,
    JSON_CONTENT,
    posted('{"metadata":{"upload_type":"dataset","title":"Invented tides","creators":[]}}'),
  ),
  row("evaluation-job", "/evaluation-jobs/{job}"),
  row("evaluation-job", `/evaluation-jobs/j${"0".repeat(32)}`, 404, PROBLEM),
  row("index", "/"),
  row("index", "/", 200, "text/html", browser),
  row("health", "/health"),
  row("status", "/status"),
  row("openapi", "/openapi.json"),
  row("docs", "/docs", 200, "text/html"),
  row("problem", "/problems/rate-limited"),
  row("problem", "/problems/rate-limited", 200, "text/html", browser),
  row("problem", "/problems/nothing", 404, PROBLEM),
  row("records", "/records", 401, PROBLEM, { headers: { "x-api-key": "share_live_nothing" } }),
];

let store: ReleasedStore;
let server: Listening;
let receipt: Receipt;
let slug: string;
let job: string;
let upstream: Upstream;

beforeAll(async () => {
  store = await releasedStore();
  ({ receipt } = store);
  upstream = await startUpstream();
  server = await serve(store.store, { evaluations: { upstreams: upstream.upstreams } });
  const added = await ask(
    server.port,
    "/evaluation-jobs",
    posted(JSON.stringify({ identifier: REGISTERED[1], rubricVersion: "2.0" })),
  );
  job = JSON.parse(added.text).id;
  slug = JSON.parse((await ask(server.port, "/authors")).text).data[0].slug;
}, 300_000);

afterAll(async () => {
  await server?.close();
  await store?.remove();
  await upstream?.close();
});

/** Addresses of people who are signed in have suites of their own. */
test("every operation is asked, and answers with success", () => {
  const succeeded = new Set(ROWS.filter(({ status }) => status < 300).map(({ name }) => name));
  expect([...succeeded].sort()).toEqual(
    ROUTES.filter(({ ownSite }) => !ownSite)
      .map(({ name }) => name)
      .sort(),
  );
});

describe("answers", () => {
  test.each(ROWS)("$name $target is $status $type", async ({ name, target, status, type, question }) => {
    const path = target
      .replace("{slug}", slug)
      .replace("{job}", job)
      .replace("{digest}", receipt.releaseDigest.replace(":", "-"));
    const reply = await ask(server.port, path, question);
    expect(reply.status).toBe(status);
    expectDescribed(name, reply, type, target.includes("fields="));
  });

  test("what a client has already is 304", async () => {
    const { headers } = await ask(server.port, "/records");
    const again = await ask(server.port, "/records", { headers: { "if-none-match": headers.etag ?? "" } });
    expect(again.status).toBe(304);
    expectDescribed("records", again, "");
  });

  test("CSV has the columns of its example", async () => {
    for (const { name, path } of ROUTES.filter(({ list }) => list)) {
      const { text } = await ask(server.port, path.replace("{digest}", receipt.releaseDigest.replace(":", "-")), csv);
      const example = String(responseOf(name, 200).content?.["text/csv"]?.example);
      expect(text.split("\r\n")[0]).toBe(example.split("\r\n")[0]);
    }
  });

  test("badges of the examples look like badges", async () => {
    const { text } = await ask(server.port, "/widgets/repositories/Zenodo/badge.svg");
    const example = String(responseOf("repository-badge", 200).content?.["image/svg+xml"]?.example);
    const shape = (svg: string) => svg.replace(/[\d.]+/g, "0").replace(/fill="#[0-9a-f]+"/g, "");
    expect(shape(text)).toBe(shape(example));
  });
});
