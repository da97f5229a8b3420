/** TLS in front: every answer over it, the way there for those who come without, and the word that they need not again. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request as plain } from "node:http";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../server/ask.ts";
import type { World } from "../server/world.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { type Front, front } from "./front.ts";

const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;
if (!HAS_OPENSSL) console.warn("cases on TLS skipped: there is no openssl in the path");

const HSTS_SECONDS = 31_536_000;
const HSTS = `max-age=${HSTS_SECONDS}`;
const NAME = "scores.example.org";

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function tlsCases(world: () => World): void {
  describe.skipIf(!HAS_OPENSSL)("TLS", () => {
    const folder = mkdtempSync(join(tmpdir(), "share-tls-"));
    const tls = { certificate: join(folder, `it's a "chain".pem`), key: join(folder, "key.pem") };
    let at: Front;
    let without: number;

    beforeAll(async () => {
      const made = spawnSync("openssl", [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
        ...["-subj", `/CN=${NAME}`, "-addext", `subjectAltName=DNS:${NAME}`],
        ...["-keyout", tls.key, "-out", tls.certificate],
      ]);
      expect([made.status, String(made.stderr)]).toEqual([0, expect.any(String)]);
      without = await freePort();
      at = await front(world().store, { tls, redirect: [`127.0.0.1:${without}`], hsts: HSTS_SECONDS });
    });
    afterAll(async () => {
      await at?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    /** A client that believes this certificate alone, and asks for the host it names. */
    function over(options: RequestOptions): Promise<Reply> {
      const ca = readFileSync(tls.certificate);
      const host = { host: "127.0.0.1", port: at.port, servername: NAME, agent: false, ca };
      return new Promise((resolve, reject) => {
        const asked = request({ ...host, headers: { host: NAME }, ...options }, (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("end", () =>
            resolve({ status: incoming.statusCode, headers: incoming.headers, text: String(Buffer.concat(chunks)) }),
          );
        });
        asked.on("error", reject);
        asked.end();
      });
    }

    test.each([
      { name: "a page", path: () => "/metrics/live", status: 200, of: "nginx" },
      { name: "a file of a release", path: () => file("release.json"), status: 200, of: "nginx" },
      { name: "the release in use", path: () => "/releases/latest", status: 307, of: "nginx" },
      { name: "what the server answers", path: () => "/authors?limit=1", status: 200, of: "server" },
      { name: "what the server refuses", path: () => "/nothing", status: 404, of: "server" },
      { name: "what nginx refuses", path: () => `/${"x".repeat(20_000)}`, status: 431, of: "nginx" },
      {
        name: "a badge that nginx refuses",
        path: () => `/widgets/datasets/${"x".repeat(20_000)}/badge.svg`,
        status: 431,
        of: "nginx",
      },
    ])("$name comes over TLS, with the word that nothing else should be tried", async ({ path, status, of }) => {
      const before = at.seen.length;
      const reply = await over({ path: path() });
      expect([reply.status, reply.headers["strict-transport-security"]]).toEqual([status, HSTS]);
      expect(reply.headers["x-content-type-options"]).toBe("nosniff");
      expect(at.seen.length - before).toBe(of === "server" ? 1 : 0);
    });

    function file(name: string): string {
      return `/releases/${world().full.releaseDigest.replace(":", "-")}/${name}`;
    }

    test.each(["GET", "HEAD", "POST"])("%s without TLS is sent to the same address with it", async (method) => {
      const path = "/records/r0?rubric=1.0&a=%C3%A9";
      const reply = await new Promise<Reply>((resolve, reject) => {
        const headers = { host: NAME };
        const asked = plain({ host: "127.0.0.1", port: without, method, path, headers, agent: false }, (incoming) => {
          incoming.resume();
          resolve({ status: incoming.statusCode, headers: incoming.headers, text: "" });
        });
        asked.on("error", reject);
        asked.end();
      });
      expect([reply.status, reply.headers.location]).toEqual([308, `https://${NAME}:${at.port}${path}`]);
      // Whoever says it without TLS may be anybody (RFC 6797, 7.2).
      expect(reply.headers["strict-transport-security"]).toBeUndefined();
    });

    test("plain HTTP where TLS is spoken is refused in the words of all refusals", async () => {
      const { status, headers, text } = await ask(at.port, "/metrics/live");
      expect([status, headers["content-type"]]).toEqual([400, "application/problem+json"]);
      expect(JSON.parse(text)).toMatchObject({ type: "/problems/invalid-request", status: 400 });
    });

    test.each([
      { version: "TLSv1.1", taken: false },
      { version: "TLSv1.2", taken: true },
      { version: "TLSv1.3", taken: true },
    ] as const)("$version is taken: $taken", async ({ version, taken }) => {
      // OpenSSL itself refuses to offer what is old, at its usual level.
      const bounds = { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" };
      const asked = over({ path: "/metrics/live", ...bounds });
      if (taken) expect((await asked).status).toBe(200);
      else await expect(asked).rejects.toThrow(/protocol version|alert/i);
    });

    test("HTTP/2 is spoken to who speaks it", async () => {
      const ca = readFileSync(tls.certificate);
      const socket = connect({
        host: "127.0.0.1",
        port: at.port,
        servername: NAME,
        ca,
        ALPNProtocols: ["h2", "http/1.1"],
      });
      const protocol = await new Promise((resolve, reject) => {
        socket.on("secureConnect", () => resolve(socket.alpnProtocol));
        socket.on("error", reject);
      });
      socket.destroy();
      expect(protocol).toBe("h2");
    });

    test("without the option nothing is said of it", async () => {
      await using other = await front(world().store, { tls });
      const reply = await over({ port: other.port, path: "/metrics/live" });
      expect([reply.status, reply.headers["strict-transport-security"]]).toEqual([200, undefined]);
    });

    test("the command's options are these", async () => {
      const parameters = ["nginx", "--store", REPOSITORY, "--listen", "443", "--redirect", "80", "--hsts", "600"];
      const files = ["--tls-certificate", "c.pem", "--tls-key", "k.pem"];
      const { exitCode, stdout } = await runCommand([...parameters, ...files]);
      expect(exitCode).toBe(0);
      for (const line of [
        "listen 443 ssl http2;",
        `ssl_certificate     "${join(REPOSITORY, "c.pem")}";`,
        `ssl_certificate_key "${join(REPOSITORY, "k.pem")}";`,
        "    listen 80;",
        "return 308 https://$host$request_uri;",
        'add_header Strict-Transport-Security "max-age=600" always;',
      ]) {
        expect(stdout).toContain(line);
      }
    });

    test.each([
      { parameters: ["--tls-certificate", "c.pem"], says: "--tls-certificate and --tls-key belong together" },
      { parameters: ["--redirect", "80"], says: "--redirect needs --tls-certificate" },
      { parameters: ["--hsts", "600"], says: "--hsts needs --tls-certificate" },
      {
        parameters: ["--listen", "443", "--redirect", "443", "--tls-certificate", "c", "--tls-key", "k"],
        says: "--redirect must be other addresses than --listen",
      },
    ])("wrong usage: $parameters", async ({ parameters, says }) => {
      const { exitCode, stdout, stderr } = await runCommand(["nginx", ...parameters]);
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(says);
    });
  });
}
