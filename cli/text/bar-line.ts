/** One line of progress: as much of it as the terminal has columns, the most telling first. */

import { duration } from "./duration.ts";

export interface BarState {
  /** What is being done. */
  readonly label: string;
  /** Of the whole command, 0 to 1; null where nobody knows how much there is. */
  readonly fraction: number | null;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
  /** Of the unit, a second; null where it says nothing, as of steps or of a moment. */
  readonly rate: number | null;
  /** Seconds since it began. */
  readonly elapsed: number;
  /** Seconds to go, or null. */
  readonly left: number | null;
}

const BAR = { least: 8, most: 30 } as const;

/** At most `columns` characters. */
export function barLine(state: BarState, columns: number): string {
  const time = state.left === null || state.fraction === 1 ? duration(state.elapsed) : `${duration(state.left)} left`;
  const always = state.fraction === null ? [] : [`${String(Math.floor(100 * state.fraction)).padStart(3)} %`];
  const parts = [...always, time, ...countText(state), ...rateText(state)];
  const label = state.label.slice(0, Math.max(12, columns - 60));
  // What does not fit is left out from the end.
  while (parts.length > 1 && width([label, ...parts]) + roomOfBar(state) > columns) parts.pop();
  const room = Math.min(BAR.most, columns - width([label, ...parts]) - 4);
  const bar = state.fraction === null || room < BAR.least ? [] : [`[${barOf(state.fraction, room)}]`];
  return [label, ...bar, ...parts].join("  ").slice(0, columns);
}

function roomOfBar({ fraction }: BarState): number {
  return fraction === null ? 0 : BAR.least + 4;
}

function width(parts: readonly string[]): number {
  return parts.join("  ").length;
}

function barOf(fraction: number, room: number): string {
  return "=".repeat(Math.floor(fraction * room)).padEnd(room, "-");
}

function countText({ done, total, unit }: BarState): string[] {
  if (unit === "steps") return [];
  if (unit === "bytes") return [total === null ? bytes(done) : `${bytes(done)} of ${bytes(total)}`];
  const count = total === null ? grouped(done) : `${grouped(done)}/${grouped(total)}`;
  return [`${count} ${done === 1 && total === null ? unit.replace(/s$/, "") : unit}`];
}

function rateText({ rate, unit }: BarState): string[] {
  if (rate === null || unit === "steps" || unit === "parts") return [];
  if (unit === "bytes") return [`${bytes(rate)}/s`];
  return [rate < 10 ? `${rate.toFixed(1)}/s` : `${grouped(Math.round(rate))}/s`];
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}

/** A size as people read it, such as `1.5 MB`. */
export function bytes(count: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(count, 1)) / 3));
  const figure = count / 1000 ** power;
  return `${figure < 10 && power > 0 ? figure.toFixed(1) : Math.round(figure)} ${["B", "kB", "MB", "GB", "TB"][power]}`;
}
