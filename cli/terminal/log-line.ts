/**
 * Writes log lines of all commands and the server to standard error: as JSON with time, level and event, or as text on a
 * terminal.
 */

import type { LogEvent } from "../../pipeline/stage/effects.ts";
import { shown, terminalText } from "./text.ts";

/** The levels of the log in ascending order. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** True if an event of this level is logged, because the level is at least `least`. */
export function isLogged(level: string, least: string): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** Returns an event as one line, without a newline. Lines on a terminal do not contain the time. */
export function logLine({ level, event, ...details }: LogEvent, time: Date, terminal: boolean): string {
  if (!terminal) return terminalText(JSON.stringify({ time: time.toISOString(), level, event, ...details }));
  const facts = Object.entries(details).flatMap(([key, value]) => (value === null ? [] : `${key} ${valueText(value)}`));
  const name = event.replaceAll("-", " ");
  const sign = level === "info" ? "" : `${level}: `;
  return `${sign}${name}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** Prints a warning. The command continues afterwards. */
export function warn(event: Omit<LogEvent, "level">): void {
  const { event: name, ...details } = event;
  const line = logLine({ level: "warn", event: String(name), ...details }, new Date(), process.stderr.isTTY === true);
  process.stderr.write(`${line}\n`);
}

/** Returns a stream for the server's logger that converts its JSON lines to readable lines with the time of day. */
export function readableLog(stream: Pick<NodeJS.WriteStream, "write"> = process.stderr) {
  return { write: (line: string) => void stream.write(`${readableLine(JSON.parse(line))}\n`) };
}

/** A line of the server's log. `err` is an error in the form of the logger pino. */
interface ServerLine extends LogEvent {
  readonly time: string;
  readonly reqId?: string;
  readonly err?: { readonly message: string; readonly stack?: string };
}

function readableLine({ time, reqId, err, ...event }: ServerLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const line = event.event === "request" ? requestText(event) : logLine(event, new Date(time), true);
  // The response has the same request id, which users can report.
  const request = err === undefined || reqId === undefined ? "" : `, request ${reqId}`;
  const fault = err === undefined ? "" : `\n${terminalText(err.stack ?? err.message)}`;
  return `${clock} ${line}${request}${fault}`;
}

function requestText({ method, route, path, status, milliseconds }: LogEvent): string {
  return shown(`${method} ${route ?? `${path} (no such route)`} ${status} ${milliseconds} ms`);
}

/** Returns a value as text without control characters, because values can come from services and files. */
function valueText(value: unknown): string {
  return shown(typeof value === "string" ? value : JSON.stringify(value));
}

/** Settings that make the server's logger write lines of this format. */
export const SERVER_LOG = {
  base: null,
  messageKey: "event",
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: { level: (level: string) => ({ level }) },
};
