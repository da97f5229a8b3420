/** The image of `docs/operate/Containerfile` holds what the commands need: its files alone, in a folder of their own, make a release. */

import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";

let image: string;

beforeAll(async () => {
  image = await mkdtemp(join(tmpdir(), "share-image-"));
  const [, , files = ""] = (await readFile(join(REPOSITORY, "docs/operate/Containerfile"), "utf8")).split(/^FROM /m);
  const copied = [...files.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
  expect(copied.length).toBeGreaterThan(8);
  for (const name of copied) await cp(join(REPOSITORY, name), join(image, name), { recursive: true });
  await symlink(join(REPOSITORY, "node_modules"), join(image, "node_modules"));
});

afterAll(() => rm(image, { recursive: true, force: true }));

test.each([
  "--help",
  "fixtures --records 3 --seed 1",
  "build --as-of 2026-11-01",
  "release verify --rebuild",
  "doctor",
])(
  "%s",
  (words) => {
    const env = { PATH: process.env.PATH, SHARE_STORE: join(image, "store") };
    const { status, stderr } = spawnSync("node", ["bin/share-release.js", ...words.split(" ")], {
      cwd: image,
      env,
      encoding: "utf8",
    });
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  },
  120_000,
);
