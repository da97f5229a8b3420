/**
 * Messages on their way: handed over at once, sent in their own time, tried again where a server is away. What is logged of
 * a failure names neither the address nor what was written; servers repeat addresses in their words, so those are left out.
 */

import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type Transporter } from "nodemailer";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { ConfigurationError } from "../options.ts";

/** Messages that may wait, and those of them that may be for one domain; whoever asks for a further one is told to wait. */
const MOST_WAITING = 1000;
const MOST_OF_DOMAIN = 500;

/** Messages under way at a time, and those of them that may be for one domain: one place is always for the others. */
const AT_ONCE = 4;
const AT_ONCE_OF_DOMAIN = 3;

/** Before the second try, the third and so on; a link is of use for a quarter of an hour. */
const PAUSES_MILLISECONDS = [1000, 10_000, 60_000, 180_000] as const;

type OutboxEffects = Pick<Effects, "sleep" | "log">;

interface Sending {
  readonly message: Message;
  readonly tries: number;
}

/** What is for one domain. */
interface Lane {
  readonly waiting: Sending[];
  underWay: number;
  /** Between two tries. */
  pausing: number;
}

export class Outbox {
  readonly #office: PostOffice;
  readonly #effects: OutboxEffects;
  /** By domain, the one whose turn it is first. */
  readonly #lanes = new Map<string, Lane>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #over = new AbortController();

  constructor(office: PostOffice, effects: OutboxEffects) {
    this.#office = office;
    this.#effects = effects;
  }

  /** Whether one more message for this address may wait. */
  hasRoom(address: string): boolean {
    const own = this.#lanes.get(domainOf(address));
    return this.#waiting() < MOST_WAITING && (own === undefined || waitingIn(own) < MOST_OF_DOMAIN);
  }

  /** Returns at once, whatever becomes of the message. */
  post(message: Message): void {
    this.#enqueue({ message, tries: 1 });
  }

  /** Sends what can be sent within the grace, what waits for another try once more; nothing is tried again after that. */
  async close(graceMilliseconds: number): Promise<void> {
    this.#over.abort();
    const grace = new AbortController();
    const late = this.#effects.sleep(graceMilliseconds, grace.signal).catch(() => undefined);
    await Promise.race([this.#emptied(), late]);
    grace.abort();
    const lost = this.#waiting() + this.#underWay.size;
    if (lost > 0) this.#effects.log({ level: "warn", event: "mail-given-up", messages: lost });
    for (const lane of this.#lanes.values()) lane.waiting.length = 0;
    this.#office.close();
  }

  #waiting(): number {
    let sum = 0;
    for (const lane of this.#lanes.values()) sum += waitingIn(lane);
    return sum;
  }

  async #emptied(): Promise<void> {
    // Whoever pauses is woken by now, and stands in line within this turn of the loop.
    await new Promise(setImmediate);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #enqueue(sending: Sending): void {
    this.#laneOf(sending).waiting.push(sending);
    this.#fill();
  }

  #laneOf({ message }: Sending): Lane {
    const domain = domainOf(message.to);
    const lane = this.#lanes.get(domain) ?? { waiting: [], underWay: 0, pausing: 0 };
    this.#lanes.set(domain, lane);
    return lane;
  }

  #fill(): void {
    while (this.#underWay.size < AT_ONCE) {
      const next = this.#next();
      if (next === null) return;
      const sent = this.#send(next).finally(() => {
        this.#underWay.delete(sent);
        this.#fill();
      });
      this.#underWay.add(sent);
    }
  }

  /** The oldest of the domain whose turn it is; a domain that had its turn comes last. */
  #next(): Sending | null {
    for (const [domain, lane] of this.#lanes) {
      if (waitingIn(lane) + lane.underWay === 0) this.#lanes.delete(domain);
      if (lane.underWay >= AT_ONCE_OF_DOMAIN) continue;
      const next = lane.waiting.shift();
      if (next === undefined) continue;
      this.#lanes.delete(domain);
      this.#lanes.set(domain, lane);
      return next;
    }
    return null;
  }

  async #send(sending: Sending): Promise<void> {
    const lane = this.#laneOf(sending);
    lane.underWay += 1;
    try {
      await this.#office.deliver(sending.message);
    } catch (error) {
      const { tries } = sending;
      const pause = PAUSES_MILLISECONDS[tries - 1];
      const again = pause !== undefined && mayPass(error) && !this.#over.signal.aborted;
      this.#effects.log({ level: again ? "warn" : "error", event: "mail-not-sent", tries, again, ...faultOf(error) });
      if (again) this.#pause(sending, lane, pause);
    } finally {
      lane.underWay -= 1;
    }
  }

  /** Holds no place: whoever comes meanwhile is sent meanwhile. */
  #pause({ message, tries }: Sending, lane: Lane, milliseconds: number): void {
    lane.pausing += 1;
    this.#effects
      .sleep(milliseconds, this.#over.signal)
      .catch(() => undefined)
      .then(() => {
        lane.pausing -= 1;
        this.#enqueue({ message, tries: tries + 1 });
      });
  }
}

function waitingIn({ waiting, pausing }: Lane): number {
  return waiting.length + pausing;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** An SMTP answer of 5yz is final (RFC 5321, 4.2.1); so is a message that could not be composed. */
function mayPass(error: unknown): boolean {
  const { responseCode } = faultOf(error);
  return responseCode === null || responseCode < 500;
}

/** What failed, in codes alone. */
function faultOf(error: unknown): { code: string | null; command: string | null; responseCode: number | null } {
  const fault: Readonly<Record<string, unknown>> = error instanceof Error ? { ...error } : {};
  const { code, command, responseCode } = fault;
  return {
    code: typeof code === "string" ? code : null,
    command: typeof command === "string" && /^[A-Z ]{1,20}$/.test(command) ? command : null,
    responseCode: typeof responseCode === "number" ? responseCode : null,
  };
}

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
