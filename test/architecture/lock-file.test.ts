/** The lock file has a digest for every package that npm installs, including Node itself, and no package runs a script. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        integrity: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        optional: z.boolean().optional(),
        os: z.union([z.string(), z.array(z.string())]).optional(),
        cpu: z.union([z.string(), z.array(z.string())]).optional(),
        link: z.boolean().optional(),
        bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
      }),
    ),
  })
  .parse(JSON.parse(await readFile(join(REPOSITORY, "package-lock.json"), "utf8")));

const { "": own, ...entries } = lock.packages;
/** The two entries for the npm client of this repository: its folder, and a link to the folder. Neither is downloaded. */
const OWN = ["client", "node_modules/share-release-client"];
const packages = Object.entries(entries).filter(([path]) => !OWN.includes(path));

test("every entry of package-lock.json has a digest of its package", () => {
  expect(own?.version).toBeDefined();
  expect(packages.length).toBeGreaterThan(300);
  expect(
    packages.flatMap(([path, { integrity = "" }]) => (/^sha512-[\w+/]{86}==$/.test(integrity) ? [] : path)),
  ).toEqual([]);
});

test("package-lock.json links the npm client as a workspace folder", () => {
  expect(OWN.map((path) => entries[path]?.link ?? false)).toEqual([false, true]);
});

test("no package in the lock file has an install script", async () => {
  expect(packages.flatMap(([path, { hasInstallScript }]) => (hasInstallScript === true ? path : []))).toEqual([]);
  expect(await readFile(join(REPOSITORY, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
  const { scripts, allowScripts } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8"));
  const own = ["preinstall", "install", "postinstall", "prepare", "prepublish"].filter((name) => name in scripts);
  expect({ own, allowScripts }).toEqual({ own: [], allowScripts: undefined });
});

test("Node itself is an optional package for each platform, and no other package has a program called node", () => {
  const programs = packages.filter(([, { bin }]) => typeof bin === "object" && "node" in bin);
  const platforms = programs.map(([, { os, cpu, optional }]) => ({ platform: `${os}-${cpu}`, optional }));
  const expected = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"];
  expect(platforms).toEqual(expected.map((platform) => ({ platform, optional: true })));
});

test("this test runs on the version of Node in the lock file", () => {
  const here = packages.find(([path]) => path === `node_modules/node-${process.platform}-${process.arch}`);
  if (here !== undefined) expect(process.versions.node).toBe(here[1].version);
  expect(Number(process.versions.node.split(".")[0])).toBeGreaterThanOrEqual(24);
});
