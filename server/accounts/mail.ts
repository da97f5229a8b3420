/**
 * Sends email in the background and retries if a server is unavailable. The log of a failure has neither the address
 * nor the content of the email. It also has no message of the SMTP server, because servers repeat addresses in their
 * messages.
 */

import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type Transporter } from "nodemailer";
import { replaceFile } from "../../pipeline/files/durable.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { ConfigurationError } from "../configuration-error.ts";

/** Largest numbers of messages that may wait: in all, and for one domain. */
const MAX_WAITING = 1000;
const MAX_OF_DOMAIN = 500;

/** Largest numbers of messages that are sent at once: in all, and to one domain, so that one is free for other domains. */
const AT_ONCE = 4;
const AT_ONCE_OF_DOMAIN = 3;

/** Pauses before the second to the fifth attempt, which all end within the 15 minutes for which a sign-in link is valid. */
const PAUSES_MILLISECONDS = [1000, 10_000, 60_000, 180_000] as const;

/** The time for which an answer about the health of the mail server is reused. */
const HEALTH_MILLISECONDS = 60_000;

type OutboxEffects = Pick<Effects, "sleep" | "log">;

interface QueuedMessage {
  readonly message: Message;
  readonly tries: number;
}

interface Lane {
  readonly waiting: QueuedMessage[];
  underWay: number;
  /** Number of messages whose last attempt failed, and that wait for the next one. */
  pausing: number;
}

export class Outbox {
  readonly #office: MailTransport;
  readonly #effects: OutboxEffects;
  /** Queues of messages by domain. The first domain has the next turn. */
  readonly #lanes = new Map<string, Lane>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #over = new AbortController();
  /** The last answer of the mail server, and when it was asked. */
  #health: { readonly at: number; readonly isUp: Promise<boolean> } | null = null;

  constructor(office: MailTransport, effects: OutboxEffects) {
    this.#office = office;
    this.#effects = effects;
  }

  /** The number of messages that wait for their first or next attempt. */
  get waiting(): number {
    let sum = 0;
    for (const lane of this.#lanes.values()) sum += waitingIn(lane);
    return sum;
  }

  /**
   * Returns whether the mail server accepts a connection and the password; null without a mail server. Asks the server
   * at most once a minute, and returns its last answer in between.
   */
  async isUp(now: Date): Promise<boolean | null> {
    const { verify } = this.#office;
    if (verify === null) return null;
    if (this.#health === null || now.getTime() - this.#health.at >= HEALTH_MILLISECONDS) {
      const isUp = verify().then(
        () => true,
        () => false,
      );
      this.#health = { at: now.getTime(), isUp };
    }
    return this.#health.isUp;
  }

  hasRoom(address: string): boolean {
    const own = this.#lanes.get(getDomain(address));
    return this.waiting < MAX_WAITING && (own === undefined || waitingIn(own) < MAX_OF_DOMAIN);
  }

  /** Queues a message and returns at once. */
  post(message: Message): void {
    this.#enqueue({ message, tries: 1 });
  }

  /** Tries every waiting message once more within the grace period, then drops it. */
  async close(graceMilliseconds: number): Promise<void> {
    this.#over.abort();
    const grace = new AbortController();
    const late = this.#effects.sleep(graceMilliseconds, grace.signal).catch(() => undefined);
    await Promise.race([this.#drained(), late]);
    grace.abort();
    const lost = this.waiting + this.#underWay.size;
    if (lost > 0) this.#effects.log({ level: "warn", event: "mail-given-up", messages: lost });
    for (const lane of this.#lanes.values()) lane.waiting.length = 0;
    this.#office.close();
  }

  async #drained(): Promise<void> {
    // After this, messages that waited for their next attempt are back in the queue.
    await new Promise(setImmediate);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #enqueue(sending: QueuedMessage): void {
    this.#getLane(sending).waiting.push(sending);
    this.#fill();
  }

  #getLane({ message }: QueuedMessage): Lane {
    const domain = getDomain(message.to);
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

  /**
   * Returns the oldest message of the domain whose turn it is, and makes this domain the last one; null if none can be sent.
   */
  #next(): QueuedMessage | null {
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

  async #send(sending: QueuedMessage): Promise<void> {
    const lane = this.#getLane(sending);
    lane.underWay += 1;
    try {
      await this.#office.deliver(sending.message);
    } catch (error) {
      const { tries } = sending;
      const pause = PAUSES_MILLISECONDS[tries - 1];
      const again = pause !== undefined && isTemporary(error) && !this.#over.signal.aborted;
      this.#effects.log({
        level: again ? "warn" : "error",
        event: "mail-not-sent",
        tries,
        again,
        ...errorCodes(error),
        ...makeRequestField(sending.message),
      });
      if (again) this.#pause(sending, lane, pause);
    } finally {
      lane.underWay -= 1;
    }
  }

  /** Puts a message back into its queue after a pause, in which other messages are sent. */
  #pause({ message, tries }: QueuedMessage, lane: Lane, milliseconds: number): void {
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

function getDomain(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** True unless the SMTP reply is 5yz, which is permanent (RFC 5321, 4.2.1). An error without a reply counts as temporary. */
function isTemporary(error: unknown): boolean {
  const { responseCode } = errorCodes(error);
  return responseCode === null || responseCode < 500;
}

function errorCodes(error: unknown): { code: string | null; command: string | null; responseCode: number | null } {
  const fault: Readonly<Record<string, unknown>> = error instanceof Error ? { ...error } : {};
  const { code, command, responseCode } = fault;
  return {
    code: typeof code === "string" ? code : null,
    command: typeof command === "string" && /^[A-Z ]{1,20}$/.test(command) ? command : null,
    responseCode: typeof responseCode === "number" ? responseCode : null,
  };
}

/** Returns the field `reqId`, with which log lines about a message can be found from those about its request. */
function makeRequestField({ requestId: reqId }: Message): { reqId?: string } {
  return reqId === undefined ? {} : { reqId };
}

export interface MailTransport {
  deliver(message: Message): Promise<void>;
  /** Connects to the mail server and signs in; rejects if that fails. Null if the transport needs no server. */
  readonly verify: (() => Promise<unknown>) | null;
  close(): void;
}

/** Timeouts of SMTP in milliseconds: to connect, and for a server that has stopped responding. */
const CONNECT_MILLISECONDS = 10_000;
const SILENCE_MILLISECONDS = 20_000;

/** Options of every message. They forbid content from files and URLs, and mark the message as automatic (RFC 3834). */
const COMMON = {
  disableFileAccess: true,
  disableUrlAccess: true,
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
} as const;

/**
 * Sends over SMTP: `smtp://user:password@host:587` or `smtps://…`. With a password it requires TLS, unless the URL
 * contains `?requireTLS=false`.
 * @throws ConfigurationError for an invalid URL; the message omits it, because it may contain a password
 */
export function smtpTransport(address: string, from: string): MailTransport {
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
  return {
    deliver: (message) => send(transport, message, from),
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}

function smtpUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "") return url;
  throw new ConfigurationError("SMTP_URL is not an SMTP URL; set it to a URL such as smtps://user:password@host:465");
}

/** Headers of a text that is not encoded. The mail library would encode lines that are longer than 76 characters. */
const PLAIN_TEXT = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit";

/**
 * Writes each message into a file that only its owner can read, for development. Its text is not encoded, so that a link can be
 * copied from it.
 */
export function folderTransport(folder: string, from: string, log: Effects["log"]): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  return {
    async deliver(message) {
      const text = { raw: `${PLAIN_TEXT}\r\n\r\n${message.text}` };
      const composed = await transport.sendMail({ ...composedMail(message, from), text });
      if (!Buffer.isBuffer(composed.message))
        throw new TypeError("the mail library did not return the composed email as bytes; report this");
      const instant = message.at.toISOString().replace(/[:.]/g, "-");
      const path = join(folder, `${instant}-${randomBytes(4).toString("hex")}.eml`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(path, composed.message.toString(), 0o600);
      log({ level: "info", event: "mail-written", path, ...makeRequestField(message) });
    },
    verify: null,
    close: () => transport.close(),
  };
}

async function send(transport: Transporter, message: Message, from: string): Promise<void> {
  await transport.sendMail(composedMail(message, from));
}

/** Composes an email. The address has no display name, so that its text cannot add a recipient or a header. */
function composedMail({ to, subject, text, html, at, headers = {} }: Message, from: string) {
  return {
    ...COMMON,
    headers: { ...COMMON.headers, ...headers },
    from,
    to: { name: "", address: to },
    subject,
    text,
    html,
    date: at,
  };
}

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly at: Date;
  /** ID of the request that caused the message, for the log. */
  readonly requestId?: string;
  /** Headers besides those that every message has, such as List-Unsubscribe. */
  readonly headers?: Readonly<Record<string, string>>;
}
