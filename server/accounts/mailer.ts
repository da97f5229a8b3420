/** Looks for emails to send at an interval, until it is closed. */

import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import { poll } from "../http/poll.ts";

/** Sends the emails that are due. It adds the messages of errors that do not end it, and stops after the signal. */
export type Look = (errors: Set<string>, signal: AbortSignal) => Promise<void>;

export class Mailer {
  readonly #over = new AbortController();
  readonly #loop: Promise<void>;
  /** The errors of the last look, so that a continuing one is logged once. */
  #known: ReadonlySet<string> = new Set();

  /** `event` is the name of its errors in the log. */
  constructor(look: Look, event: string, { sleep, log }: Pick<Effects, "sleep" | "log">, pollMilliseconds: number) {
    const { signal } = this.#over;
    const lookOnce = async () => {
      const errors = new Set<string>();
      await look(errors, signal).catch((error) => errors.add(getErrorMessage(error)));
      for (const message of errors) if (!this.#known.has(message)) log({ level: "error", event, message });
      this.#known = errors;
    };
    this.#loop = poll(lookOnce, pollMilliseconds, sleep, signal);
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#loop;
  }
}
