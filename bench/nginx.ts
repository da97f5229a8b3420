/** An nginx of one worker for a benchmark, and the processor time it takes. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PROGRAM = existsSync("/usr/sbin/nginx") ? "/usr/sbin/nginx" : "nginx";

/** Ticks of a second in /proc/<pid>/stat, on every Linux there is. */
const TICKS = 100;

export interface BenchNginx {
  readonly port: number;
  /** Seconds of processor time its worker has taken so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** `http`: what stands in the http context, given the port to listen on. */
export async function benchNginx(http: (port: number, folder: string) => string): Promise<BenchNginx> {
  const folder = mkdtempSync(join(tmpdir(), "share-bench-nginx-"));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 512; }
http {
    access_log off;
    keepalive_requests 1000000;
    ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
    ${http(port, folder)}
}
`,
  );
  const child = spawn(PROGRAM, ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "inherit" });
  const ended = once(child, "close");
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    await sleep(20);
  }
  const worker = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ")[0];
  return {
    port,
    cpuSeconds() {
      const fields = readFileSync(`/proc/${worker}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
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
