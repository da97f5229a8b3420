/** The text itself: nginx takes it whatever the paths, and what nginx could not be given is refused before. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nginxConfiguration } from "../../api-static/nginx/index.ts";
import { type GivenNginxOptions, nginxOptions } from "../../api-static/nginx/options.ts";
import { fileKinds } from "../../api-static/nginx/page-maps.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { CACHE, JSON_TYPE } from "../../api-static/routes/route.ts";
import { ask } from "../server/ask.ts";
import type { World } from "../server/world.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { testNginx } from "../support/nginx.ts";
import { front } from "./front.ts";

const PLAIN: GivenNginxOptions = {
  store: "/srv/share",
  listen: ["127.0.0.1:18080"],
  upstream: ["127.0.0.1:18081"],
  serverNames: [],
  cache: join(tmpdir(), "share-nginx-test-cache"),
  realIpFrom: [],
  rate: 50,
  burst: 200,
};

const TAKEN: readonly { name: string; options: Partial<GivenNginxOptions> }[] = [
  { name: "plain", options: {} },
  {
    name: "several of everything",
    options: {
      listen: ["127.0.0.1:18080", "[::1]:18080"],
      upstream: ["127.0.0.1:18081", "[::1]:18082", "localhost:65535"],
      serverNames: ["scores.example.org", "*.example.net"],
      realIpFrom: ["10.0.0.0/8", "2001:db8::/32", "127.0.0.1", "fd00::1", "0.0.0.0/0", "::/128"],
    },
  },
  { name: "the greatest numbers", options: { rate: 1_000_000, burst: 1_000_000 } },
  { name: "a store with spaces", options: { store: "/srv/a b" } },
  { name: "a store with quotes and signs", options: { store: `/srv/"a" 'b' \\c $d ${"$"}{e} {f}; #g` } },
  { name: "a store in another script", options: { store: "/srv/資料/ñ" } },
  { name: "a cache with quotes and signs", options: { cache: join(tmpdir(), `share "c" 'd' $e {f}; #g`) } },
];

const REFUSED: readonly { name: string; options: Partial<GivenNginxOptions> }[] = [
  { name: "a store that is no absolute path", options: { store: "share" } },
  { name: "a line end in a store", options: { store: "/srv/a\nb" } },
  { name: "a NUL in a cache", options: { cache: "/srv/a\0b" } },
  { name: "an address to listen on that ends the line", options: { listen: ["8080; evil"] } },
  { name: "nothing to listen on", options: { listen: [] } },
  ...["0", "65536", "99999", "127.0.0.256:80", "1.2.3:80", "[::g]:80", "[::1%lo]:80", "::1:80", "127.0.0.1:0"].map(
    (address) => ({ name: `listening on ${address}`, options: { listen: [address] } }),
  ),
  { name: "listening twice in one place", options: { listen: ["8080", "8080"] } },
  { name: "listening twice in one place, said differently", options: { listen: ["8080", "0.0.0.0:8080"] } },
  ...[
    "unix:/run/share.sock",
    "127.0.0.1",
    "127.0.0.1:99999",
    "999.1.1.1:80",
    "[::1]",
    "[1.2.3.4]:80",
    "-a:80",
    "a..b:80",
  ].map((address) => ({ name: `a server at ${address}`, options: { upstream: [address] } })),
  ...["999.1.1.1", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "2001:db8::/129", "::g", "1::2::3", ":", "unix:"].map(
    (network) => ({ name: `the network ${network}`, options: { realIpFrom: [network] } }),
  ),
  { name: "no server", options: { upstream: [] } },
  { name: "a server by its URL", options: { upstream: ["http://127.0.0.1:8081"] } },
  { name: "a server that ends the line", options: { upstream: ["127.0.0.1:8081; evil"] } },
  { name: "a name that is an expression", options: { serverNames: ["~.*"] } },
  { name: "a network of nonsense", options: { realIpFrom: ["anywhere"] } },
  { name: "a rate of none", options: { rate: 0 } },
  { name: "part of a request", options: { rate: 0.5 } },
];

export function configurationCases(world: () => World): void {
  describe("the configuration", () => {
    test.each(TAKEN)("nginx takes: $name", ({ options }) => {
      const wanted = { ...PLAIN, ...options };
      const { status, words } = testNginx(nginxConfiguration(wanted));
      rmSync(wanted.cache, { recursive: true, force: true });
      expect([status, words]).toEqual([0, expect.stringContaining("test is successful")]);
      expect(words).not.toMatch(/\[(?:warn|emerg)\]/);
    });

    test.each(REFUSED)("refused: $name", ({ options }) => {
      expect(() => nginxConfiguration({ ...PLAIN, ...options })).toThrow();
      expect(nginxOptions.safeParse({ ...PLAIN, ...options }).error?.issues.length).toBe(1);
    });

    test("a store of an odd name is served from", async () => {
      const folder = mkdtempSync(join(tmpdir(), "share-odd-"));
      const root = join(folder, `a "b" 'c' \\d $e \${f} {g}; #h`);
      mkdirSync(root);
      symlinkSync(world().store.release(world().full.releaseDigest), join(root, "serving"));
      try {
        await using at = await front(world().store, { store: root });
        const { status, headers } = await ask(at.port, "/metrics/live");
        expect([status, headers["share-release"], at.seen.length]).toEqual([200, world().full.releaseDigest, 0]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test("the command prints it, for a path as it was given", async () => {
      const parameters = ["nginx", "--store", "here", "--upstream", "10.0.0.1:81", "10.0.0.2:81", "--rate", "7"];
      const [text, json] = [await runCommand(parameters), await runCommand([...parameters, "--json"])];
      const configuration = nginxConfiguration({
        ...PLAIN,
        store: join(REPOSITORY, "here"),
        listen: ["8080"],
        upstream: ["10.0.0.1:81", "10.0.0.2:81"],
        cache: "/var/cache/share-release",
        rate: 7,
      });
      expect([text.exitCode, text.stdout, text.stderr]).toEqual([0, configuration, ""]);
      expect(jsonLines(json.stdout)).toEqual([{ configuration }]);
    });

    test.each([
      { parameters: ["--listen", "80; evil"], says: "--listen must be a port" },
      { parameters: ["--listen", "99999"], says: "--listen must be a port" },
      { parameters: ["--listen", "80", "80"], says: "--listen must name every address once" },
      { parameters: ["--real-ip-from", "999.1.1.1"], says: "--real-ip-from must be an address or a network" },
      { parameters: ["--upstream", "unix:/x"], says: "--upstream must be a host and a port" },
      { parameters: ["--upstream", "http://x"], says: "--upstream must be a host and a port" },
      { parameters: ["--server-name", "~x"], says: "--server-name must be a host name" },
      { parameters: ["--real-ip-from", "anyone"], says: "--real-ip-from must be an address" },
      { parameters: ["--rate", "0"], says: "from 1 to" },
    ])("wrong usage: $parameters", async ({ parameters, says }) => {
      const { exitCode, stdout, stderr } = await runCommand(["nginx", ...parameters]);
      expect([exitCode, stdout, stderr.split("\n").length]).toEqual([2, "", 2]);
      expect(stderr).toContain(says);
    });

    test("no page of a researcher has a line in it", () => {
      const maps = nginxConfiguration(PLAIN)
        .split("\n")
        .filter((line) => /^ {4}"~\^/.test(line));
      expect(maps.length).toBeGreaterThan(15);
      // But what their badges are refused with: it is nobody's.
      const files = maps.filter((line) => !/ 1;$| '<svg /.test(line));
      expect(files.length).toBeGreaterThan(15);
      expect(files.filter((line) => /author|researcher/.test(line))).toEqual([]);
    });

    test("files of one kind that are answered differently are refused", () => {
      const record = routeNamed("record");
      const other = { ...record, name: "other" };
      expect(fileKinds([record, other]).map(({ contentType }) => contentType)).toEqual([JSON_TYPE]);
      expect(() => fileKinds([record, { ...other, cache: CACHE.badge }])).toThrow("other");
    });
  });
}
