/**
 * Runs scripts of package.json one after another: `node test/support/run-scripts.ts NAME… [--check]`. All scripts run, even if
 * some fail, and the failed ones are named at the end. Every script gets the option `--check`.
 */

import { spawnSync } from "node:child_process";

const names = process.argv.slice(2).filter((word) => word !== "--check");
const more = process.argv.includes("--check") ? ["--", "--check"] : [];

const failed = names.filter((name) => {
  const { status } = spawnSync("npm", ["run", "--silent", name, ...more], { stdio: "inherit" });
  return status !== 0;
});
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}
