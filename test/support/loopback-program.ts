/** Runs a program, such as Caddy or Python's http.server, that serves on a port of loopback for one test. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

export interface LoopbackProgram extends AsyncDisposable {
  readonly port: number;
}

/** Starts a program, and returns when it listens on `port`. */
export async function startProgram(
  command: string,
  parameters: readonly string[],
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<LoopbackProgram> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, parameters, { stdio: ["ignore", "ignore", "pipe"], env });
  const ended = once(child, "close");
  const errors = text(child.stderr);
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${await errors}`);
    await sleep(20);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** True if a program accepts connections on the port. */
export async function accepts(port: number): Promise<boolean> {
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
