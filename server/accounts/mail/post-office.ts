/** The way messages go: to an SMTP server, or, where none is named, into a folder in which they can be read. */

import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type Transporter } from "nodemailer";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import { ConfigurationError } from "../../http/poll.ts";

export interface PostOffice {
  /** Rejects where the message was not taken. */
  deliver(message: Message): Promise<void>;
  close(): void;
}

/** How long an SMTP server may take, in milliseconds, for each step. */
const CONNECT_MILLISECONDS = 10_000;
const SILENCE_MILLISECONDS = 20_000;

/** Nothing in a message is read from a disk or fetched; mail programs are told that nobody wrote it by hand (RFC 3834). */
const COMMON = {
  disableFileAccess: true,
  disableUrlAccess: true,
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
} as const;

/**
 * An SMTP server, `smtp://user:password@host:587` or `smtps://…`. With a password nothing is said before the connection is
 * encrypted, unless the address says otherwise (`?requireTLS=false`).
 * @throws ConfigurationError for what is no such address; the value, which may hold a password, is not repeated
 */
export function smtpOffice(address: string, from: string): PostOffice {
  const url = smtpUrl(address);
  const settings = {
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: CONNECT_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    ...(url.protocol === "smtp:" && url.password !== "" ? { requireTLS: true } : {}),
  };
  for (const [name, value] of Object.entries(settings)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(value));
  }
  const transport = createTransport(url.href);
  return { deliver: (message) => send(transport, message, from), close: () => transport.close() };
}

function smtpUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "") return url;
  throw new ConfigurationError("SMTP_URL is no address of a mail server; write smtps://user:password@host:465");
}

/** Each message as a file of its own that its owner alone can read: it can be opened, and a link in it followed. */
export function folderOffice(folder: string, from: string, log: Effects["log"]): PostOffice {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    async deliver(message) {
      const composed = await transport.sendMail(mailOf(message, from));
      if (!Buffer.isBuffer(composed.message)) throw new TypeError("the message was not composed as a whole");
      const instant = message.at.toISOString().replace(/[:.]/g, "-");
      const path = join(folder, `${instant}-${randomBytes(4).toString("hex")}.eml`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path, composed.message, { flag: "wx", mode: 0o600 });
      log({ level: "info", event: "mail-written", path });
    },
    close: () => transport.close(),
  };
}

async function send(transport: Transporter, message: Message, from: string): Promise<void> {
  await transport.sendMail(mailOf(message, from));
}

/** The address stands alone: nothing in it can be read as a name, a second recipient or a header. */
function mailOf({ to, subject, text, html, at }: Message, from: string) {
  return { ...COMMON, from, to: { name: "", address: to }, subject, text, html, date: at };
}

/** A message to one person, in plain text and HTML. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** When it was written. */
  readonly at: Date;
}
