/** Starts a real nginx for one test, on loopback, with all its files in a temporary folder. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { REPOSITORY } from "./bundled-corpus.ts";
import { accepts } from "./loopback-program.ts";

const PROGRAM = ["nginx", "/usr/sbin/nginx"].find((name) => spawnSync(name, ["-v"]).status === 0);

/** The file of content types that the nginx of a distribution includes in the `http` context. */
const TYPES = "/etc/nginx/mime.types";

const SAMPLE = join(REPOSITORY, "docs/operate/nginx.conf");

export const HAS_NGINX = PROGRAM !== undefined;
if (!HAS_NGINX) console.warn("suites on nginx skipped: there is no nginx in the path nor in /usr/sbin");

export interface StartedNginx {
  readonly port: number;
  /** The folder with `nginx.conf` and all files that nginx writes. */
  readonly folder: string;
  /** Returns the error log so far. */
  errors(): string;
  stop(): Promise<void>;
}

/** Starts nginx with this text in its `http` context, which must listen on `port`. If root starts it, workers run as `user`. */
export async function startNginx(configuration: string, port: number, user = "root"): Promise<StartedNginx> {
  const folder = mkdtempSync(join(tmpdir(), "share-nginx-"));
  chmodSync(folder, 0o755);
  const child = spawn(PROGRAM ?? "nginx", ["-c", writeConfiguration(folder, configuration, user), "-p", folder], {
    stdio: "ignore",
  });
  const ended = once(child, "close");
  const errors = () => readFileSync(join(folder, "error.log"), "utf8");
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${errors()}`);
    await sleep(20);
  }
  return {
    port,
    folder,
    errors,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface SampleOptions {
  /** Folder of the store. */
  readonly store: string;
  readonly port: number;
  /** Ports of the servers behind nginx. */
  readonly servers: readonly number[];
  /** The certificate, and the port `plain` that redirects to HTTPS. Without it, the sample listens without TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly plain: number };
  /** Allowed requests a second from one address, and the burst. By default, both are so high that no test reaches them. */
  readonly limit?: { readonly rate: number; readonly burst: number };
}

/**
 * Returns the sample configuration of docs/operate with other paths, ports and limits. Each replaced text must be in the
 * sample.
 */
export function sampleConfiguration({ store, port, servers, tls, limit }: SampleOptions): string {
  const { rate, burst } = limit ?? { rate: 100_000, burst: 100_000 };
  const changes: readonly (readonly [from: string | RegExp, to: string])[] = [
    ["/srv/share/pages", `${store}/pages`],
    [
      "    server 127.0.0.1:8081 max_fails=0;",
      servers.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join("\n"),
    ],
    ["rate=50r/s", `rate=${rate}r/s`],
    [/burst=200/g, `burst=${burst}`],
    ["listen 443 ssl http2;", `listen 127.0.0.1:${port}${tls === undefined ? "" : " ssl http2"};`],
    ...(tls === undefined
      ? ([
          [/^server \{\n {4}listen 80;\n[\s\S]*?\n\}\n/m, ""],
          [/^ +ssl_.*\n/gm, ""],
        ] as const)
      : ([
          ["listen 80;", `listen 127.0.0.1:${tls.plain};`],
          ["/etc/ssl/share/fullchain.pem", tls.certificate],
          ["/etc/ssl/share/privkey.pem", tls.key],
        ] as const)),
  ];
  return changes.reduce(
    (text, [from, to]) => {
      const changed = text.replace(from, () => to);
      if (changed === text) throw new Error(`the sample docs/operate/nginx.conf does not contain ${from}`);
      return changed;
    },
    readFileSync(SAMPLE, "utf8"),
  );
}

/**
 * Writes the configuration around `http` that a system usually provides. Workers run as the user of the test, or as `user` if
 * that is root.
 */
function writeConfiguration(folder: string, configuration: string, user = "root"): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  writeFileSync(join(folder, "share.conf"), configuration);
  const path = join(folder, "nginx.conf");
  writeFileSync(
    path,
    `${process.getuid?.() === 0 ? `user ${user};` : ""}
daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log notice;
events { worker_connections 512; }
http {
    access_log off;
    ${existsSync(TYPES) ? `include ${TYPES};` : ""}
    ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n    ")}
    include ${folder}/share.conf;
}
`,
  );
  return path;
}
