/**
 * Kills and stops the servers of one account store at random moments while they run evaluation jobs. Database triggers record
 * every end of a job and every change to an ended job.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Random } from "../../fixtures/generate/random.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import { type EvaluationJob, evaluationJob } from "../../schemas/public/api/evaluation.ts";
import { type Accounts, openAccounts } from "../../server/accounts/database.ts";
import { ask } from "../server/ask.ts";
import { endProcess, type ServerChild, startServerChild } from "../support/killing.ts";
import { post } from "./post.ts";
import { REGISTERED, startUpstream } from "./upstream.ts";

export interface FireOptions {
  readonly jobs: number;
  readonly servers: number;
  /** How often a random server is killed and replaced by a new one. */
  readonly kills: number;
  /** How often a random server is stopped (SIGSTOP) for longer than its leases on jobs last, and then continues. */
  readonly stalls: number;
  readonly seed: number;
}

export interface Fire {
  /** Ids of the accepted jobs, by the identifier of the dataset. */
  readonly accepted: ReadonlyMap<string, string>;
  /** The final state of every job, as GET /evaluation-jobs/{id} returns it. */
  readonly jobs: readonly EvaluationJob[];
  /** Ids of jobs in the order in which they ended, as the triggers recorded them. */
  readonly ends: readonly string[];
  /** Number of changes to jobs that had already ended. */
  readonly afterwards: number;
  /** Number of jobs that were started more than once. */
  readonly repeated: number;
}

const LEASE_MILLISECONDS = 700;
/** Delay of each response of a source in milliseconds. It is long enough that a kill interrupts jobs. */
const ANSWER_MILLISECONDS = 60;

export async function setFire(
  target: AccountTarget,
  { jobs, servers, kills, stalls, seed }: FireOptions,
): Promise<Fire> {
  await using cleanup = new AsyncDisposableStack();
  const store = mkdtempSync(join(tmpdir(), "share-fire-"));
  cleanup.defer(() => rmSync(store, { recursive: true, force: true }));
  const upstream = await startUpstream();
  cleanup.defer(() => upstream.close());
  upstream.delayMilliseconds = ANSWER_MILLISECONDS;
  const accounts = await openAccounts(target);
  cleanup.defer(() => accounts.close());
  await watch(accounts);

  const random = new Random(seed, 0, 0);
  const options = { store, target, upstreams: upstream.upstreams, leaseMilliseconds: LEASE_MILLISECONDS };
  const running: ServerChild[] = [];
  cleanup.defer(async () => {
    for (const server of running) await kill(server);
  });
  for (let i = 0; i < servers; i += 1) running.push(await start(options));

  const accepted = new Map<string, string>();
  const adding = addAll(REGISTERED.slice(0, jobs), running, accepted);
  for (let i = 0; i < kills + stalls; i += 1) {
    await sleep(100 + random.unit() * 900);
    const index = Math.floor(random.unit() * servers);
    const victim = running[index];
    if (victim === undefined) throw new Error("no server is left");
    if (i % 2 === 1 && i < 2 * stalls) {
      await stall(victim);
    } else {
      await kill(victim);
      running[index] = await start(options);
    }
  }
  await adding;
  const [server] = running;
  if (server === undefined) throw new Error("no server is left");
  const shown = [];
  for (const id of new Set(accepted.values())) shown.push(await ended(server.port, id));
  return { accepted, jobs: shown, ...(await seen(accounts)) };
}

const start = (options: object) => startServerChild(new URL("./server-child.ts", import.meta.url), options);
const kill = ({ process }: ServerChild) => endProcess(process, "SIGKILL");

async function stall({ process }: ServerChild): Promise<void> {
  process.kill("SIGSTOP");
  await sleep(2 * LEASE_MILLISECONDS);
  process.kill("SIGCONT");
}

/**
 * Creates a job for every identifier. Repeats a request until a server accepts it, because a server may just have been killed.
 */
async function addAll(identifiers: readonly string[], running: readonly ServerChild[], accepted: Map<string, string>) {
  for (const [i, identifier] of identifiers.entries()) {
    for (let attempt = 0; !accepted.has(identifier); attempt += 1) {
      const server = running[(i + attempt) % running.length];
      if (server === undefined) throw new Error("no server is left");
      const reply = await post(server.port, "/evaluation-jobs", { identifier }).catch(() => null);
      if (reply?.status === 202) accepted.set(identifier, evaluationJob.parse(JSON.parse(reply.text)).id);
      else await sleep(20);
    }
  }
}

async function ended(port: number, id: string): Promise<EvaluationJob> {
  for (;;) {
    const { text } = await ask(port, `/evaluation-jobs/${id}`);
    const job = evaluationJob.parse(JSON.parse(text));
    if (job.finishedAt !== null) return job;
    await sleep(50);
  }
}

/** Creates the triggers that record ends of jobs and later changes, in the SQL of the database. */
async function watch({ db, kind }: Accounts): Promise<void> {
  await sql`create table job_end (place integer, job_id text not null)`.execute(db);
  await sql`create table job_afterwards (job_id text not null)`.execute(db);
  const ends = "new.status in ('succeeded', 'failed') and old.status not in ('succeeded', 'failed')";
  const afterwards = "old.status in ('succeeded', 'failed')";
  const put = {
    ends: "insert into job_end select coalesce(max(place), 0) + 1, new.id from job_end;",
    afterwards: "insert into job_afterwards values (new.id);",
  };
  const statements =
    kind === "sqlite"
      ? [
          `create trigger ends after update on evaluation_job when ${ends} begin ${put.ends} end`,
          `create trigger afterwards after update on evaluation_job when ${afterwards} begin ${put.afterwards} end`,
        ]
      : [
          `create function watch() returns trigger language plpgsql as $$ begin
             if ${ends} then ${put.ends} end if;
             if ${afterwards} then ${put.afterwards} end if;
             return new;
           end $$`,
          "create trigger watch after update on evaluation_job for each row execute function watch()",
        ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

async function seen({ db }: Accounts): Promise<Pick<Fire, "ends" | "afterwards" | "repeated">> {
  const ends = await sql<{ job_id: string }>`select job_id from job_end order by place, job_id`.execute(db);
  const afterwards = await sql`select job_id from job_afterwards`.execute(db);
  const repeated = await db.selectFrom("evaluation_job").select("id").where("attempts", ">", 1).execute();
  return {
    ends: ends.rows.map(({ job_id }) => job_id),
    afterwards: afterwards.rows.length,
    repeated: repeated.length,
  };
}

/** Returns the properties of a run that must equal those of `allEndedOnce`. */
export function summariseFire({ accepted, jobs, ends, afterwards }: Fire) {
  return {
    accepted: accepted.size,
    jobs: new Set(jobs.map(({ id }) => id)).size,
    endedOnce: new Set(ends).size === ends.length,
    ended: ends.length,
    afterwards,
    unsuccessful: jobs.filter(({ status, result }) => status !== "succeeded" || result === null),
    mistaken: jobs.filter(({ identifier, result }) => result?.evaluation.identifier !== `datacite/${identifier}`),
  };
}

/** Returns the properties of a run in which each of this number of jobs ended once, successfully. */
export function allEndedOnce(jobs: number): ReturnType<typeof summariseFire> {
  return { accepted: jobs, jobs, endedOnce: true, ended: jobs, afterwards: 0, unsuccessful: [], mistaken: [] };
}
