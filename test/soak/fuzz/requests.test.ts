/**
 * Fuzz test of requests: any bytes on a connection, forms included, get a response, and the server still responds to
 * all other clients.
 */

import { METHODS } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startUpstream } from "../../evaluations/upstream.ts";
import { AccountSite } from "../../security/account-site.ts";
import { FORMS, HONEST_FORMS } from "../../security/honest-forms.ts";
import { releasedStore } from "../../server/test-store.ts";
import type { Dice } from "./dice.ts";
import { mutated } from "./mutated.ts";
import { FUZZ_TIME, playRounds } from "./rounds.ts";
import { answering } from "./watched-server.ts";

const ENCODED = "application/x-www-form-urlencoded";

/** Forms that end a session or an account. They are sent without the cookie, because other requests of the round need both. */
const ENDING = ["sign-out", "erase-now"];

/** Makes a request as a page of `origin` would send it, with the cookie of a signed-in user. */
function formRequest(dice: Dice, origin: string, cookie: string): Buffer {
  const { name, path } = dice.of(FORMS);
  const fields = HONEST_FORMS[name] ?? {};
  const { type, body } = dice.oneIn(2) ? encoded(fields) : inParts(fields, dice);
  const changed = dice.oneIn(4) ? body : mutated(body, dice, [body, Buffer.from(OTHERS)]);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Accept: text/html",
    `Origin: ${origin}`,
    `Content-Type: ${dice.oneIn(8) ? dice.of(TYPES) : type}`,
    `Content-Length: ${dice.oneIn(12) ? dice.below(2 * changed.length + 2) : changed.length}`,
    ...(ENDING.includes(name) || dice.oneIn(4) ? [] : [`Cookie: share_session=${cookie}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), changed]);
}

/** Input that may break form parsers. Parts of it are inserted into valid forms. */
const OTHERS = '&a=b&&=&a[]=1&%&%4&%zz=+;\r\n--\r\n\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n';

const TYPES = [
  "multipart/form-data",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="-"',
  `multipart/form-data; boundary=${"-".repeat(70)}`,
  `${ENCODED}; charset=utf-16`,
  "multipart/mixed; boundary=x",
  "application/json",
];

type Fields = Readonly<Record<string, string>>;

interface Made {
  readonly type: string;
  readonly body: Buffer;
}

function encoded(fields: Fields): Made {
  return { type: ENCODED, body: Buffer.from(new URLSearchParams(fields).toString()) };
}

function inParts(fields: Fields, dice: Dice): Made {
  const boundary = dice.of(["x", "-", "----WebKitFormBoundary0123456789", "-".repeat(70)]);
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = dice.oneIn(4) ? '; filename="f"\r\nContent-Type: text/plain' : "";
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  const type = `multipart/form-data; boundary=${boundary}`;
  return { type, body: Buffer.from(`${parts.join("")}--${boundary}--\r\n`) };
}

/** Milliseconds to wait for more bytes of a response. The server may send none, because it waits for the rest of a request. */
const PATIENCE = 300;

const PATHS = [
  "/records",
  "/records?search=water%20%22x%22&sortBy=score&sortOrder=desc&page=3&limit=100",
  "/records/rfe033edf024c8af1f4201500",
  "/records/rfe033edf024c8af1f4201500/impact?rubric=1.0",
  "/authors?minSIndex=1&sortBy=sIndex",
  "/authors/jane-doe-0000-0002-1825-0097",
  "/metrics/live",
  "/metrics/history?rubric=1.0",
  "/rubrics/2.0",
  "/institutions?countryCode=DEU&search=a",
  "/geography?limit=250",
  "/widgets/repositories/Zenodo/badge.svg",
  "/widgets/researchers/x/badge.svg",
  "/releases",
  "/status",
  "/health",
  "/openapi.json",
  "/docs",
  "/api-keys/register",
  "/evaluations",
  "/evaluation-jobs",
  "/auth/magic/request",
  "/account/me",
  "/account/saved-records",
  "/problems/not-found",
];
const BODIES = [
  "",
  '{"identifier":"zenodo/1","rubricVersion":"2.0"}',
  '{"name":"A","email":"a@example.org","description":"x"}',
  '{"email":"a@example.org","returnTo":"/account/me"}',
  "{",
];
const HEADERS = [
  "Accept: text/csv",
  "Accept: */*",
  'If-None-Match: "x"',
  "Range: bytes=0-10,5-7",
  "Accept-Encoding: gzip, br",
  "X-API-Key: share_live_x",
  "Cookie: __Host-share_session=x",
  "Origin: http://localhost",
  "Connection: close",
  "Transfer-Encoding: chunked",
  "Expect: 100-continue",
  "Content-Type: application/json",
  "X-Forwarded-For: 10.0.0.1",
];

function makeRequest(dice: Dice): Buffer {
  const body = dice.of(BODIES);
  const length = dice.oneIn(6) ? dice.of(["-1", "99999999999", "0", "x"]) : String(body.length);
  const own = Array.from({ length: dice.below(5) }, () => dice.of(HEADERS));
  const lines = [
    `${dice.of(METHODS)} ${dice.of(PATHS)} HTTP/1.1`,
    "Host: localhost",
    `Content-Length: ${length}`,
    ...own,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Sends bytes, and returns the response. The response ends when the server closes the connection or sends no more. */
function exchanged(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString("latin1"));
    });
  });
}

test("the server answers a connection with any bytes, and never with a 500", { timeout: FUZZ_TIME }, async () => {
  const released = await releasedStore();
  const upstream = await startUpstream();
  const of = await AccountSite.open(released, { sqlite: `${released.store.root}/fuzzed.sqlite` }, upstream);
  const { port, origin } = of.site.world;
  const { token } = await of.person();
  const known = Array.from({ length: 50 }, (_, i) =>
    Buffer.from(`GET ${PATHS[i % PATHS.length]} HTTP/1.1\r\nHost: a\r\n\r\n`),
  );
  const statuses = new Map<string, number>();
  const rejections: unknown[] = [];
  const remember = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", remember);
  try {
    await playRounds(async (dice, _round, unblocked) => {
      const sent = Array.from({ length: 8 }, () => {
        if (dice.oneIn(3)) return formRequest(dice, origin, token);
        const request = makeRequest(dice);
        return dice.oneIn(3) ? request : mutated(request, dice, known);
      });
      const answers = await answering(port, () =>
        unblocked(() => Promise.all(sent.map((bytes) => exchanged(port, bytes)))),
      );
      for (const [i, answer] of answers.entries()) {
        for (const [, status = ""] of answer.matchAll(/(?:^|\r\n\r\n|\n)HTTP\/1\.1 (\d{3}) /g)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          // Services that evaluations request are sometimes unavailable.
          const told = `${status} to ${sent[i]?.toString("latin1").slice(0, 300)}: ${answer.slice(0, 500)}`;
          if (status.startsWith("5")) expect(told).toMatch(/^50[1345] /);
        }
        expect(answer).not.toMatch(/^ +at .*\.ts:\d/m);
      }
      expect(rejections).toEqual([]);
    });
  } finally {
    process.off("unhandledRejection", remember);
    await of[Symbol.asyncDispose]();
    await upstream.close();
    await released[Symbol.asyncDispose]();
  }
  expect(statuses.size).toBeGreaterThan(3);
  // The server accepted forms as well.
  expect(statuses.get("303")).toBeGreaterThan(0);
});
