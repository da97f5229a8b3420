/** Shows progress on standard error: as one bar on a terminal, otherwise as log lines. */

import { fileSize } from "../../api-static/pages/numbers.ts";
import type { Effects, LogEvent, StageProgress } from "../../pipeline/stage/effects.ts";
import { isLogged, logLine } from "./log-line.ts";

/** Milliseconds before the first progress line, and between two lines. A shorter command prints none. */
const LINE_MS = 10_000;

/** Smallest number of milliseconds between two updates of the bar. */
const REDRAW_MS = 100;

/** Milliseconds after which the bar is updated even without new progress. */
const TICK_MS = 1000;

const DEFAULT_COLUMNS = 80;

const CLEAR_LINE = "\r\u001b[K";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

export interface ProgressPrinter {
  readonly show: Effects["progress"];
  readonly log: Effects["log"];
  /** Stops the output. The last state of the bar remains visible. */
  readonly stop: () => void;
}

/**
 * Returns functions that print progress on standard error. If that is not a terminal and the log level is "debug", each
 * step prints a line.
 */
export function progressPrinter(stream: NodeJS.WriteStream, plan: Plan | null, least = "info"): ProgressPrinter {
  const { show, log, stop } = stream.isTTY === true ? bar(stream, plan) : lines(stream, isLogged("debug", least));
  const logFrom = (event: LogEvent) => {
    if (isLogged(event.level, least)) log(event);
  };
  return { show: isLogged("info", least) ? show : () => undefined, log: logFrom, stop };
}

function bar(stream: NodeJS.WriteStream, plan: Plan | null): ProgressPrinter {
  const overall = new OverallProgress(plan, seconds());
  let line = "";
  let drawn = Number.NEGATIVE_INFINITY;
  const draw = () => {
    stream.write(`${drawn === Number.NEGATIVE_INFINITY ? HIDE_CURSOR : ""}${CLEAR_LINE}${line}`);
    drawn = performance.now();
  };
  let latest: StageProgress | null = null;
  const update = (progress: StageProgress) => {
    // The last column stays empty, because a full line wraps on some terminals.
    line = barLine(overall.next(progress, seconds()), (stream.columns ?? DEFAULT_COLUMNS) - 1);
  };
  const show = (progress: StageProgress) => {
    latest = progress;
    update(progress);
    if (progress.done === progress.total || performance.now() - drawn >= REDRAW_MS) draw();
  };
  // Some steps report nothing for a long time, but the elapsed time still changes.
  const ticking = setInterval(() => {
    if (latest === null) return;
    update(latest);
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
  let latest: StageProgress | null = null;
  const log = (event: LogEvent) => {
    stream.write(`${logLine(event, new Date(), false)}\n`);
  };
  const print = () => {
    if (latest !== null) log({ level: "info", event: "progress", ...latest });
    latest = null;
  };
  const show = (progress: StageProgress) => {
    latest = progress;
    if (everyStep) print();
  };
  const ticking = setInterval(print, LINE_MS).unref();
  return { show, log, stop: () => clearInterval(ticking) };
}

function seconds(): number {
  return performance.now() / 1000;
}

/** The stages of a command, with the share of its time that each takes. The shares were measured and add up to 1. */
export type Plan = Readonly<Record<string, number>>;

/** The share of time that each stage of a build takes, measured with ten thousand generated records. */
export const BUILD_PLAN: Plan = { normalise: 0.3, score: 0.05, aggregate: 0.2, render: 0.3, release: 0.15 };

/** The share of time that each step of `release verify --rebuild` takes. */
export const REBUILD_PLAN: Plan = {
  verify: 0.1,
  tables: 0.1,
  normalise: 0.2,
  score: 0.05,
  aggregate: 0.15,
  render: 0.3,
  release: 0.1,
};

/** Number of seconds after which a rate and the remaining time are reliable enough to show. */
const SETTLING_SECONDS = 2;

interface Stage {
  readonly name: string;
  readonly began: number;
  /** Number of units that an earlier run had finished before the first report. The rate does not count them. */
  readonly first: number;
}

/** Computes the progress of a whole command from the reports of its stages. */
export class OverallProgress {
  readonly #plan: Plan | null;
  readonly #began: number;
  #stage: Stage | null = null;
  #fraction = 0;

  /** Takes the present time in seconds. Without a plan, each stage has its own progress from 0 to 1. */
  constructor(plan: Plan | null, now: number) {
    this.#plan = plan;
    this.#began = now;
  }

  /** Returns the state of the bar after a report of a stage. */
  next(progress: StageProgress, now: number): BarState {
    const { stage: name, step, done, total, unit } = progress;
    if (this.#stage?.name !== `${name} ${unit}`) this.#stage = { name: `${name} ${unit}`, began: now, first: done };
    const { began, first } = this.#stage;
    const fraction = this.#computeFraction(progress);
    const elapsed = now - this.#began;
    const rate = now - began >= SETTLING_SECONDS && done > first ? (done - first) / (now - began) : null;
    const left = this.#secondsLeft({ fraction, elapsed, rate, done, total });
    return { label: this.#label(name, step), fraction, done, total, unit, rate, elapsed, left };
  }

  /**
   * Returns the finished share of the command, from 0 to 1; null if unknown. With a plan, the share never decreases,
   * even if a stage reports less than before.
   */
  #computeFraction({ stage, done, total }: StageProgress): number | null {
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

  #secondsLeft({
    fraction,
    elapsed,
    rate,
    done,
    total,
  }: Pick<BarState, "fraction" | "elapsed" | "rate" | "done" | "total">) {
    if (fraction === null || elapsed < SETTLING_SECONDS) return null;
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
  readonly label: string;
  /** The finished share of the command, from 0 to 1; null if the total is unknown. */
  readonly fraction: number | null;
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
  /** Number of units in a second; null until the rate is reliable. */
  readonly rate: number | null;
  readonly elapsed: number;
  readonly left: number | null;
}

const BAR = { least: 8, most: 30 } as const;

/** Returns the progress bar as text of at most `columns` characters. */
export function barLine(state: BarState, columns: number): string {
  const time = state.left === null || state.fraction === 1 ? duration(state.elapsed) : `${duration(state.left)} left`;
  const always = state.fraction === null ? [] : [`${String(Math.floor(100 * state.fraction)).padStart(3)} %`];
  const parts = [...always, time, ...countText(state), ...rateText(state)];
  const label = state.label.slice(0, Math.max(12, columns - 60));
  // Omits parts from the end until the line fits.
  while (parts.length > 1 && width([label, ...parts]) + roomOfBar(state) > columns) parts.pop();
  const barWidth = Math.min(BAR.most, columns - width([label, ...parts]) - 4);
  const bar = state.fraction === null || barWidth < BAR.least ? [] : [`[${drawBar(state.fraction, barWidth)}]`];
  return [label, ...bar, ...parts].join("  ").slice(0, columns);
}

function roomOfBar({ fraction }: BarState): number {
  return fraction === null ? 0 : BAR.least + 4;
}

function width(parts: readonly string[]): number {
  return parts.join("  ").length;
}

function drawBar(fraction: number, barColumns: number): string {
  return "=".repeat(Math.floor(fraction * barColumns)).padEnd(barColumns, "-");
}

function countText({ done, total, unit }: BarState): string[] {
  if (unit === "steps") return [];
  if (unit === "bytes") return [total === null ? fileSize(done) : `${fileSize(done)} of ${fileSize(total)}`];
  const count = total === null ? grouped(done) : `${grouped(done)}/${grouped(total)}`;
  return [`${count} ${done === 1 && total === null ? unit.replace(/s$/, "") : unit}`];
}

function rateText({ rate, unit }: BarState): string[] {
  if (rate === null || unit === "steps" || unit === "parts") return [];
  if (unit === "bytes") return [`${fileSize(rate)}/s`];
  return [rate < 10 ? `${rate.toFixed(1)}/s` : `${grouped(Math.round(rate))}/s`];
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}

export function duration(seconds: number): string {
  const rounded = Math.ceil(seconds);
  if (rounded < 60) return `${rounded}s`;
  return rounded < 3600
    ? `${Math.floor(rounded / 60)}m${rounded % 60}s`
    : `${Math.floor(rounded / 3600)}h${Math.floor((rounded % 3600) / 60)}m`;
}
