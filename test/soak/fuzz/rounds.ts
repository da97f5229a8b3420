/**
 * Rounds of a fuzz: as many as there is time for, each drawn from a seed of its own, so that a failure names what
 * repeats it: `FUZZ_SEED=… FUZZ_ROUND=…`. `FUZZ_SECONDS` is how long each door is tried, ten minutes without it.
 */

import { watchMemory } from "../../../bench/measure.ts";
import { mostBlocked } from "../../support/blocked.ts";
import { Dice } from "./dice.ts";

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 600);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
const ONLY = process.env.FUZZ_ROUND === undefined ? null : Number(process.env.FUZZ_ROUND);

/** Milliseconds for a test of rounds; what hangs is ended by its own limit. */
export const FUZZ_TIME = SECONDS * 1000 + 600_000;

/** Milliseconds one round may take on a machine with other things to do. */
const LONGEST_ROUND = 120_000;

/**
 * Milliseconds of this thread's time between two turns of its event loop: a server owes them to everybody who asks, a command
 * to who presses Ctrl-C. What is left to processes of its own (stage 2, the reading of answers) keeps nobody waiting.
 */
const LONGEST_BLOCK = 200;

/** Bytes that this process and those it started may take together. */
const MOST_MEMORY = 2 * 1024 ** 3;

/** Does what is under fuzz, and holds it to what it owes whoever else waits for the event loop. */
export type Unblocked = <T>(work: () => Promise<T>) => Promise<T>;

/** Plays until the time is up; the first fault ends it. Each door says what of a round is the product's work and not its own. */
export async function playRounds(
  play: (dice: Dice, round: number, unblocked: Unblocked) => Promise<void>,
): Promise<void> {
  const until = performance.now() + SECONDS * 1000;
  const memoryAtPeak = watchMemory();
  let rounds = 0;
  let longest = 0;
  const unblocked: Unblocked = async (work) => {
    // What is refused is watched as well.
    const { result, blocked } = await mostBlocked(() => Promise.allSettled([work()]));
    longest = Math.max(longest, blocked);
    if (blocked > LONGEST_BLOCK) throw new Error(`the event loop stood still for ${Math.round(blocked)} ms`);
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
  if (memory > MOST_MEMORY) throw new Error(`FUZZ_SEED=${SEED}: ${Math.round(memory / 1024 ** 2)} MiB at the peak`);
  if (longest === 0) throw new Error("nobody looked whether the event loop turns");
  const held = `${Math.round(memory / 1024 ** 2)} MiB and ${Math.round(longest)} ms of blocking at the most`;
  process.stderr.write(`${rounds} rounds, ${held}, FUZZ_SEED=${SEED}\n`);
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`a round took more than ${LONGEST_ROUND} ms`)), LONGEST_ROUND);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
