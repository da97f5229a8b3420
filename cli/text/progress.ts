/** Progress and log on standard error: one bar for the whole command on a terminal, lines of the log's form otherwise. */

import type { Effects, LogEvent, Progress } from "../../pipeline/stage/effects.ts";
import { barLine } from "./bar-line.ts";
import { logLine } from "./log-line.ts";
import { type Plan, WholeProgress } from "./whole-progress.ts";

/** Between two lines about what is counted; named steps are few, and each is worth a line. */
const QUIET_MS = 10_000;

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

export function progressPrinter(stream: NodeJS.WriteStream, plan: Plan | null): ProgressPrinter {
  return stream.isTTY === true ? bar(stream, plan) : lines(stream);
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

function lines(stream: NodeJS.WriteStream): ProgressPrinter {
  const last = new Map<string, number>();
  const log = (event: LogEvent) => {
    stream.write(`${logLine(event, new Date(), false)}\n`);
  };
  const show = (progress: Progress) => {
    const key = `${progress.stage} ${progress.unit}`;
    const now = performance.now();
    const worth = progress.unit === "steps" || progress.done === 0 || progress.done === progress.total;
    if (!worth && now - (last.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    last.set(key, now);
    log({ level: "info", event: "progress", ...progress });
  };
  return { show, log, stop: () => undefined };
}

function seconds(): number {
  return performance.now() / 1000;
}
