/**
 * Messages on their way: handed over at once, sent in their own time, tried again where a server is away. What is logged of
 * a failure names neither the address nor what was written; servers repeat addresses in their words, so those are left out.
 */

import type { Effects } from "../../pipeline/effects.ts";
import type { Message } from "./message.ts";
import type { PostOffice } from "./post-office.ts";

/** Messages that may wait; whoever asks for a further one is told to wait. */
const MOST_WAITING = 1000;

/** Messages under way at a time. */
const AT_ONCE = 4;

/** Before the second try, the third and so on; a link is of use for a quarter of an hour. */
const PAUSES_MILLISECONDS = [1000, 10_000, 60_000, 180_000] as const;

type OutboxEffects = Pick<Effects, "sleep" | "log">;

export class Outbox {
  readonly #office: PostOffice;
  readonly #effects: OutboxEffects;
  readonly #waiting: Message[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #over = new AbortController();

  constructor(office: PostOffice, effects: OutboxEffects) {
    this.#office = office;
    this.#effects = effects;
  }

  hasRoom(): boolean {
    return this.#waiting.length < MOST_WAITING;
  }

  /** Returns at once, whatever becomes of the message. */
  post(message: Message): void {
    this.#waiting.push(message);
    this.#fill();
  }

  /** Sends what can be sent within the grace; what waits for another try is given up. */
  async close(graceMilliseconds: number): Promise<void> {
    this.#over.abort();
    const grace = new AbortController();
    const late = this.#effects.sleep(graceMilliseconds, grace.signal).catch(() => undefined);
    await Promise.race([this.#emptied(), late]);
    grace.abort();
    const lost = this.#waiting.length + this.#underWay.size;
    if (lost > 0) this.#effects.log({ level: "warn", event: "mail-given-up", messages: lost });
    this.#waiting.length = 0;
    this.#office.close();
  }

  async #emptied(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #fill(): void {
    while (this.#underWay.size < AT_ONCE) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      const sent = this.#send(message).finally(() => {
        this.#underWay.delete(sent);
        this.#fill();
      });
      this.#underWay.add(sent);
    }
  }

  async #send(message: Message): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#office.deliver(message);
      } catch (error) {
        const pause = PAUSES_MILLISECONDS[tries - 1];
        const again = pause !== undefined && mayPass(error) && !this.#over.signal.aborted;
        this.#effects.log({ level: again ? "warn" : "error", event: "mail-not-sent", tries, again, ...faultOf(error) });
        if (!again) return;
        await this.#effects.sleep(pause, this.#over.signal).catch(() => undefined);
      }
    }
  }
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
