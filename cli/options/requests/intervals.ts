/** --every: how long a source rests between two harvests, for all of them and for some. */

import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../exit-codes.ts";

/** Milliseconds, by source; of all others `else`. */
export interface Intervals {
  readonly else: number;
  readonly of: ReadonlyMap<string, number>;
}

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { m: HOUR / 60, h: HOUR, d: 24 * HOUR };

/** Hours, less than a day: a timer that runs every night, some minutes sooner than the night before, finds every source due. */
const USUAL = 20;
const DEFAULT = `${USUAL}h`;

const NOTHING: Intervals = { else: USUAL * HOUR, of: new Map() };

export const everyOption = new Option(
  "--every <intervals...>",
  `how long after a harvest of a source began it is due again, such as ${DEFAULT}, 90m or 7d; of one source: zenodo=7d (default: ${DEFAULT})`,
).argParser((text: string, before: Intervals = NOTHING): Intervals => {
  const [, source, number = "", unit = ""] = /^(?:([a-z_]+)=)?(\d{1,5})([mhd])$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) throw new InvalidArgumentError("expected a time such as 20h, 90m or 7d, or zenodo=7d.");
  const interval = Number(number) * factor;
  return source === undefined
    ? { ...before, else: interval }
    : { ...before, of: new Map([...before.of, [source, interval]]) };
});

/**
 * The interval of each source.
 * @throws UsageError where one has an interval and is none of them
 */
export function intervalOf(
  { of, else: otherwise }: Intervals = NOTHING,
  sources: readonly string[],
): (source: string) => number {
  const stranger = [...of.keys()].find((each) => !sources.includes(each));
  if (stranger !== undefined) {
    throw new UsageError(`--every ${stranger}=…: this run harvests ${sources.join(", ")}, and not ${stranger}`);
  }
  return (source) => of.get(source) ?? otherwise;
}
