/** Submissions that a moderator accepted, as a harvest is given them: the records of its source that are wanted. */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import type { WantedRecords } from "../../pipeline/1-harvest/index.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import type { Effects, LogEvent } from "../../pipeline/stage/effects.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { markHarvested, waitingSubmissions } from "../../server/accounts/account/submissions.ts";
import type { Accounts } from "../../server/accounts/database/index.ts";
import { accountTarget } from "../../server/accounts/database/target.ts";

/** Harvests that ask for a submission whose source does not answer; then it is refused. */
const MOST_ATTEMPTS = 5;

const NOTHING: WantedRecords = { records: [], done: async () => {} };

/**
 * Runs a harvest with the submissions of its source. An account store that is not there, or cannot be read, holds up no
 * harvest: submissions wait for the next.
 */
export async function withSubmissions<T>(
  store: Store,
  source: string,
  effects: Pick<Effects, "now" | "log">,
  harvest: (wanted: WantedRecords) => Promise<T>,
): Promise<T> {
  const accounts = await openedOrNot(store, source, effects);
  if (accounts === null) return harvest(NOTHING);
  try {
    const wanted = await wantedOf(store, source, accounts, effects).catch((error: unknown) => {
      effects.log(notRead(source, error));
      return NOTHING;
    });
    return await harvest(wanted);
  } finally {
    await accounts.close();
  }
}

async function openedOrNot(store: Store, source: string, { log }: Pick<Effects, "log">): Promise<Accounts | null> {
  try {
    const target = accountTarget(process.env.DATABASE_URL, store);
    if ("sqlite" in target && !existsSync(target.sqlite)) return null;
    const { openAccounts } = await import("../../server/accounts/database/index.ts");
    return await openAccounts(target);
  } catch (error) {
    log(notRead(source, error));
    return null;
  }
}

async function wantedOf(
  store: Store,
  source: string,
  { db }: Accounts,
  { now, log }: Pick<Effects, "now" | "log">,
): Promise<WantedRecords> {
  const mark: (outcomes: Parameters<typeof markHarvested>[2]) => Promise<void> = (outcomes) =>
    markHarvested(db, source, outcomes, now()).catch((error: unknown) => {
      // They are fetched once more by the next harvest.
      log({ level: "warn", event: "submissions-not-marked", source, message: messageOf(error) });
    });
  const waiting = await waitingSubmissions(db, source);
  const known = await knownOf(store, source, waiting);
  if (known.size > 0) await mark(new Map([...known].map((sourceId) => [sourceId, "known"])));
  const records = waiting
    .filter(({ sourceId }) => !known.has(sourceId))
    .map(({ sourceId, attempts }) => ({ sourceId, lastTry: attempts + 1 >= MOST_ATTEMPTS }));
  return { records, done: mark };
}

/**
 * Those that the active release lists, or merged into another source's record: the raw store has them. To look through the
 * raw store itself would take longer than to ask for what was harvested since.
 */
async function knownOf(
  store: Store,
  source: string,
  waiting: readonly { readonly sourceId: string }[],
): Promise<Set<string>> {
  const digest = await currentDigest(store);
  if (digest === null || waiting.length === 0) return new Set();
  const db = await openTables(releaseTablePaths(store.release(digest)), { threads: 1, memory: "256MB", asMade: true });
  try {
    const ids = new Map(waiting.map(({ sourceId }) => [recordIdOf(source, sourceId), sourceId]));
    const rows = await db.rows(
      `select id from record where id in (select unnest(string_split($ids, ',')))
       union select alias_id from alias where alias_id in (select unnest(string_split($ids, ',')))`,
      { ids: [...ids.keys()].join(",") },
    );
    return new Set(rows.flatMap(({ id }) => ids.get(String(id)) ?? []));
  } finally {
    db.close();
  }
}

/** decisions.md, "Identity of records". */
function recordIdOf(source: string, sourceId: string): string {
  return `r${hash("sha256", `${source}/${sourceId}`).slice(0, 24)}`;
}

function notRead(source: string, error: unknown): LogEvent {
  return { level: "warn", event: "submissions-not-read", source, message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
