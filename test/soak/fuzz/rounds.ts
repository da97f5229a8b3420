/**
 * Runs as many rounds of a fuzz test as time allows. Each round has its own seed, so that the message of a failure can say how to
 * repeat the round: `FUZZ_SEED=… FUZZ_ROUND=…`. `FUZZ_SECONDS` is the duration of each fuzz test, by default ten minutes.
 */

import { watchMemory } from "../../../bench/measure.ts";
import { mostBlocked } from "../../support/blocked.ts";
import { Dice } from "./dice.ts";

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 600);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
const ONLY = process.env.FUZZ_ROUND === undefined ? null : Number(process.env.FUZZ_ROUND);

/** Timeout in milliseconds for a whole test of rounds. Each round also has its own limit. */
export const FUZZ_TIME = SECONDS * 1000 + 600_000;

/** Milliseconds that one round may take on a busy machine. */
const MAX_ROUND_MS = 120_000;

/**
 * Milliseconds of CPU time that this thread may use between two turns of its event loop. A longer block delays every client of
 * a server, and a user who presses Ctrl-C. Work in separate processes (stage 2, reading responses) does not block the loop.
 */
const MAX_BLOCK_MS = 200;

/** Bytes that this process and its children may use together. */
const MAX_MEMORY = 2 * 1024 ** 3;

/** Runs work of the product, and fails if the work blocks the event loop too long. */
export type Unblocked = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs rounds until the time is up or a round fails. `play` must run the work of the product with `unblocked`. */
export async function playRounds(
  play: (dice: Dice, round: number, unblocked: Unblocked) => Promise<void>,
): Promise<void> {
  const until = performance.now() + SECONDS * 1000;
  const memoryAtPeak = watchMemory();
  let rounds = 0;
  let longest = 0;
  const unblocked: Unblocked = async (work) => {
    // Rejected work is measured as well.
    const { result, blocked } = await mostBlocked(() => Promise.allSettled([work()]));
    longest = Math.max(longest, blocked);
    if (blocked > MAX_BLOCK_MS)
      throw new Error(
        `the event loop was blocked for ${Math.round(blocked)} ms, but may be blocked for ${MAX_BLOCK_MS} ms at most`,
      );
    const [ended] = result;
    if (ended.status === "rejected") throw ended.reason;
    return ended.value;
  };
  for (let round = ONLY ?? 0; performance.now() < until; round += 1) {
    try {
      await inTime(play(new Dice(SEED * 1_000_003 + round), round, unblocked));
    } catch (error) {
      throw new Error(`FUZZ_SEED=${SEED} FUZZ_ROUND=${round}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
    rounds += 1;
    if (ONLY !== null) break;
  }
  const memory = memoryAtPeak();
  if (memory > MAX_MEMORY)
    throw new Error(
      `FUZZ_SEED=${SEED}: the processes used ${Math.round(memory / 1024 ** 2)} MiB together, which is too much`,
    );
  if (longest === 0) throw new Error("no round ran its work with `unblocked`, so the event loop was not watched");
  const held = `${Math.round(memory / 1024 ** 2)} MiB and ${Math.round(longest)} ms of blocking at the most`;
  process.stderr.write(`${rounds} rounds, ${held}, FUZZ_SEED=${SEED}\n`);
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`a round took more than ${MAX_ROUND_MS} ms`)), MAX_ROUND_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
