/** Starts a PostgreSQL server for one test, on loopback and in a temporary folder. It creates empty databases on request. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { endProcess } from "./killing.ts";

/** The folder in which Debian installs servers. It has one folder for each major version. */
const INSTALLED = "/usr/lib/postgresql";

/** The folder with the programs of the newest PostgreSQL server; null if none is installed. */
export const POSTGRES_PROGRAMS = newestPrograms();
if (POSTGRES_PROGRAMS === null) console.warn(`suites on PostgreSQL skipped: there is no server in ${INSTALLED}`);

export interface Postgres {
  /** Returns the URL of a new, empty database. */
  database(): Promise<string>;
  /** Stops the server as a crash would. `resume` starts it again with the committed data. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  if (POSTGRES_PROGRAMS === null) throw new Error("PostgreSQL is not installed");
  const owner = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), "share-postgres-"));
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const run = (name: string, parameters: readonly string[]) =>
    spawn(join(POSTGRES_PROGRAMS ?? "", name), parameters, { cwd: folder, stdio: "ignore", ...owner });
  await succeeded(run("initdb", ["-D", data, "-U", "share", "--auth=trust", "--no-sync", "--encoding=UTF8"]), "initdb");
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  const start = () =>
    run("postgres", ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])]);
  let server = start();
  const url = (database: string) => `postgresql://share@127.0.0.1:${port}/${database}`;
  await ready(url("postgres"), server);
  let databases = 0;
  return {
    async database() {
      databases += 1;
      await withClient(url("postgres"), (client) => client.query(`create database test_${databases}`));
      return url(`test_${databases}`);
    },
    // Immediate shutdown writes nothing more, and the next start recovers from the log.
    async halt() {
      await endProcess(server, "SIGQUIT");
    },
    async resume() {
      server = start();
      await ready(url("postgres"), server);
    },
    async stop() {
      await endProcess(server, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function newestPrograms(): string | null {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number) : [];
  const newest = versions.sort((a, b) => b - a).find((version) => existsSync(getProgramFolder(version)));
  return newest === undefined ? null : getProgramFolder(newest);
}

function getProgramFolder(version: number): string {
  return join(INSTALLED, String(version), "bin");
}

/** Returns the user that runs the server. PostgreSQL does not run as root, so root uses the server's own user. */
function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined || gid === undefined) throw new Error("there is no user postgres to run PostgreSQL as");
  return { uid: Number(uid), gid: Number(gid) };
}

async function succeeded(child: ChildProcess, name: string): Promise<void> {
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
}

async function ready(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`);
    try {
      return await withClient(url, async () => undefined);
    } catch {
      await sleep(50);
    }
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
