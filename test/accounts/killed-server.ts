/**
 * A server that is killed while it writes, and started again: what it had acknowledged must be there, and of what it was
 * about to write all or nothing. Every write is somebody else's, so that what came of it is seen in the tables.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../fixtures/generate/random.ts";
import type { AccountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { openAccounts } from "../../server/accounts/database.ts";
import type { Reply } from "../server/ask.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { integrityOf, type KilledWrite, prepareWrites } from "./killed-writes.ts";

export interface KillOptions {
  /** With an active release; `<store>/accounts.sqlite` is the store of accounts where `target` is an SQLite file. */
  readonly store: Pick<Store, "root">;
  readonly target: AccountTarget;
  readonly writes: number;
  readonly kills: number;
  readonly seed: number;
}

export interface Survived {
  readonly acknowledged: number;
  /** Writes whose answer a kill cut off. */
  readonly cut: number;
  /** Acknowledged, and not there. */
  readonly lost: readonly string[];
  /** In part there. */
  readonly half: readonly string[];
  /** Answered with something else than that it is done. */
  readonly refused: readonly string[];
  readonly integrity: string;
}

/** So many at once. */
const LANES = 8;
/** After the write that brings it about, a kill comes within so long. */
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
      refused: named(came.filter((one) => one.reply !== undefined && !isDone(one))),
      integrity: await integrityOf(accounts),
    };
  } finally {
    await kill(await server);
    await accounts.close();
  }
}

/** With more room than people have. */
function start({ store, target }: Pick<KillOptions, "store" | "target">): Promise<Serving> {
  const parameters = ["--store", store.root, "--threads", "1", "--rate", "1000000", "--trust-proxy", "127.0.0.1"];
  const databaseUrl = "postgres" in target ? target.postgres : "";
  return startServing(parameters, { DATABASE_URL: databaseUrl, SHARE_LOG_LEVEL: "error" });
}

async function kill(server: Serving): Promise<void> {
  await server.end("SIGKILL");
}
