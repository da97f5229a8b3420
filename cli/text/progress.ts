/** Prints progress and log on standard error: a bar for the whole command on a terminal, else log lines, at most one in ten seconds. */

import type { Effects, LogEvent, Progress } from "../../pipeline/stage/effects.ts";
import { barLine } from "./bar-line.ts";
import { logLine } from "./log-line.ts";
import { type Plan, WholeProgress } from "./whole-progress.ts";

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
