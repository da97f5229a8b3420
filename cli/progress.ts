/** Progress on standard error: a bar with rate and time left on a terminal, JSON lines otherwise. */

import cliProgress from "cli-progress";
import type { Effects, Progress } from "../pipeline/effects.ts";
import { terminalText } from "./terminal-text.ts";

/** At most one JSON line a second about what is counted; named steps are few, and each is worth a line. */
const QUIET_MS = 1000;

export function progressPrinter(terminal: boolean): { show: Effects["progress"]; stop: () => void } {
  return terminal ? bars() : jsonLines();
}

function bars() {
  const multi = new cliProgress.MultiBar(
    {
      format: "{name} [{bar}] {percentage}% | {value}/{total} {unit} | {rate}/s | {left} left",
      hideCursor: true,
      clearOnComplete: false,
      stream: process.stderr,
    },
    cliProgress.Presets.legacy,
  );
  const open = new Map<string, { bar: cliProgress.SingleBar; started: number }>();
  const show = (progress: Progress) => {
    const known = open.get(progress.stage);
    const entry = known ?? {
      bar: multi.create(progress.total ?? 0, 0, payload(progress, 0)),
      started: performance.now(),
    };
    open.set(progress.stage, entry);
    entry.bar.setTotal(progress.total ?? Math.max(progress.done, 1));
    entry.bar.update(progress.done, payload(progress, (performance.now() - entry.started) / 1000));
  };
  return { show, stop: () => multi.stop() };
}

function payload(progress: Progress, seconds: number) {
  const rate = seconds > 0 ? progress.done / seconds : 0;
  const left = progress.total === null || rate === 0 ? null : (progress.total - progress.done) / rate;
  return {
    name: `${progress.stage} ${progress.step}`.slice(0, 28).padEnd(28),
    unit: progress.unit,
    rate: rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en"),
    left: left === null ? "?" : duration(left),
  };
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)}m${whole % 60}s`
    : `${Math.floor(whole / 3600)}h${Math.floor((whole % 3600) / 60)}m`;
}

function jsonLines() {
  const last = new Map<string, number>();
  const show = (progress: Progress) => {
    const key = `${progress.stage} ${progress.unit}`;
    const now = performance.now();
    const worth = progress.unit === "steps" || progress.done === 0 || progress.done === progress.total;
    if (!worth && now - (last.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    last.set(key, now);
    process.stderr.write(`${terminalText(JSON.stringify({ progress }))}\n`);
  };
  return { show, stop: () => undefined };
}
