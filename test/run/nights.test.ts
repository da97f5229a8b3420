/**
 * Tests several nights of a folder that `init` made. The steps of its GitHub workflow run as they are written, with DataCite on
 * loopback. Only GitHub's actions are simulated: the cache copies folders, and Pages keeps a copy of the site.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runCommand, SHARE_RELEASE } from "../support/command-line.ts";
import { type Service, serve } from "../support/upstream/service.ts";
import { many } from "../support/upstream/world.ts";
import { dataset, PAGE, pageOfDois } from "./world.ts";

const workflow = z.object({
  jobs: z.object({
    nightly: z.object({
      steps: z.array(
        z.looseObject({
          uses: z.string().optional(),
          run: z.string().optional(),
          if: z.string().optional(),
          with: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  }),
});

const RECORDS = 12;

/** The titles of the records at the simulated DataCite. One changes before the third night. */
const titles = many(RECORDS, (i) => `Rain at station ${i}`);
const changed = new Set<number>();

let root: string;
let own: string;
let service: Service;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "nights-"));
  own = join(root, "scores");
  service = await serve(({ url }) => {
    const since = (url.searchParams.get("query") ?? "").includes("updated:[");
    const all = titles.map((title, i) => dataset(i, title)).filter((_record, i) => !since || changed.has(i));
    return pageOfDois(all, url, "https://api.datacite.org");
  });
  const program = ["--program", "https://example.org/share-release.git", "--program-version", "v0.1.0"];
  const options = [
    ...program,
    "--title",
    "Rain",
    "--contact",
    "scores@example.org",
    "--url",
    "https://example.github.io/scores",
  ];
  const made = await runCommand(["init", own, "--only", "client=one.a", ...options]);
  expect(made.exitCode, made.stderr).toBe(0);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  if (root !== undefined) await rm(root, { recursive: true });
});

interface Night {
  /** The command of the step that failed first; null if every step succeeded. */
  readonly failed: string | null;
  readonly log: string;
  /** The pages of the published site after the night, by path. */
  readonly site: ReadonlyMap<string, string>;
}

/** Runs the steps of the workflow in a fresh copy of the folder, with a clock that is `daysAgo` days behind. */
async function night(daysAgo: number): Promise<Night> {
  const { jobs } = workflow.parse(parse(await readFile(join(own, ".github/workflows/share.yml"), "utf8")));
  const work = join(root, "work");
  await rm(work, { recursive: true, force: true });
  let failed: string | null = null;
  let log = "";
  for (const step of jobs.nightly.steps) {
    if (failed !== null && step.if === undefined) continue;
    if (step.if?.includes("hashFiles('public/index.html')") === true && !existsSync(join(work, "public/index.html")))
      continue;
    if (step.uses !== undefined) await action(step.uses, work, step.with?.path ?? "");
    if (step.run === undefined) continue;
    const ended = await shell(step.run, work, daysAgo);
    log += ended.output;
    if (ended.code !== 0) failed ??= step.run;
  }
  return { failed, log, site: await readSite(join(root, "pages")) };
}

async function action(uses: string, work: string, path: string): Promise<void> {
  const [name = ""] = uses.split("@");
  const copy = async (from: string, to: string) => {
    if (!existsSync(from)) return;
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
  };
  if (name === "actions/checkout") return copy(own, work);
  if (name === "actions/cache") return installProgram(join(work, path));
  if (name === "actions/cache/restore") return copy(join(root, "cache", path), join(work, path));
  if (name === "actions/cache/save") return copy(join(work, path), join(root, "cache", path));
  if (name === "actions/upload-pages-artifact") return copy(join(work, path), join(root, "artifact"));
  if (name === "actions/deploy-pages") return copy(join(root, "artifact"), join(root, "pages"));
  throw new Error(`the workflow uses ${uses}, which this test does not know`);
}

/** Installs the command of this repository where the workflow expects the program from its cache. */
async function installProgram(folder: string): Promise<void> {
  const file = join(folder, "node_modules/.bin/share-release");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${SHARE_RELEASE}" "$@"\n`);
  await chmod(file, 0o755);
}

async function shell(script: string, work: string, daysAgo: number) {
  const { SHARE_STORE: _store, SHARE_CONTACT: _contact, ...inherited } = process.env;
  const preloads = ["upstream/at-loopback.ts", "earlier-day.ts"].map(
    (name) => `--import ${join(REPOSITORY, "test/support", name)}`,
  );
  const commands = join(root, "commands");
  await mkdir(commands, { recursive: true });
  await writeFile(join(commands, "gh"), "#!/bin/sh\n", { mode: 0o755 });
  const child = spawn("sh", ["-e", "-c", script], {
    cwd: work,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      PATH: `${commands}:${process.env.PATH}`,
      NODE_OPTIONS: preloads.join(" "),
      SHARE_TEST_SERVICES: JSON.stringify({ "api.datacite.org": service.base }),
      SHARE_TEST_DAYS_AGO: String(daysAgo),
    },
  });
  const closed = once(child, "close");
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, output: out + error };
}

async function readSite(folder: string): Promise<ReadonlyMap<string, string>> {
  if (!existsSync(folder)) return new Map();
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    /^datasets\/r\w+\.html$|^index\.html$/.test(name),
  );
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

const datasetsIn = ({ site }: Night) => [...site.keys()].filter((name) => name.startsWith("datasets/")).length;
const has = ({ site }: Night, words: string) => [...site.values()].some((page) => page.includes(words));

describe("the workflow of a folder that init made, over several nights", () => {
  test("the nightly workflow publishes the records that it has, and fails, if the first night is interrupted", async () => {
    service.fault = (response, n) => {
      if (n < 3) return false;
      response.writeHead(403).end("no");
      return true;
    };
    const first = await night(4);
    expect([first.failed, datasetsIn(first)], first.log).toEqual(["sh nightly.sh", 2 * PAGE]);
    expect(first.log).toContain("A harvest failed.");
  });

  test("the nightly workflow continues the harvest in the second night, and publishes the site", async () => {
    service.fault = () => false;
    const before = service.asked.length;
    const second = await night(3);
    expect([second.failed, datasetsIn(second)], second.log).toEqual([null, RECORDS]);
    // The harvest continues, so it does not request the first page again.
    expect(service.asked.slice(before).map(({ url }) => url.searchParams.get("page[cursor]"))[0]).not.toBe("1");
    expect(new Set(service.asked.map(({ url }) => url.searchParams.get("client-id")))).toEqual(new Set(["one.a"]));
  });

  test("the nightly workflow harvests only changes in the third night", async () => {
    titles[4] = "Snow at station 4";
    changed.add(4);
    const before = service.asked.length;
    const third = await night(2);
    expect([third.failed, datasetsIn(third), has(third, "Snow at station 4")], third.log).toEqual([
      null,
      RECORDS,
      true,
    ]);
    expect(has(third, "Rain at station 4<")).toBe(false);
    expect(service.asked.length - before).toBe(1);
  });

  test("the nightly workflow fails in a night in which the service does not work, and leaves the site as it is", async () => {
    service.fault = (response) => {
      response.writeHead(403).end("no");
      return true;
    };
    const fourth = await night(1);
    expect([fourth.failed, datasetsIn(fourth), has(fourth, "Snow at station 4")], fourth.log).toEqual([
      "sh nightly.sh",
      RECORDS,
      true,
    ]);
    expect(fourth.log).toContain("A harvest failed.");
    service.fault = () => false;
    const fifth = await night(0);
    expect([fifth.failed, datasetsIn(fifth)], fifth.log).toEqual([null, RECORDS]);
  });

  test("the nightly workflow publishes a release that passes verification", async () => {
    const verified = await runCommand(["release", "verify", "--store", join(root, "pages")]);
    expect([verified.exitCode, verified.stderr]).toEqual([0, ""]);
  });
}, 900_000);
