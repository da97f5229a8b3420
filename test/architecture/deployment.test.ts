/**
 * Runs the commands of the operator guide for buckets, mail, ORCID, PostgreSQL and moderation, with real services on
 * loopback. Only URLs, folders, ids and secrets differ from those in the guide.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { newResearcher, Requests } from "../moderate/requests.ts";
import { BUCKET, CREDENTIALS, startS3 } from "../publish/s3-server.ts";
import { ask } from "../server/ask.ts";
import { type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { openIdentityProvider } from "../sign-in/identity-provider.ts";
import { openMailbox } from "../sign-in/mailbox.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { SHARE_RELEASE } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { POSTGRES_PROGRAMS, startPostgres } from "../support/postgres.ts";
import { type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";
import { fencedBlocks } from "./fenced-blocks.ts";

const SELF = "test/architecture/deployment.test.ts";
const GUIDE = join(REPOSITORY, "docs/operate");
const pages = (await readdir(GUIDE)).filter((name) => name.endsWith(".md"));
const blocks = await Promise.all(pages.map(async (name) => fencedBlocks(await readFile(join(GUIDE, name), "utf8"))));
const handed = blocks.flat().filter(({ runBy }) => runBy === SELF);

/** The first words of every block that this suite runs. */
const RUN = {
  folder: "share-release release publish --to /srv/www/scores",
  bucket: "share-release release publish --to s3://scores/share",
  pages: "share-release release publish --to s3://scores --pages",
  signIn: "SMTP_URL=",
  move: "cd /srv/share",
  postgres: "pg_dump",
  moderation: "share-release account decide c51",
};

let raw: ReleasedStore;
let beside: TemporaryStore;
let programs: string;

beforeAll(async () => {
  raw = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
  beside = await temporaryStore();
  programs = join(beside.folder, "bin");
  await command("share-release", `exec node '${SHARE_RELEASE}' "$@"`);
}, 300_000);

afterAll(async () => {
  await raw[Symbol.asyncDispose]();
  await beside[Symbol.asyncDispose]();
});

/** Adds a shell script as a command to the first folder of the PATH. */
async function command(name: string, script: string): Promise<void> {
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs, name), 0o755);
}

/**
 * Returns the code block of the guide that begins with the given words, after replacements. Each replaced word must occur in
 * it.
 */
function block(beginning: string, instead: Readonly<Record<string, string>>): string {
  const found = handed.filter(({ text: words }) => words.startsWith(beginning));
  expect([beginning, found.length]).toEqual([beginning, 1]);
  return Object.entries(instead).reduce((words, [from, to]) => {
    expect(words).toContain(from);
    return words.replaceAll(from, to);
  }, found[0]?.text ?? "");
}

type Environment = Readonly<Record<string, string>>;

function start(script: string, environment: Environment): ChildProcess {
  const { DATABASE_URL: _database, SMTP_URL: _mail, ...inherited } = process.env;
  return spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: beside.folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, SHARE_STORE: raw.store.root, ...environment, PATH: `${programs}:${process.env.PATH}` },
  });
}

/** Runs a shell script, which must succeed, and returns its output. */
async function run(script: string, environment: Environment = {}): Promise<string> {
  const { child, words } = started(script, environment);
  await once(child, "close");
  const [printed, complaints] = await words;
  expect([script, child.exitCode, child.exitCode === 0 ? "" : complaints]).toEqual([script, 0, ""]);
  return printed ?? "";
}

function started(script: string, environment: Environment) {
  const child = start(script, environment);
  if (child.stdout === null || child.stderr === null) throw new Error("the shell has no output");
  return { child, words: Promise.all([text(child.stdout), text(child.stderr)]) };
}

/** Runs a server until `work` is done. `work` starts as soon as the server responds on the port. */
async function serving(script: string, port: number, environment: Environment, work: () => Promise<void>) {
  // `exec` replaces the shell with the server, so that the server gets the signals.
  const { child, words } = started(script.replace("share-release serve", "exec share-release serve"), environment);
  try {
    while (child.exitCode === null && !(await answers(port))) await sleep(100);
    await work();
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "close");
  }
  const [, complaints] = await words;
  expect([child.exitCode, child.exitCode === 0 ? "" : complaints]).toEqual([0, ""]);
}

const answers = (port: number) =>
  ask(port, "/health").then(
    ({ status }) => status === 200,
    () => false,
  );

test("this suite runs exactly the blocks of the guide that are marked with its name", () => {
  const begun = Object.values(RUN);
  expect(
    handed.map(({ text: words }) => begun.find((beginning) => words.startsWith(beginning)) ?? words).sort(),
  ).toEqual(begun.toSorted());
});

test("publishing to a folder writes the pages of the release as files", { timeout: 300_000 }, async () => {
  const folder = join(beside.folder, "scores");
  await run(block(RUN.folder, { "/srv/www/scores": folder }));
  expect(existsSync(join(folder, "pages/current/metrics/live.json"))).toBe(true);
});

test("a release can be published to a bucket, first as a dry run, and with its pages for a CDN", {
  timeout: 300_000,
}, async () => {
  await using s3 = await startS3();
  const environment = { ...CREDENTIALS, AWS_ENDPOINT_URL: s3.url };
  const digest = raw.receipt.releaseDigest;
  const instead = { "sha256:3f9c": digest.slice(0, 16), "https://s3.example.org": s3.url };
  const printed = await run(block(RUN.bucket, instead), environment);
  expect(printed).toContain("would be sent");
  expect(await s3.keys()).toContain("current");
  // The dry run wrote nothing below its prefix.
  expect((await s3.keys()).filter((key) => key.startsWith("share/"))).toEqual([]);
  await run(block(RUN.pages, {}), environment);
  expect((await s3.keys()).some((key) => /^records\/r[0-9a-f]{24}$/.test(key))).toBe(true);
  expect(BUCKET).toBe("scores");
});

test("users can sign in by email and with ORCID", { timeout: 300_000 }, async () => {
  await using made = await temporaryStore();
  await mkdir(made.store.root, { recursive: true });
  const [mailbox, provider, port] = [await openMailbox(), await openIdentityProvider(), await freePort()];
  provider.allow("https://share.example/auth/orcid/callback");
  const script = block(RUN.signIn, {
    "smtps://share:…@mail.example:465": mailbox.url,
    "APP-…": provider.clientId,
    "ORCID_CLIENT_SECRET=…": `ORCID_CLIENT_SECRET=${provider.clientSecret}`,
    "/srv/share": made.store.root,
    "8081": String(port),
  });
  try {
    await serving(script, port, { ORCID_ISSUER: provider.issuer }, async () => {
      const begun = await ask(port, "/auth/orcid/start?returnTo=/me", { headers: { accept: "application/json" } });
      expect(JSON.parse(begun.text)).toEqual({ authorizationUrl: expect.stringContaining(provider.issuer) });
      const asked = await ask(port, "/auth/magic/request", {
        method: "POST",
        headers: { origin: "https://share.example", "content-type": "application/json" },
        body: '{"email": "you@example.org"}',
      });
      expect(asked.status).toBe(201);
      const { to, email } = await mailbox.next();
      expect(to).toEqual(["you@example.org"]);
      expect(email.text).toContain("https://share.example/auth/magic#token=");
    });
  } finally {
    await provider.close();
    await mailbox.close();
  }
});

test("a moderator can look at a claim, approve the claim, and reject a request", async () => {
  const accounts = await openAccounts({ sqlite: join(raw.store.root, "accounts.sqlite") });
  const requests = new Requests(accounts);
  const who = await requests.account("asking@example.org");
  const [hers, other] = [newResearcher(), newResearcher()];
  const claim = await requests.claim(who, hers);
  const earlier = await requests.claim(who, other);
  const request = await requests.visibility(who, other, "opt_out");
  await accounts.close();
  await run(`share-release account decide ${earlier} approve`);
  const printed = await run(
    block(RUN.moderation, { c51f0be7a9d3c2468e07b1f92: claim, v7c20d9e41b6f3a85d01e9c47: request }),
  );
  expect(printed).toContain("asking@example.org");
  const log = await run("share-release account log");
  expect(log).toContain("ada");
  expect(log).toContain("We could not reach you.");
});

describe.skipIf(POSTGRES_PROGRAMS === null)("accounts in PostgreSQL", () => {
  test("accounts in SQLite can be moved to PostgreSQL, with the decisions of moderators", {
    timeout: 300_000,
  }, async () => {
    const server = await startPostgres();
    await using place = await temporaryStore();
    try {
      const before = await openAccounts({ sqlite: join(place.folder, "accounts.sqlite") });
      const requests = new Requests(before);
      const id = await requests.account("moved@example.org");
      await requests.claim(id, newResearcher(), 'a "slug", with signs');
      await writeAudit(before, "first");
      const secrets = await before.db.selectFrom("secret").selectAll().execute();
      await before.close();
      const url = await server.database();
      await (await openAccounts({ postgres: url })).close();
      await run(block(RUN.move, { "/srv/share": place.folder }), { DATABASE_URL: url });
      const moved = await openAccounts({ postgres: url });
      await writeAudit(moved, "second");
      const { db } = moved;
      expect({
        accounts: await db.selectFrom("account").select(["id", "email", "name"]).execute(),
        claims: await db.selectFrom("profile_claim").select(["slug", "decision_reason"]).execute(),
        events: await db.selectFrom("audit_event").select("subject_id").orderBy("number").execute(),
        secrets: await db.selectFrom("secret").selectAll().execute(),
      }).toEqual({
        accounts: [{ id, email: "moved@example.org", name: null }],
        claims: [{ slug: 'a "slug", with signs', decision_reason: null }],
        events: [{ subject_id: "first" }, { subject_id: "second" }],
        secrets,
      });
      await moved.close();
    } finally {
      await server.stop();
    }
  });

  test("accounts in PostgreSQL can be backed up and restored with pg_dump as the guide describes", {
    timeout: 300_000,
  }, async () => {
    const server = await startPostgres();
    try {
      const url = await server.database();
      const accounts = await openAccounts({ postgres: url });
      await new Requests(accounts).account("kept@example.org");
      await accounts.close();
      await run(block(RUN.postgres, {}), { DATABASE_URL: url });
      const again = await openAccounts({ postgres: url });
      const kept = await again.db.selectFrom("account").selectAll().execute();
      await again.close();
      expect(kept).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });
});

/** Writes a moderator's decision into the log of an account store. */
async function writeAudit({ db }: Accounts, subject: string): Promise<void> {
  const event = { actor: "ada", action: "approve", subject_kind: "claim", subject_id: subject, detail: "{}" };
  await db
    .insertInto("audit_event")
    .values({ at: "2026-11-02T12:00:00.000Z", ...event })
    .execute();
}
