/** The one form of log lines on standard error, from every command and from the server: JSON with time, level and event; words on a terminal. */

import type { LogEvent } from "../../pipeline/stage/effects.ts";
import { shown, terminalText } from "./text.ts";

/** One line, without its end. `time` is when it happened; people watching a terminal know. */
export function logLine({ level, event, ...details }: LogEvent, time: Date, terminal: boolean): string {
  if (!terminal) return terminalText(JSON.stringify({ time: time.toISOString(), level, event, ...details }));
  const facts = Object.entries(details).flatMap(([name, value]) => (value === null ? [] : `${name} ${wordsOf(value)}`));
  const what = event.replaceAll("-", " ");
  const sign = level === "info" ? "" : `${level}: `;
  return `${sign}${what}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** Warns of something a command goes on in spite of. */
export function warn(event: Omit<LogEvent, "level">): void {
  const { event: name, ...details } = event;
  const line = logLine({ level: "warn", event: String(name), ...details }, new Date(), process.stderr.isTTY === true);
  process.stderr.write(`${line}\n`);
}

/** A destination of the server's logger that writes its JSON lines as readable ones, with the time of day. */
export function readableLog(stream: Pick<NodeJS.WriteStream, "write"> = process.stderr) {
  return { write: (line: string) => void stream.write(`${readableLine(JSON.parse(line))}\n`) };
}

/** A line of the server's log: `err` is an error that pino serialised. */
interface ServerLine extends LogEvent {
  readonly time: string;
  readonly reqId?: string;
  readonly err?: { readonly message: string; readonly stack?: string };
}

function readableLine({ time, reqId, err, ...event }: ServerLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const line = event.event === "request" ? requestText(event) : logLine(event, new Date(time), true);
  // Whoever reports an error of the server names its request, as the response did.
  const request = err === undefined || reqId === undefined ? "" : `, request ${reqId}`;
  const fault = err === undefined ? "" : `\n${terminalText(err.stack ?? err.message)}`;
  return `${clock} ${line}${request}${fault}`;
}

function requestText({ method, route, status, milliseconds }: LogEvent): string {
  return shown(`${method} ${route ?? "(no such route)"} ${status} ${milliseconds} ms`);
}

/** Some of it came from services and files. */
function wordsOf(value: unknown): string {
  return shown(typeof value === "string" ? value : JSON.stringify(value));
}

/** The settings that the server's logger needs to write lines of this form. */
export const SERVER_LOG = {
  base: null,
  messageKey: "event",
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: { level: (level: string) => ({ level }) },
};
