/**
 * Kills a server while it writes, and starts it again. An acknowledged write must be stored, and a write without a response
 * must be stored as a whole or not at all. Each write has a user of its own, so that the tables show its effect.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { Random } from "../../fixtures/generate/random.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type ResearcherRow, researcherList } from "../../schemas/public/api/researcher.ts";
import { digestOfKey } from "../../server/accounts/api-keys.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { accountOfEmail, accountOfOrcid, digestOfToken, newToken, Sessions } from "../../server/accounts/sessions.ts";
import type { AccountTables } from "../../server/accounts/tables.ts";
import { keyIn } from "../limits/test-app.ts";
import { ask, type Reply } from "../server/ask.ts";
import { makeRecordId, SPECIAL } from "../server/test-store.ts";
import { type Serving, startServing } from "../support/serving.ts";

type Db = Kysely<AccountTables>;

interface KilledWrite {
  readonly name: string;
  /** The HTTP status of a successful response to this write. */
  readonly status: number;
  send(port: number): Promise<Reply>;
  /**
   * Returns, for each table that the write changes, whether the change is stored. All values must be equal, and true if the
   * write was acknowledged.
   */
  parts(reply: Reply | undefined): Promise<boolean[]>;
}

/** A user who sends one write, with everything that the write may need. */
interface Writer {
  readonly index: number;
  readonly id: string;
  /** Token of the user's session. */
  readonly token: string;
  /** Token of a sign-in link, which creates another user. */
  readonly link: string;
  readonly email: string;
  /** The IP address from which the user sends the write. No other user has it. */
  readonly address: string;
  readonly researcher: ResearcherRow;
}

const NOTE = "written before the kill";
const RECORD = makeRecordId(SPECIAL.winner);
/** Id of a record that every user has saved before the writes. */
const BEFORE = makeRecordId(SPECIAL.oddRepository);

async function prepareWrites(accounts: Accounts, port: number, count: number): Promise<KilledWrite[]> {
  const { text } = await ask(port, "/authors?limit=100");
  const researchers = researcherList.parse(JSON.parse(text)).data;
  const writers = await accounts.db.transaction().execute((trx) => peopleFor(trx, researchers, count));
  return writers.map((writer, i) => (KINDS[i % KINDS.length] ?? saving)(writer, accounts));
}

/** Creates `count` users with sessions. Sessions start at the real time, because the server uses the real clock. */
async function peopleFor(trx: Db, researchers: readonly ResearcherRow[], count: number): Promise<Writer[]> {
  const [now, sessions] = [new Date(), new Sessions({ db: trx }, () => new Date())];
  const proved = new Set<string>();
  const writers: Writer[] = [];
  for (let index = 0; index < count; index += 1) {
    const researcher = researchers[index % researchers.length];
    if (researcher === undefined) throw new Error("the release has no researchers");
    const { orcid } = researcher;
    const isOwn = orcid !== null && !proved.has(orcid);
    if (isOwn) proved.add(orcid);
    const email = `writer-${index}@example.org`;
    const { id } = isOwn
      ? await accountOfOrcid(trx, { orcid, name: null }, now)
      : await accountOfEmail(trx, email, now);
    const { token } = await sessions.open(id, { method: "mail", agent: null });
    const address = `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}`;
    const writer = { index, id, token, link: newToken(), email: `by-link-${index}@example.org`, address, researcher };
    await before(trx, writer, now);
    writers.push(writer);
  }
  return writers;
}

/** Inserts the rows for one user that its write may change or use: a saved record and a sign-in link. */
async function before(trx: Db, { id, link, email }: Writer, now: Date): Promise<void> {
  const at = now.toISOString();
  const saved = { account_id: id, record_id: BEFORE, note: "before", saved_at: at, updated_at: at };
  await trx.insertInto("saved_record").values(saved).execute();
  const expires = new Date(now.getTime() + 900_000).toISOString();
  await trx
    .insertInto("magic_link")
    .values({ digest: digestOfToken(link), email, return_to: "/", created_at: at, expires_at: expires })
    .execute();
}

type Kind = (writer: Writer, accounts: Accounts) => KilledWrite;

/**
 * Returns a function that sends a request as a page of the site does. X-Forwarded-For gives each user an address, so that no
 * limit applies.
 */
function send({ token, address }: Writer, method: string, path: string, body?: object): KilledWrite["send"] {
  return (port) => {
    const origin = `http://localhost:${port}`;
    const headers = { origin, cookie: `share_session=${token}`, "x-forwarded-for": address };
    if (body === undefined) return ask(port, path, { method, headers });
    return ask(port, path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  };
}

async function exists(query: { executeTakeFirst(): Promise<object | undefined> }): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined;
}

/** Selects the rows of a table that belong to the user. */
function ofWriter({ db }: Accounts, table: "session" | "saved_author" | "profile_claim" | "measurement", id: string) {
  return db.selectFrom(table).select("account_id").where("account_id", "=", id);
}

function savedRecord({ db }: Accounts, { id }: Writer, recordId: string) {
  return db.selectFrom("saved_record").select("note").where("account_id", "=", id).where("record_id", "=", recordId);
}

const saving: Kind = (writer, accounts) => ({
  name: `${writer.index}: a saved record`,
  status: 201,
  send: send(writer, "POST", "/account/saved-records", { recordId: RECORD, note: NOTE }),
  parts: async () => [await exists(savedRecord(accounts, writer, RECORD).where("note", "=", NOTE))],
});

const forgetting: Kind = (writer, accounts) => ({
  name: `${writer.index}: a record removed from the saved ones`,
  status: 200,
  send: send(writer, "DELETE", `/account/saved-records/${BEFORE}`),
  parts: async () => [!(await exists(savedRecord(accounts, writer, BEFORE)))],
});

const savingAuthor: Kind = (writer, accounts) => ({
  name: `${writer.index}: a saved author`,
  status: 201,
  send: send(writer, "POST", "/account/saved-authors", { authorSlug: writer.researcher.slug, note: NOTE }),
  parts: async () => [await exists(ofWriter(accounts, "saved_author", writer.id))],
});

const submitting: Kind = (writer, { db }) => ({
  name: `${writer.index}: a submission`,
  status: 201,
  send: send(writer, "POST", "/account/dataset-submissions", { identifier: `zenodo/${70_000_000 + writer.index}` }),
  parts: async () => [
    await exists(db.selectFrom("dataset_submission").select("id").where("account_id", "=", writer.id)),
  ],
});

/**
 * Claims a researcher. If the user has the researcher's ORCID iD, the claim is approved at once, which adds an entry to the log
 * of decisions.
 */
const claiming: Kind = (writer, { db }) => ({
  name: `${writer.index}: a claim`,
  status: 201,
  send: send(writer, "POST", "/account/profile-claims", { authorSlug: writer.researcher.slug }),
  async parts() {
    const claims = await db
      .selectFrom("profile_claim")
      .select(["id", "state"])
      .where("account_id", "=", writer.id)
      .execute();
    const [claim] = claims;
    if (claim === undefined) return [false];
    const logged = await exists(db.selectFrom("audit_event").select("number").where("subject_id", "=", claim.id));
    return [claims.length === 1, logged === (claim.state === "approved")];
  },
});

const measuring: Kind = (writer, accounts) => ({
  name: `${writer.index}: a measurement`,
  status: 201,
  send: send(writer, "POST", "/account/measurements", { identifier: SPECIAL.winner }),
  parts: async () => [await exists(ofWriter(accounts, "measurement", writer.id).where("record_id", "=", RECORD))],
});

/** Registers an API key, which stores the key and counts the registration towards the hourly limit. */
const registering: Kind = (writer, { db, pseudonym }) => ({
  name: `${writer.index}: a registration`,
  status: 201,
  send: send(writer, "POST", "/api-keys/register", { name: `writer ${writer.index}`, email: writer.email }),
  async parts(reply) {
    const subject = pseudonym(`registration ${writer.address}`);
    const keys = db.selectFrom("api_key").select("id").where("name", "=", `writer ${writer.index}`);
    const shown = reply?.status === 201 ? keys.where("digest", "=", digestOfKey(keyIn(reply.text))) : keys;
    return [
      await exists(shown),
      await exists(db.selectFrom("attempt_window").select("subject").where("subject", "=", subject)),
    ];
  },
});

/**
 * Signs in by a link, which marks the link as used, and creates an account with a session. The response has the session's
 * token.
 */
const signingIn: Kind = (writer, { db }) => ({
  name: `${writer.index}: a consumed link`,
  status: 201,
  send: send({ ...writer, token: "" }, "POST", "/auth/magic/consume", { token: writer.link }),
  async parts(reply) {
    const links = db.selectFrom("magic_link").select("digest").where("digest", "=", digestOfToken(writer.link));
    const accounts = db.selectFrom("account").select("id").where("email", "=", writer.email);
    const sessions = db.selectFrom("session").select("id").where("account_id", "in", accounts);
    const [, token] = /share_session=([\w-]{43})/.exec(reply?.headers["set-cookie"]?.join() ?? "") ?? [];
    const shown = token === undefined ? sessions : sessions.where("digest", "=", digestOfToken(token));
    return [await exists(links.where("used_at", "is not", null)), await exists(accounts), await exists(shown)];
  },
});

const leaving: Kind = (writer, accounts) => ({
  name: `${writer.index}: a sign-out`,
  status: 201,
  send: send(writer, "POST", "/auth/logout"),
  parts: async () => [!(await exists(ofWriter(accounts, "session", writer.id)))],
});

/** Erases the account, which deletes the account and every row that belongs to it. */
const erasing: Kind = (writer, accounts) => ({
  name: `${writer.index}: an erased account`,
  status: 200,
  send: send(writer, "DELETE", "/account/me"),
  parts: async () => [
    !(await exists(accounts.db.selectFrom("account").select("id").where("id", "=", writer.id))),
    !(await exists(ofWriter(accounts, "session", writer.id))),
    !(await exists(savedRecord(accounts, writer, BEFORE))),
  ],
});

/**
 * Kinds of writes, which users send in turn. Most that change several tables are listed twice, because these are the ones that
 * a kill could leave half done.
 */
const KINDS: readonly Kind[] = [
  signingIn,
  registering,
  erasing,
  saving,
  claiming,
  signingIn,
  measuring,
  registering,
  erasing,
  savingAuthor,
  submitting,
  forgetting,
  leaving,
];

/**
 * Checks an SQLite file, and returns "ok" or its faults. For PostgreSQL it returns "ok", because PostgreSQL checks its files
 * itself.
 */
async function checkIntegrity({ db, kind }: Accounts): Promise<string> {
  if (kind === "postgres") return "ok";
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  const { rows: orphans } = await sql`pragma foreign_key_check`.execute(db);
  return orphans.length > 0 ? `${orphans.length} orphans` : rows.map((row) => row.integrity_check).join();
}

export interface KillOptions {
  /** A store with an active release. If `target` is an SQLite file, it is `<store>/accounts.sqlite`. */
  readonly store: Pick<Store, "root">;
  readonly target: AccountTarget;
  readonly writes: number;
  readonly kills: number;
  readonly seed: number;
}

export interface Survived {
  readonly acknowledged: number;
  /** Number of writes whose response was cut off by a kill. */
  readonly cut: number;
  /** Names of writes that were acknowledged but are not stored, or only in part. */
  readonly lost: readonly string[];
  /** Names of writes of which only a part is stored. */
  readonly half: readonly string[];
  /** Names of writes whose response was neither a success nor cut off. */
  readonly rejected: readonly string[];
  readonly integrity: string;
}

/** Number of simultaneous writes. */
const LANES = 8;
/** Maximum time in milliseconds between a response and the kill that follows it. */
const KILL_WITHIN_MILLISECONDS = 4;

export async function killDuringWrites(options: KillOptions): Promise<Survived> {
  const { target, writes: count, kills, seed } = options;
  const accounts = await openAccounts(target);
  const random = new Random(seed, 0, 0);
  let server = start(options);
  try {
    const writes = await prepareWrites(accounts, (await server).port, count);
    const replies = new Map<KilledWrite, Reply>();
    const waiting = [...writes];
    let killed = 0;
    let killing = false;
    const lane = async () => {
      for (let write = waiting.shift(); write !== undefined; write = waiting.shift()) {
        const reply = await write.send((await server).port).catch(() => null);
        if (reply === null) continue;
        replies.set(write, reply);
        if (killing || killed >= kills || replies.size < ((killed + 1) * count) / (kills + 2)) continue;
        killing = true;
        await sleep(random.unit() * KILL_WITHIN_MILLISECONDS);
        server = server.then(kill).then(() => start(options));
        killing = false;
        killed += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await kill(await server);
    const came = await Promise.all(
      writes.map(async (write) => ({ write, reply: replies.get(write), parts: await write.parts(replies.get(write)) })),
    );
    const named = (those: typeof came) => those.map(({ write, reply }) => `${write.name}: ${reply?.text ?? "cut off"}`);
    const isDone = ({ write, reply }: (typeof came)[number]) => reply?.status === write.status;
    return {
      acknowledged: came.filter(isDone).length,
      cut: came.filter(({ reply }) => reply === undefined).length,
      lost: named(came.filter((one) => isDone(one) && one.parts.includes(false))),
      half: named(came.filter(({ parts }) => parts.includes(true) && parts.includes(false))),
      rejected: named(came.filter((one) => one.reply !== undefined && !isDone(one))),
      integrity: await checkIntegrity(accounts),
    };
  } finally {
    await kill(await server);
    await accounts.close();
  }
}

/** Starts `share-release serve` with a rate limit that the writes do not reach. */
function start({ store, target }: Pick<KillOptions, "store" | "target">): Promise<Serving> {
  const parameters = ["--store", store.root, "--threads", "1", "--rate", "1000000", "--trust-proxy", "127.0.0.1"];
  const databaseUrl = "postgres" in target ? target.postgres : "";
  return startServing(parameters, { DATABASE_URL: databaseUrl, SHARE_LOG_LEVEL: "error" });
}

async function kill(server: Serving): Promise<void> {
  await server.end("SIGKILL");
}
