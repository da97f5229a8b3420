/** Test cases for the log of a server: one line of JSON for each request, without personal data of the client. */

import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { ask } from "./ask.ts";
import { makeRecordId, SPECIAL } from "./test-store.ts";
import type { World } from "./world.ts";

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly reqId?: string;
  readonly route?: string | null;
  readonly status?: number;
  readonly err?: { readonly stack: string };
}

/** Returns a pino logger, and functions that return the lines and the text that it has written. */
function recording() {
  const written: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString("utf8"));
      done();
    },
  });
  const lines = (): Line[] =>
    written
      .join("")
      .trimEnd()
      .split("\n")
      .map((line): Line => JSON.parse(line));
  return { logger: pino(destination), lines, text: () => written.join("") };
}

/** Sends this text, usually an incomplete request, and disconnects after 100 milliseconds. */
async function leave(port: number, sent: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(sent);
  await wait(100);
  socket.destroy();
}

export function logCases(world: () => World): void {
  describe("the log of a server", () => {
    test("the log lines of an evaluation job have the ID of the request that created the job", async () => {
      const { logger, text } = recording();
      const upstreams = { zenodo: `http://127.0.0.1:${await freePort()}` };
      const { port } = await world().serve(world().store, { logger, evaluations: { upstreams } });
      const { status, headers } = await ask(port, "/evaluation-jobs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ identifier: "zenodo/424242", rubricVersion: "2.0" }),
      });
      expect(status).toBe(202);
      const findLines = (event: string) =>
        text()
          .split("\n")
          .filter((line) => line.includes(`"${event}"`));
      await expect.poll(() => findLines("job-failed").length).toBeGreaterThan(0);
      for (const line of [...findLines("job-queued"), ...findLines("job-failed")]) {
        expect(line).toContain(`"reqId":"${headers["x-request-id"]}"`);
      }
    });

    test("the log does not report a disconnected client or a rejected upload as an error", async () => {
      const { logger, lines } = recording();
      const { port } = await world().serve(world().store, { logger });
      const post = (length: number, body: string, route = "/evaluations") =>
        `POST ${route} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
      await leave(port, post(1000, '{"identifier":'));
      await leave(port, post(999_999, "x".repeat(100_000)));
      await leave(port, post(999_999, "x".repeat(100_000), "/nothing"));
      await leave(port, "GET /records?limit=100 HTTP/1.1\r\nHost: x\r\n\r\n");
      await expect.poll(lines).toContainEqual(expect.objectContaining({ msg: "client-left", route: "/evaluations" }));
      expect(lines().flatMap(({ status = 0 }) => (status >= 400 ? status : []))).toEqual([413, 404]);
      expect(lines().filter(({ level, err }) => level > 30 || err !== undefined)).toEqual([]);
    });

    test("the log has one line for each request, without IP address, API key or values from the URL", async () => {
      const { logger, lines, text } = recording();
      const { port } = await world().serve(world().store, { logger });
      const [author] = await world().researchers();
      const asked = [
        { path: "/records?email=someone%40example.org&rubric=1.0", route: "/records", status: 400 },
        { path: `/authors/${author?.slug}`, route: "/authors/:slug", status: 200 },
        { path: "/records?search=secret-word", route: "/records", status: 200 },
        { path: "/authors/jane-doe-0000000000", route: "/authors/:slug", status: 404 },
        { path: "/private/path?key=hidden-value", route: null, status: 404 },
        { path: "/records/%zz", route: null, status: 404 },
        { path: "/autors/jane-doe-0000000000", route: null, status: 404 },
        { path: "/auth/magic/forged-token", route: null, status: 404 },
        { path: "/me/someone@example.org", route: null, status: 404 },
      ];
      const ids = [];
      for (const { path } of asked) {
        const reply = await ask(port, path, {
          headers: { "user-agent": "agent-of-someone", "x-request-id": "forged" },
        });
        ids.push(reply.headers["x-request-id"]);
      }
      const requests = lines().filter(({ msg }) => msg === "request");
      expect(requests.map(({ status }) => status)).toEqual(asked.map(({ status }) => status));
      expect(requests.map(({ reqId }) => reqId)).toEqual(ids);
      expect(requests.map(({ route }) => route ?? null)).toEqual(asked.map(({ route }) => route));
      expect(requests.filter((line) => "path" in line)).toEqual([]);
      expect(new Set(ids).size).toBe(asked.length);
      // The line about listening names the server's own address.
      const written = text().replace(/.*Server listening.*\n/, "");
      expect(written).not.toMatch(
        /127\.0\.0\.1|remoteAddress|example\.org|secret-word|jane-doe|private|%zz|agent-of|forged|hidden-value/,
      );
      expect(text()).not.toContain(author?.slug);
    });

    test("the log has the internal error that the response does not show", async () => {
      const { logger, lines } = recording();
      const store = await world().altered(world().full);
      // A folder in place of a file is a disk fault and does not mean missing pages.
      const page = join(store.release(world().full.releaseDigest), "pages/release.zst");
      rmSync(page);
      mkdirSync(page);
      const { port } = await world().serve(store, { logger });
      const reply = await ask(port, "/records");
      expect(reply.status).toBe(500);
      expect(reply.text).toContain(reply.headers["x-request-id"]);
      expect(reply.text).not.toMatch(/EISDIR|release\.zst|\.ts:\d|select |node:/i);
      expect(reply.text).not.toContain(store.root);
      const [failure] = lines().filter(({ msg }) => msg === "request-failed");
      expect(failure?.reqId).toBe(reply.headers["x-request-id"]);
      expect(failure?.err?.stack).toContain("EISDIR");
      expect((await ask(port, `/records/${makeRecordId(SPECIAL.winner)}`)).status).toBe(200);
    });
  });
}
