/** Looks for emails to send at an interval, until it is closed. */

import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import { poll } from "../http/poll.ts";

/** Sends the emails that are due, until the signal fires. Adds the message of each error that it survives to `errors`. */
export type Look = (errors: Set<string>, signal: AbortSignal) => Promise<void>;

export class Mailer {
  readonly #over = new AbortController();
  readonly #loop: Promise<void>;
  /** The errors of the last look for emails. An error that occurs again is not logged again. */
  #known: ReadonlySet<string> = new Set();

  /** `event` is the name under which errors of `look` are logged. */
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
