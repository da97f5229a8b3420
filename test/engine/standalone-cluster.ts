/** Starts a standalone Spark cluster on this machine. Its worker starts executors for each application. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../support/free-port.ts";

export interface StandaloneCluster extends AsyncDisposable {
  /** The URL of the master, for the option `--master`. */
  readonly master: string;
  /** Returns the process ids of the executors. */
  executors(): Promise<number[]>;
}

/** Starts a cluster with one worker of two cores. Its executors write their logs into the folder. */
export async function standaloneCluster(python: string, folder: string): Promise<StandaloneCluster> {
  const found = spawnSync(python, ["-c", "import pyspark; print(pyspark.__path__[0])"], { encoding: "utf8" });
  const home = found.stdout.trim();
  const environment = { ...process.env, SPARK_HOME: home, SPARK_LOCAL_IP: "127.0.0.1", SPARK_DAEMON_MEMORY: "256m" };
  const start = (name: string, parameters: readonly string[]) =>
    spawn(join(home, "bin/spark-class"), [`org.apache.spark.deploy.${name}`, "--host", "127.0.0.1", ...parameters], {
      stdio: "ignore",
      env: environment,
    });
  const [masterPort, workerPort] = [await freePort(), await freePort()];
  const master = `spark://127.0.0.1:${masterPort}`;
  const processes: ChildProcess[] = [start("master.Master", ["--port", `${masterPort}`, "--webui-port", "0"])];
  await listening(masterPort);
  const room = ["--cores", "2", "--memory", "2g", "--work-dir", join(folder, "executors")];
  processes.push(start("worker.Worker", ["--port", `${workerPort}`, "--webui-port", "0", ...room, master]));
  await listening(workerPort);
  return {
    master,
    executors: () => processesWith(`--worker-url spark://Worker@127.0.0.1:${workerPort}`),
    [Symbol.asyncDispose]: async () => {
      for (const each of processes.toReversed()) {
        const gone = once(each, "exit");
        each.kill("SIGTERM");
        await gone;
      }
    },
  };
}

/** Returns the ids of processes whose command line contains a text. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (line.replaceAll("\0", " ").includes(text)) found.push(Number(name));
  }
  return found;
}

async function listening(port: number): Promise<void> {
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("error", () => resolve(false)).on("connect", () => socket.end());
    });
  await vi.waitUntil(answers, { timeout: 120_000, interval: 200 });
}
