/** How the client waits, retries and throws if a service fails for a while or permanently. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { Problem, ReleaseChanged, shareClient } from "../../client/index.ts";
import { openRelease, ReleaseFault } from "../../client/release/index.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Service {
  readonly url: string;
  /** Requests so far. `what` has the method, the target and the API key, and `at` is the time in milliseconds. */
  readonly asked: { readonly what: string; readonly body: string; readonly at: number }[];
}

/** Starts a service on loopback that sends these responses in order, and then repeats the last one. */
async function service(...answers: readonly Answer[]): Promise<Service> {
  const asked: Service["asked"] = [];
  const server = createServer(async (request, response) => {
    const what = `${request.method} ${request.url} ${request.headers["x-api-key"] ?? "-"}`;
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ what, body: await text(request), at: performance.now() });
    answer?.(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) => {
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
  };
const rejection = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  json(
    status,
    { type: "/problems/rate-limited", title: "Too many requests", status, detail: "Later.", instance: "/rubrics" },
    headers,
  );
const reset: Answer = (request) => request.socket.destroy();
const fine = json(200, []);
const inTwoSeconds = () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000).toUTCString();

test.each([
  { name: "429 with Retry-After in seconds", first: rejection(429, { "retry-after": "1" }), atLeast: 990 },
  { name: "503 with Retry-After as a date", first: rejection(503, { "retry-after": inTwoSeconds() }), atLeast: 0 },
  { name: "502 without Retry-After", first: rejection(502), atLeast: 240 },
  { name: "a lost connection", first: reset, atLeast: 240 },
  { name: "a time-out", first: rejection(408), atLeast: 240 },
])("the client repeats a request after $name", async ({ first, atLeast }) => {
  const { url, asked } = await service(first, fine);
  expect(await shareClient({ baseUrl: url, apiKey: "k" }).rubrics()).toEqual([]);
  expect(asked.map(({ what }) => what)).toEqual(["GET /rubrics k", "GET /rubrics k"]);
  expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(atLeast);
});

test("the client repeats a POST only after 429, because a quota rejects it before any work is done", async () => {
  const given = { body: { identifier: "10.5072/a", rubricVersion: "2.0" } } as const;
  const limited = await service(rejection(429, { "retry-after": "0" }), json(200, { id: "e" }));
  await shareClient({ baseUrl: limited.url }).evaluation(given);
  expect(limited.asked.map(({ what, body }) => [what, body])).toEqual([
    ["POST /evaluations -", JSON.stringify(given.body)],
    ["POST /evaluations -", JSON.stringify(given.body)],
  ]);
  for (const first of [rejection(503, { "retry-after": "0" }), reset]) {
    const { url, asked } = await service(first, fine);
    await expect(shareClient({ baseUrl: url }).evaluation(given)).rejects.toThrow();
    expect(asked).toHaveLength(1);
  }
});

const redirect =
  (status: number, location: string): Answer =>
  (_request, response) =>
    response.writeHead(status, { location }).end();

test.each([301, 302, 303, 307, 308])(
  "after a redirect with %i, the client sends the API key to no other origin",
  async (status) => {
    const other = await service(fine);
    const { url, asked } = await service(redirect(status, "/elsewhere"), redirect(status, `${other.url}/taken`));
    const share = shareClient({ baseUrl: url, apiKey: "k" });
    expect(await share.rubrics()).toEqual([]);
    expect(asked.slice(0, 2).map(({ what }) => what)).toEqual(["GET /rubrics k", "GET /elsewhere k"]);
    await share.draft({ body: {} });
    expect((await share.api.GET("/rubrics")).data).toEqual([]);
    expect(other.asked.map(({ what }) => what.split(" ").at(-1))).toEqual(["-", "-", "-"]);
  },
);

test("the client stops following redirects that lead back to the same URL", async () => {
  const { url } = await service(redirect(308, "/rubrics"));
  await expect(shareClient({ baseUrl: url, apiKey: "k", retries: 0 }).rubrics()).rejects.toThrow(TypeError);
});

test("the client throws at once if Retry-After exceeds its limit, and says how long to wait", async () => {
  const { url, asked } = await service(rejection(429, { "retry-after": "3600" }));
  const thrown = await shareClient({ baseUrl: url })
    .rubrics()
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Problem);
  expect(thrown).toMatchObject({ status: 429, code: "rate-limited", retryAfter: 3600, detail: "Later." });
  expect(asked).toHaveLength(1);
});

test("the client gives up after its maximum number of attempts", async () => {
  const { url, asked } = await service(rejection(503, { "retry-after": "0" }));
  await expect(shareClient({ baseUrl: url, retries: 2 }).rubrics()).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(3);
});

test("the client does not repeat an invalid request, and throws a Problem even if the body is not a problem document", async () => {
  const bare: Answer = (_request, response) => response.writeHead(400, { "content-type": "text/html" }).end("<p>No");
  for (const [answer, code] of [
    [
      json(404, { type: "/problems/not-found", title: "Nothing", status: 404, detail: "Here.", instance: "/" }),
      "not-found",
    ],
    [bare, "unknown"],
  ] as const) {
    const { url, asked } = await service(answer);
    await expect(shareClient({ baseUrl: url }).rubrics()).rejects.toMatchObject({ name: "Problem", code });
    expect(asked).toHaveLength(1);
  }
});

test("after a quota is used up, the client waits until the quota is reset before it sends the next request", async () => {
  const { url, asked } = await service(json(200, [], { ratelimit: '"anonymous";r=0;t=1' }), fine);
  const share = shareClient({ baseUrl: url });
  await share.rubrics();
  await share.rubrics();
  expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
});

test("while one quota is used up, the client does not delay requests that count towards another quota", async () => {
  const used = { ratelimit: '"anonymous";r=99;t=50, "evaluation";r=0;t=50' };
  const { url, asked } = await service(json(200, { id: "e" }, used), fine);
  const share = shareClient({ baseUrl: url });
  await share.evaluation({ body: { identifier: "10.5072/a", rubricVersion: "2.0" } });
  await share.rubrics();
  expect(asked).toHaveLength(2);
});

test("an abort signal ends the client's wait", async () => {
  const { url, asked } = await service(rejection(429, { "retry-after": "50" }));
  const ending = new AbortController();
  const asking = shareClient({ baseUrl: url }).rubrics({}, { signal: ending.signal });
  const ended = expect(asking).rejects.toThrow("enough");
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  setTimeout(() => ending.abort(new Error("enough")), 50);
  await ended;
  expect(asked).toHaveLength(1);
});

const page = (data: readonly unknown[], nextCursor: string | null, digest = "sha256:a") =>
  json(200, {
    data,
    pagination: { hasNext: nextCursor !== null, nextCursor },
    _meta: { scoreRelease: { releaseDigest: digest } },
  });

test("the client requests only as many pages of a list by cursor as the caller reads", async () => {
  const answers = [page([1, 2], "b"), page([3, 4], "c"), page([5], null)];
  const whole = await service(...answers);
  const rows: unknown[] = [];
  for await (const row of shareClient({ baseUrl: whole.url }).each("records", { minScore: 5 })) rows.push(row);
  expect(rows).toEqual([1, 2, 3, 4, 5]);
  expect(whole.asked.map(({ what }) => what.split(" ")[1])).toEqual(
    ["*", "b", "c"].map((cursor) => `/records?minScore=5&cursor=${cursor}&limit=100`),
  );
  const part = await service(...answers);
  for await (const _row of shareClient({ baseUrl: part.url }).each("authors")) break;
  expect(part.asked).toHaveLength(1);
});

test("the client requests a list page by page from a given page on, and also lists of an account", async () => {
  const answers = [page([1, 2], "b"), page([3], null)];
  const [records, saved] = [await service(...answers), await service(...answers)];
  const read = async (rows: AsyncIterable<unknown>) => {
    const seen: unknown[] = [];
    for await (const row of rows) seen.push(row);
    return seen;
  };
  expect(await read(shareClient({ baseUrl: records.url }).each("records", { page: 4 }))).toEqual([1, 2, 3]);
  expect(records.asked.map(({ what }) => what.split(" ")[1])).toEqual([
    "/records?page=4&limit=100",
    "/records?page=5&limit=100",
  ]);
  expect(await read(shareClient({ baseUrl: saved.url }).each("savedRecords"))).toEqual([1, 2, 3]);
  expect(saved.asked[0]?.what).toContain("page=1");
});

const gone = json(410, {
  type: "/problems/cursor-expired",
  title: "The cursor is of another release",
  status: 410,
  detail: "Begin again.",
  instance: "/records",
});

test.each([
  ["the next page has another release", [page([1], "b"), page([2], "c", "sha256:b")]],
  ["the cursor of the next page is rejected", [page([1], "b"), gone]],
])("the client throws if the release changes while it reads a list: %s", async (_name, answers) => {
  const { url } = await service(...answers);
  const rows: unknown[] = [];
  const reading = (async () => {
    for await (const row of shareClient({ baseUrl: url }).each("records")) rows.push(row);
  })();
  await expect(reading).rejects.toThrow(ReleaseChanged);
  expect(rows).toEqual([1]);
});

test("the client yields each row of a stream as it arrives, however the bytes are divided into chunks", async () => {
  const rows = [{ title: "Tides of Ü" }, { title: "a\\nb" }, { title: "" }];
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const { url, asked } = await service(async (_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    for (let at = 0; at < bytes.length; at += 3) {
      response.write(bytes.subarray(at, at + 3));
      await new Promise(setImmediate);
    }
    response.end();
  });
  const seen: unknown[] = [];
  for await (const row of shareClient({ baseUrl: url }).stream("records", { fields: "title" })) seen.push(row);
  expect(seen).toEqual(rows);
  expect(asked.map(({ what }) => what)).toEqual(["GET /records?fields=title -"]);
});

test("the client closes the connection if the caller stops reading a stream", async () => {
  const left = Promise.withResolvers<void>();
  const { url } = await service((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write('{"id":"one"}\n{"id":"two"}\n');
    response.on("close", () => left.resolve());
  });
  for await (const { id } of shareClient({ baseUrl: url }).stream("records")) {
    expect(id).toBe("one");
    break;
  }
  await left.promise;
});

test("the client throws a Problem for a rejected stream, and an error for a truncated stream", async () => {
  const rejected = await service(rejection(400));
  const reading = async (url: string) => {
    for await (const _row of shareClient({ baseUrl: url, retries: 0 }).stream("authors"));
  };
  await expect(reading(rejected.url)).rejects.toThrow(Problem);
  const cut = await service((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson", "content-length": "1000" });
    response.write('{"id":"one"}\n', () => response.destroy());
  });
  await expect(reading(cut.url)).rejects.toThrow(TypeError);
});

/** Responds with a JSON object that never ends. */
const endless: Answer = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).write('{"folder":"');
  const spaces = " ".repeat(256 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(spaces));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
};
const missing: Answer = (_request, response) => response.writeHead(404).end();

test.each([
  { name: "the file current", path: "/", answers: [endless] },
  { name: "the receipt in the folder current", path: "/", answers: [missing, endless] },
  { name: "the key set", path: `/releases/sha256-${"0".repeat(64)}/`, answers: [endless] },
])("the client stops reading $name of a publisher if it does not end", async ({ path, answers }) => {
  const { url } = await service(...answers);
  const opening = openRelease(`${url}${path}`, { retries: 0, keys: [] });
  await expect(opening).rejects.toThrow(ReleaseFault);
  await expect(opening).rejects.toThrow("returns more than");
});
