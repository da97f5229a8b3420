/** Progress on standard error: one bar for the whole command on a terminal, log lines elsewhere. */

import type { Effects, LogEvent, Progress } from "../../pipeline/stage/effects.ts";
import { logLine } from "./log-line.ts";

/** The time between two lines of progress, and before the first: a command that is shorter prints none. */
const LINE_MS = 10_000;

/** Between two drawings of a bar. */
const REDRAW_MS = 100;

/** Between two looks at the clock where nothing is said. */
const TICK_MS = 1000;

/** Where nobody says how wide a terminal is. */
const COLUMNS = 80;

const CLEAR_LINE = "\r\u001b[K";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

export interface ProgressPrinter {
  readonly show: Effects["progress"];
  readonly log: Effects["log"];
  /** Leaves the last state of the bar where it is. */
  readonly stop: () => void;
}

/** `everyStep`: without a terminal, each step has a line. */
export function progressPrinter(stream: NodeJS.WriteStream, plan: Plan | null, everyStep = false): ProgressPrinter {
  return stream.isTTY === true ? bar(stream, plan) : lines(stream, everyStep);
}

function bar(stream: NodeJS.WriteStream, plan: Plan | null): ProgressPrinter {
  const whole = new WholeProgress(plan, seconds());
  let line = "";
  let drawn = Number.NEGATIVE_INFINITY;
  const draw = () => {
    stream.write(`${drawn === Number.NEGATIVE_INFINITY ? HIDE_CURSOR : ""}${CLEAR_LINE}${line}`);
    drawn = performance.now();
  };
  let latest: Progress | null = null;
  const measure = (progress: Progress) => {
    // The last column stays free: a full line would wrap on some terminals.
    line = barLine(whole.next(progress, seconds()), (stream.columns ?? COLUMNS) - 1);
  };
  const show = (progress: Progress) => {
    latest = progress;
    measure(progress);
    if (progress.done === progress.total || performance.now() - drawn >= REDRAW_MS) draw();
  };
  // Some steps are silent for long: time goes on all the same.
  const ticking = setInterval(() => {
    if (latest === null) return;
    measure(latest);
    draw();
  }, TICK_MS).unref();
  const log = (event: LogEvent) => {
    stream.write(`${line === "" ? "" : CLEAR_LINE}${logLine(event, new Date(), true)}\n${line}`);
  };
  const stop = () => {
    clearInterval(ticking);
    if (line === "") return;
    draw();
    stream.write(`${SHOW_CURSOR}\n`);
    line = "";
  };
  return { show, log, stop };
}

function lines(stream: NodeJS.WriteStream, everyStep: boolean): ProgressPrinter {
  let latest: Progress | null = null;
  const log = (event: LogEvent) => {
    stream.write(`${logLine(event, new Date(), false)}\n`);
  };
  const print = () => {
    if (latest !== null) log({ level: "info", event: "progress", ...latest });
    latest = null;
  };
  const show = (progress: Progress) => {
    latest = progress;
    if (everyStep) print();
  };
  const ticking = setInterval(print, LINE_MS).unref();
  return { show, log, stop: () => clearInterval(ticking) };
}

function seconds(): number {
  return performance.now() / 1000;
}

/** The stages of a command with the part of its time each takes, as measured; the parts add up to 1. */
export type Plan = Readonly<Record<string, number>>;

/** The plan of a build, measured on ten thousand generated records. */
export const BUILD_PLAN: Plan = { normalise: 0.3, score: 0.05, aggregate: 0.2, render: 0.3, release: 0.15 };

/** The plan of `release verify --rescore`: what comes before it takes about as long. */
export const RESCORE_PLAN: Plan = { verify: 0.25, tables: 0.25, rescore: 0.5 };

/** Before this many seconds a rate, or a time left, would be a guess from a moment. */
const SETTLED = 2;

interface Stage {
  readonly name: string;
  readonly began: number;
  /** What it had done when it was first heard of: work taken over is no work of this run. */
  readonly first: number;
}

export class WholeProgress {
  readonly #plan: Plan | null;
  readonly #began: number;
  #stage: Stage | null = null;
  #fraction = 0;

  /** `now` in seconds; without a plan each stage is a whole of its own. */
  constructor(plan: Plan | null, now: number) {
    this.#plan = plan;
    this.#began = now;
  }

  /** How it stands after a stage said this. */
  next(progress: Progress, now: number): BarState {
    const { stage: name, step, done, total, unit } = progress;
    if (this.#stage?.name !== `${name} ${unit}`) this.#stage = { name: `${name} ${unit}`, began: now, first: done };
    const { began, first } = this.#stage;
    const fraction = this.#fractionOf(progress);
    const elapsed = now - this.#began;
    const rate = now - began >= SETTLED && done > first ? (done - first) / (now - began) : null;
    const left = this.#leftAt({ fraction, elapsed, rate, done, total });
    return { label: this.#label(name, step), fraction, done, total, unit, rate, elapsed, left };
  }

  /** Never goes back: stages tell of themselves in their own ways. */
  #fractionOf({ stage, done, total }: Progress): number | null {
    const share = total === null ? null : Math.min(1, done / Math.max(total, 1));
    if (this.#plan === null) return share;
    const names = Object.keys(this.#plan);
    const before = names.slice(0, Math.max(0, names.indexOf(stage))).reduce((sum, each) => sum + this.#part(each), 0);
    this.#fraction = Math.max(this.#fraction, before + this.#part(stage) * (share ?? 0));
    return this.#fraction;
  }

  #part(stage: string): number {
    return this.#plan?.[stage] ?? 0;
  }

  #leftAt({
    fraction,
    elapsed,
    rate,
    done,
    total,
  }: Pick<BarState, "fraction" | "elapsed" | "rate" | "done" | "total">) {
    if (fraction === null || elapsed < SETTLED) return null;
    if (this.#plan === null) return rate === null || total === null ? null : (total - done) / rate;
    return fraction < 0.02 ? null : (elapsed * (1 - fraction)) / fraction;
  }

  #label(stage: string, step: string): string {
    if (this.#plan === null) return `${stage} ${step}`;
    const names = Object.keys(this.#plan);
    const index = names.indexOf(stage);
    return index < 0 ? stage : `${index + 1}/${names.length} ${stage}`;
  }
}

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

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)}m${whole % 60}s`
    : `${Math.floor(whole / 3600)}h${Math.floor((whole % 3600) / 60)}m`;
}
