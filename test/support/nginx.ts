/** A real nginx of a test's own: on the loopback, everything it writes in a folder of its own. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PROGRAM = ["nginx", "/usr/sbin/nginx"].find((name) => spawnSync(name, ["-v"]).status === 0);

export const HAS_NGINX = PROGRAM !== undefined;
if (!HAS_NGINX) console.warn("suites on nginx skipped: there is no nginx in the path nor in /usr/sbin");

export interface StartedNginx {
  readonly port: number;
  /** Where its `nginx.conf` lies, and everything that it writes. */
  readonly folder: string;
  /** What it has complained of so far. */
  errors(): string;
  stop(): Promise<void>;
}

/** Starts it with what `share-release nginx` prints, which must listen on `port`; `user` is its workers', where root starts it. */
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

/** What `nginx -t` says of a configuration: its status, and its words. */
export function testNginx(configuration: string): { readonly status: number | null; readonly words: string } {
  const folder = mkdtempSync(join(tmpdir(), "share-nginx-"));
  try {
    const path = writeConfiguration(folder, configuration);
    const { status, stderr } = spawnSync(PROGRAM ?? "nginx", ["-t", "-c", path, "-p", folder], { encoding: "utf8" });
    return { status, words: stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The part around `http` that a system brings; workers run as whoever runs the test, unless root says otherwise. */
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
    ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n    ")}
    include ${folder}/share.conf;
}
`,
  );
  return path;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
