/** The one form of log lines on standard error, from every command and from the server: JSON with time, level and event; words on a terminal. */

import type { LogEvent } from "../../pipeline/stage/effects.ts";
import { terminalText } from "./terminal-text.ts";
import { shown } from "./wrapped.ts";

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
