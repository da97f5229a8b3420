/**
 * Rounds of a fuzz: as many as there is time for, each drawn from a seed of its own, so that a failure names what
 * repeats it: `FUZZ_SEED=… FUZZ_ROUND=…`. `FUZZ_SECONDS` is how long each door is tried, ten minutes without it.
 */

import { watchMemory } from "../../../bench/process-memory.ts";
import { Dice } from "./dice.ts";

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 600);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
const ONLY = process.env.FUZZ_ROUND === undefined ? null : Number(process.env.FUZZ_ROUND);

/** Milliseconds for a test of rounds; what hangs is ended by its own limit. */
export const FUZZ_TIME = SECONDS * 1000 + 600_000;

/** Milliseconds one round may take on a machine with other things to do. */
const LONGEST_ROUND = 120_000;

/** Bytes that this process and those it started may take together. */
const MOST_MEMORY = 2 * 1024 ** 3;

export interface Rounds {
  readonly rounds: number;
  /** Bytes at the peak. */
  readonly memory: number;
}

/** Plays until the time is up; the first fault ends it. */
export async function playRounds(play: (dice: Dice, round: number) => Promise<void>): Promise<Rounds> {
  const until = performance.now() + SECONDS * 1000;
  const memoryAtPeak = watchMemory();
  let rounds = 0;
  for (let round = ONLY ?? 0; performance.now() < until; round += 1) {
    try {
      await inTime(play(new Dice(SEED * 1_000_003 + round), round));
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
  process.stderr.write(`${rounds} rounds, ${Math.round(memory / 1024 ** 2)} MiB at the peak, FUZZ_SEED=${SEED}\n`);
  return { rounds, memory };
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
