/** Tests the progress of a command: one line that fits the terminal, figures that people can read, and readable log lines. */

import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { logLine, readableLog, SERVER_LOG } from "../../cli/terminal/log-line.ts";
import { type BarState, BUILD_PLAN, barLine, OverallProgress, progressPrinter } from "../../cli/terminal/progress.ts";
import type { LogEvent } from "../../pipeline/stage/effects.ts";

const STATE: BarState = {
  label: "3/5 aggregate",
  fraction: 0.43,
  done: 1_234_567,
  total: 2_000_000,
  unit: "records",
  rate: 12_345,
  elapsed: 61,
  left: 3725,
};

describe("the line of progress", () => {
  const LABELS = ["verify files", "3/5 aggregate", `harvest ${"a-source-of-a-long-name ".repeat(8)}`];
  const STATES: readonly Partial<BarState>[] = [
    {},
    { fraction: null, total: null, left: null },
    { unit: "bytes", done: 9e11, total: 1e12, rate: 89_047_195 },
    { unit: "steps", rate: null },
    { rate: null, left: null },
  ];
  for (const columns of [20, 40, 79, 80, 99, 100, 109, 110, 200]) {
    test(`a progress line fits into ${columns} columns, and contains step, progress and time if there are at least 79 columns`, () => {
      for (const label of LABELS) {
        for (const state of STATES) {
          const line = barLine({ ...STATE, label, ...state }, columns);
          expect(line.length).toBeLessThanOrEqual(columns);
          expect(line).not.toContain("\n");
          if (columns < 79) continue;
          expect(line).toContain(label.slice(0, 12));
          expect(line).toMatch(/\d(?:s|m)(?:\d+m|\d+s)?(?: left)?(?: |$)/);
          if (state.fraction !== null) expect(line).toMatch(/ \[=*-*\] {3,}43 %/);
        }
      }
    });
  }

  const FIGURES: readonly { readonly name: string; readonly state: Partial<BarState>; readonly shows: string }[] = [
    { name: "records", state: {}, shows: "1h2m left  1,234,567/2,000,000 records  12,345/s" },
    { name: "bytes", state: { unit: "bytes", done: 1_500_000, total: 2e9 }, shows: "1.5 MB of 2.0 GB  12 kB/s" },
    { name: "a slow rate", state: { rate: 0.25 }, shows: "0.3/s" },
  ];
  for (const { name, state, shows } of FIGURES) {
    test(`a progress line shows figures in a form for people: ${name}`, () => {
      expect(barLine({ ...STATE, ...state }, 110)).toContain(shows);
    });
  }
});

describe("the progress of a whole command", () => {
  test("progress rises from 0 to 1 over all stages, and never falls", () => {
    const whole = new OverallProgress(BUILD_PLAN, 0);
    const fractions: number[] = [];
    let now = 0;
    for (const stage of Object.keys(BUILD_PLAN)) {
      for (const done of [0, 2, 1, 4]) {
        now += 1;
        fractions.push(whole.next({ stage, step: "x", done, total: 4, unit: "steps" }, now).fraction ?? -1);
      }
    }
    expect(fractions).toEqual(fractions.toSorted((one, other) => one - other));
    expect(fractions[0]).toBe(0);
    expect(fractions.at(-1)).toBeCloseTo(1);
  });

  test("progress shows the time left, computed from the share of the work that is done", () => {
    const whole = new OverallProgress({ one: 0.5, two: 0.5 }, 100);
    expect(whole.next({ stage: "one", step: "x", done: 5, total: 10, unit: "records" }, 101).left).toBeNull();
    const state = whole.next({ stage: "two", step: "x", done: 0, total: null, unit: "records" }, 130);
    expect(state).toMatchObject({ fraction: 0.5, elapsed: 30, left: 30, label: "2/2 two" });
  });

  test("progress shows the average rate since the start, and not that of the last moment", () => {
    const whole = new OverallProgress(null, 0);
    const at = (done: number, now: number) =>
      whole.next({ stage: "verify", step: "files", done, total: 100, unit: "files" }, now).rate;
    expect(at(40, 0.0001)).toBeNull();
    expect(at(50, 1)).toBeNull();
    expect(at(60, 10.0001)).toBeCloseTo(2);
  });
});

describe("progress on standard error", () => {
  /**
   * Returns a stream that looks like a terminal with this number of columns, and a function that returns its output. Null: no
   * terminal.
   */
  function terminal(columns: number | null) {
    const through = new PassThrough();
    const stream: NodeJS.WriteStream = Object.assign(
      Object.create(process.stderr),
      { write: (text: string) => through.write(text) },
      columns === null ? { isTTY: undefined } : { isTTY: true, columns },
    );
    return { stream, written: () => String(through.read() ?? "") };
  }
  const PROGRESS = { stage: "harvest", step: "zenodo", total: null, unit: "records" };

  test("the progress printer redraws one line, and shows the cursor again at the end", () => {
    const { stream, written } = terminal(80);
    const { show, log, stop } = progressPrinter(stream, null);
    show({ ...PROGRESS, done: 1 });
    log({ level: "warn", event: "harvest-retry", reason: "no\u001b[31manswer", wait: 300 });
    show({ ...PROGRESS, done: 1 });
    stop();
    const output = written();
    expect(output.split("\n").map((each) => stripVTControlCharacters(each.split("\r").at(-1) ?? ""))).toEqual([
      "warn: harvest retry (reason no [31manswer, wait 300)",
      "harvest zenodo  1s  1 record",
      "",
    ]);
    expect(output).toContain("\u001b[?25l");
    expect(output.endsWith("\u001b[?25h\n")).toBe(true);
  });

  describe("without a terminal", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
    afterEach(() => void vi.useRealTimers());

    const parseEvents = (output: string) =>
      output === ""
        ? []
        : output
            .trimEnd()
            .split("\n")
            .map((line): LogEvent => JSON.parse(line));

    test("the progress printer without a terminal prints at most one progress line in ten seconds", () => {
      const { stream, written } = terminal(null);
      const { show, log, stop } = progressPrinter(stream, null);
      for (let tenths = 1; tenths <= 350; tenths += 1) {
        show({ stage: `stage ${tenths % 7}`, step: "x", done: tenths, total: tenths, unit: "steps" });
        vi.advanceTimersByTime(100);
      }
      stop();
      vi.advanceTimersByTime(60_000);
      log({ level: "info", event: "harvest-finished", records: 500 });
      const events = parseEvents(written());
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(events).toEqual([
        ...[100, 200, 300].map((done) => expect.objectContaining({ time, level: "info", event: "progress", done })),
        { time, level: "info", event: "harvest-finished", records: 500 },
      ]);
    });

    test("the progress printer without a terminal prints one progress line for a step that reports nothing for a long time", () => {
      const { stream, written } = terminal(null);
      const { show } = progressPrinter(stream, null);
      show({ ...PROGRESS, done: 1 });
      vi.advanceTimersByTime(60_000);
      expect(parseEvents(written())).toEqual([expect.objectContaining({ ...PROGRESS, done: 1 })]);
    });

    test("the progress printer without a terminal prints a line for each step if the log level is debug", () => {
      const { stream, written } = terminal(null);
      const { show } = progressPrinter(stream, null, "debug");
      for (const done of [1, 2, 3]) show({ ...PROGRESS, done });
      expect(parseEvents(written()).map(({ done }) => done)).toEqual([1, 2, 3]);
    });
  });

  test("the progress printer prints the log of a server on a terminal as readable lines, and errors with their stack", () => {
    const { stream, written } = terminal(80);
    const logger = pino(SERVER_LOG, readableLog(stream));
    const request = { reqId: "7f", method: "GET", route: "/records/*", status: 200, milliseconds: 2.1, release: null };
    logger.info(request, "request");
    logger.info({ ...request, route: null, path: "/recordz", status: 404 }, "request");
    logger.warn({ release: "sha256:ab\u001b[31m" }, "no-release-active");
    logger.child({ reqId: "7f" }).error({ err: new Error("no\u001b[31m disk") }, "request-failed");
    const lines = written().trimEnd().split("\n");
    expect(lines.every((line) => !line.includes("\u001b"))).toBe(true);
    expect(lines.slice(0, 5).map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
      "GET /records/* 200 2.1 ms",
      "GET /recordz (no such route) 404 2.1 ms",
      "warn: no release active (release sha256:ab [31m)",
      "error: request failed, request 7f",
      "Error: no\\u001b[31m disk",
    ]);
    expect(lines[5]).toMatch(/^ {4}at /);
  });

  test("the progress printer removes control characters from texts that come from outside", () => {
    const line = logLine({ level: "info", event: "x", reason: "a\u001b]0;b\u0007\nc\u202ed" }, new Date(0), true);
    expect(line).toBe("x (reason a ]0;b c d)");
  });
});
