/** Settings come from options, the environment, files of secrets, credentials and a configuration file, in this order. */

import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { lockFolder } from "../../pipeline/store/locks.ts";
import { commandHost } from "../support/command-host.ts";
import { type Ended, jsonLines, startCommand } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { listeningAddress } from "./listening-address.ts";

/** Runs commands in this process, because most tests need no separate one. */
const host = commandHost(join(import.meta.dirname, "share-release.ts"));
let world: TemporaryStore;

beforeAll(async () => {
  world = await temporaryStore();
  await mkdir(world.store.root, { recursive: true });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

async function file(name: string, content: string): Promise<string> {
  const path = join(world.folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

interface Line {
  readonly check?: string;
  readonly state?: string;
  readonly detail?: string;
  readonly advice?: string;
}

/** Finds the line about a setting in the output of `doctor --json`. */
function findSetting({ stdout }: Ended, name: string): Line | undefined {
  const lines = jsonLines(stdout) as Line[];
  return lines.find(({ check, detail }) => check === "setting" && detail?.startsWith(`${name} `) === true);
}

const doctor = (environment: Readonly<Record<string, string>>) =>
  host.run(["doctor", "--json"], { environment, folder: world.folder });

test("doctor shows each setting with its origin, and no secret", async () => {
  const configuration = await file(
    "share.toml",
    [
      `SHARE_STORE = '${world.store.root}'`,
      "SHARE_PORT = 8123",
      "SHARE_PUBLISH_PAGES = true",
      "SHARE_SITE = 'https://file.example'",
      "REDIS_URL = 'redis://:hush-redis@host'",
      `SHARE_OSF_TOKEN_FILE = '${await file("osf", "hush-osf\n")}'`,
      "SMTP_URL = 'smtp://not-used'",
    ].join("\n"),
  );
  await chmod(join(world.folder, "osf"), 0o640);
  await file("credentials/DATABASE_URL", "postgresql://share:hush-database@host/share\n");
  await file("credentials/SHARE_SIGNING_KEY", "{}");
  const ended = await doctor({
    SHARE_CONFIG: configuration,
    CREDENTIALS_DIRECTORY: join(world.folder, "credentials"),
    SMTP_URL_FILE: await file("smtp", "smtp://u:hush-smtp@host\n"),
    SHARE_SITE: "https://environment.example",
    SHARE_SIET: "https://misspelt.example",
    SHARE_QUERY_MEMORY: "much",
  });
  const details = (name: string) => findSetting(ended, name)?.detail;
  expect({
    store: details("SHARE_STORE"),
    port: details("SHARE_PORT"),
    pages: details("SHARE_PUBLISH_PAGES"),
    site: details("SHARE_SITE"),
    redis: details("REDIS_URL"),
    token: details("SHARE_OSF_TOKEN"),
    mail: details("SMTP_URL"),
    database: details("DATABASE_URL"),
    key: details("SHARE_SIGNING_KEY"),
    level: details("SHARE_LOG_LEVEL"),
    misspelt: findSetting(ended, "SHARE_SIET"),
    memory: findSetting(ended, "SHARE_QUERY_MEMORY"),
  }).toEqual({
    store: `SHARE_STORE = ${world.store.root} (file ${configuration})`,
    port: `SHARE_PORT = 8123 (file ${configuration})`,
    pages: `SHARE_PUBLISH_PAGES = true (file ${configuration})`,
    site: "SHARE_SITE = https://environment.example (environment)",
    redis: `REDIS_URL = (secret) (file ${configuration})`,
    token: `SHARE_OSF_TOKEN = (secret) (file ${join(world.folder, "osf")})`,
    mail: `SMTP_URL = (secret) (file ${join(world.folder, "smtp")})`,
    database: "DATABASE_URL = (secret) (credential)",
    key: `SHARE_SIGNING_KEY = ${join(world.folder, "credentials/SHARE_SIGNING_KEY")} (credential)`,
    level: "SHARE_LOG_LEVEL = info (default)",
    misspelt: expect.objectContaining({ state: "note", detail: expect.stringContaining("did you mean SHARE_SITE?") }),
    memory: expect.objectContaining({ state: "fault", advice: "expected a size such as 512MB; correct or unset it" }),
  });
  const open = (name: string) => {
    const path = join(world.folder, name);
    return {
      check: "setting",
      state: "warning",
      detail: `${path} has a secret, and every user can read it`,
      advice: `run \`chmod o= ${path}\``,
    };
  };
  const lines = jsonLines(ended.stdout);
  for (const name of ["share.toml", "smtp"]) expect(lines).toContainEqual(open(name));
  expect(lines).not.toContainEqual(open("osf"));
  expect(ended.exitCode).toBe(1);
  expect(ended.stdout + ended.stderr).not.toContain("hush");
});

test.each([
  { name: "SHARE_SITE", value: "https://ada:hush@scores.example", shown: "https://(secret)@scores.example" },
  { name: "ORCID_ISSUER", value: "https://ada:hu/sh@id.example/x", shown: "https://(secret)@id.example/x" },
  { name: "SHARE_CONTACT", value: "https://hush@scores.example", shown: "https://(secret)@scores.example" },
  { name: "SHARE_SITE", value: "htps://ada:hush@scores.example", shown: "htps://(secret)@scores.example" },
])("doctor shows $name without the password: $value", async ({ name, value, shown }) => {
  const ended = await doctor({ SHARE_STORE: world.store.root, [name]: value });
  expect(findSetting(ended, name)?.detail).toBe(`${name} = ${shown} (environment)`);
  expect(ended.stdout + ended.stderr).not.toMatch(/hush|hu\/sh/);
  const inFile = await file("credentials.json", JSON.stringify({ SHARE_STORE: world.store.root, [name]: value }));
  const again = await doctor({ SHARE_CONFIG: inFile });
  expect(again.stdout + again.stderr).not.toMatch(/hush|hu\/sh/);
});

test("doctor finds a logo that cannot be read, and a colour without contrast", async () => {
  const SHARE_LOGO = join(world.folder, "no-logo.svg");
  const ended = await doctor({ SHARE_STORE: world.store.root, SHARE_LOGO });
  expect(jsonLines(ended.stdout)).toContainEqual({
    check: "face",
    state: "fault",
    detail: `SHARE_LOGO: ${SHARE_LOGO} cannot be read (ENOENT); correct its path or its permissions`,
  });
  expect(ended.exitCode).toBe(1);
  const pale = await doctor({ SHARE_STORE: world.store.root, SHARE_COLOUR: "#808080" });
  expect(pale.stdout).toContain(
    '{"check":"face","state":"fault","detail":"SHARE_COLOUR #808080 cannot be read as text',
  );
  const good = await doctor({ SHARE_STORE: world.store.root });
  expect(good.stdout).not.toContain('"check":"face"');
});

test("doctor reads the store from a configuration file in JSON", async () => {
  const SHARE_CONFIG = await file("share.json", JSON.stringify({ SHARE_STORE: world.store.root, SHARE_PORT: 8124 }));
  const ended = await doctor({ SHARE_CONFIG });
  expect(ended.exitCode).toBe(0);
  expect(jsonLines(ended.stdout)).toContainEqual({ check: "store", state: "ok", detail: world.store.root });
  expect(findSetting(ended, "SHARE_PORT")?.detail).toBe(`SHARE_PORT = 8124 (file ${SHARE_CONFIG})`);
});

describe("a configuration file that is rejected", () => {
  test.each([
    {
      name: "an unknown key",
      path: "a.toml",
      content: "SHARE_PROT = 1",
      says: '"SHARE_PROT" is not a setting; did you mean SHARE_PORT?',
    },
    {
      name: "an invalid value",
      path: "b.toml",
      content: "SHARE_PORT = 65536",
      says: "SHARE_PORT is 65536; expected a whole number from 0 to 65535. Correct the file.",
    },
    {
      name: "a list as value",
      path: "c.json",
      content: '{"SHARE_PORT": [1]}',
      says: "SHARE_PORT is [1]; expected a whole number from 0 to 65535",
    },
    {
      name: "an invalid secret",
      path: "d.toml",
      content: "SMTP_URL = 'hush'",
      says: "SMTP_URL is invalid; expected a URL such as smtps://user:password@host:465",
    },
    { name: "an empty text", path: "e.toml", content: "SHARE_STORE = ''", says: 'SHARE_STORE is ""; expected a path' },
    {
      name: "invalid TOML",
      path: "f.toml",
      content: "\nSMTP_URL = hush",
      says: "is not valid TOML in line 2; correct the file",
    },
    {
      name: "invalid JSON",
      path: "g.json",
      content: '{"SMTP_URL": hush}',
      says: "is not valid JSON; correct the file",
    },
    { name: "JSON without an object", path: "h.json", content: "[]", says: "expected one object with settings" },
    { name: "a YAML file", path: "i.yaml", content: "SHARE_PORT: 1", says: "the name must end with .toml or .json" },
    {
      name: "a secret that is set twice",
      path: "j.toml",
      content: "SMTP_URL = 'smtp://a'\nSMTP_URL_FILE = '/b'",
      says: "sets both SMTP_URL and SMTP_URL_FILE; remove one of them",
    },
  ])("a configuration file is rejected because of $name", async ({ path, content, says }) => {
    const SHARE_CONFIG = await file(path, content);
    const ended = await host.run(["release", "list"], { environment: { SHARE_CONFIG } });
    expect(ended).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(says) });
    expect(ended.stderr).toContain(SHARE_CONFIG);
    expect(ended.stderr).not.toMatch(/hush|\n +at /);
  });

  test("a configuration file is rejected if it points to a secret file that does not exist", async () => {
    const SHARE_CONFIG = await file("missing.toml", "SMTP_URL_FILE = '/nowhere'");
    const ended = await host.run(["release", "list"], { environment: { SHARE_CONFIG } });
    expect(ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("the file /nowhere with SMTP_URL cannot be read"),
    });
  });

  test("a command fails if its configuration file does not exist", async () => {
    const ended = await host.run(["release", "list"], { environment: { SHARE_CONFIG: "/nowhere.toml" } });
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("/nowhere.toml in SHARE_CONFIG") });
  });
});

test("an option takes precedence over the environment, and the environment over the configuration file", async () => {
  const SHARE_CONFIG = await file("order.toml", "SHARE_STORE = '/of-file'");
  const findStore = async (environment: Readonly<Record<string, string>>, options: string[] = []) => {
    const { stderr } = await host.run(["serve", ...options], { environment: { SHARE_CONFIG, ...environment } });
    return /there is no store (\S+);/.exec(stderr)?.[1];
  };
  expect([
    await findStore({}),
    await findStore({ SHARE_STORE: "/of-environment" }),
    await findStore({ SHARE_STORE: "/of-environment" }, ["--store", "/of-option"]),
  ]).toEqual(["/of-file", "/of-environment", "/of-option"]);
});

test("the server listens on the port that the configuration file sets", async () => {
  const [port, metrics] = [await freePort(), await freePort()];
  const SHARE_CONFIG = await file(
    "serve.toml",
    `SHARE_STORE = '${world.store.root}'\nSHARE_PORT = ${port}\nSHARE_METRICS_PORT = ${metrics}\n`,
  );
  const child = startCommand(["serve", "--json"], { environment: { SHARE_CONFIG } });
  const ended = once(child, "close");
  expect((await listeningAddress(child)).address).toBe(`http://127.0.0.1:${port}`);
  expect((await fetch(`http://127.0.0.1:${metrics}/health`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("a systemd credential sets the database of the accounts, and is not printed", async () => {
  await file("closed/DATABASE_URL", `postgresql://share:hush@127.0.0.1:${await freePort()}/share`);
  const ended = await host.run(["account", "list"], {
    environment: { CREDENTIALS_DIRECTORY: join(world.folder, "closed"), SHARE_STORE: world.store.root },
  });
  expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ECONNREFUSED") });
  expect(ended.stderr).not.toContain("hush");
});

describe("early failures of a run", () => {
  const lastRun = async () => JSON.parse(await readFile(join(world.store.run, "last.json"), "utf8"));
  const failedStart = { finished: expect.any(String), outcome: "failed", failed: "start", steps: [] };

  afterEach(() => rm(world.store.run, { recursive: true, force: true }));

  test("records the failure if a setting is invalid", async () => {
    const lines = [`SHARE_STORE = '${world.store.root}'`, "SHARE_PORT = 'many'"];
    const environment = { SHARE_CONFIG: await file("run.toml", lines.join("\n")) };
    expect((await host.run(["run"], { environment, folder: world.folder })).exitCode).toBe(2);
    expect(await lastRun()).toEqual(failedStart);
  });

  test("records the failure if a file that it needs cannot be read", async () => {
    const parameters = ["run", "zenodo", "--store", world.store.root, "--sign", join(world.folder, "no-key")];
    expect((await host.run(parameters, { folder: world.folder })).exitCode).not.toBe(0);
    expect(await lastRun()).toEqual(failedStart);
  });

  test("a run that fails before its first step does not create a missing store to record the failure", async () => {
    const environment = {
      SHARE_STORE: join(world.folder, "missing"),
      SHARE_CONFIG: join(world.folder, "missing.toml"),
    };
    expect((await host.run(["run"], { environment, folder: world.folder })).exitCode).toBe(1);
    expect(await readdir(world.folder)).not.toContain("missing");
  });

  test("a run that fails before its first step changes nothing while another run is in progress", async () => {
    const unlock = await lockFolder(world.store.run);
    const ended = await host.run(["run", "zenodo", "--store", world.store.root], { folder: world.folder });
    await unlock();
    expect([ended.exitCode, ended.stderr]).toEqual([1, expect.stringContaining("another run is active")]);
    expect(await readdir(world.store.run)).not.toContain("last.json");
  });
});
