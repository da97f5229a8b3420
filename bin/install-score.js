/** Installs only the packages that `share-release score` needs, at their locked versions, for the GitHub action. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const NEEDED = [
  "commander",
  "fast-xml-parser",
  "html-entities",
  "i18n-iso-countries",
  "p-limit",
  "smol-toml",
  "spdx-license-list",
  "undici",
  "yaml",
  "zod",
];

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => JSON.parse(readFileSync(at(path), "utf8"));

const { name, version, dependencies, optionalDependencies } = read("package.json");
const lock = read("package-lock.json");
const packageFile = {
  name,
  version,
  dependencies: Object.fromEntries(NEEDED.map((each) => [each, dependencies[each]])),
  // Node for each platform.
  optionalDependencies,
};
// npm leaves out the packages that nothing needs, but not workspaces.
const packages = Object.entries(lock.packages).filter(([path, { link }]) => link !== true && path !== "client");

const folder = at(".score");
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/package.json`, JSON.stringify(packageFile));
writeFileSync(
  `${folder}/package-lock.json`,
  JSON.stringify({ ...lock, packages: { ...Object.fromEntries(packages), "": packageFile } }),
);
const command = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
const { status } = spawnSync("npm", command, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
if (status === 0) symlinkSync(`${folder}/node_modules`, at("node_modules"), "junction");
process.exitCode = status ?? 1;
