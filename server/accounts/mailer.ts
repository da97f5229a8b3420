/** Looks at regular intervals for emails that are due, until the server closes. */

import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import { poll } from "../http/poll.ts";

/** Sends the emails that are due, until the signal fires. Adds the messages of errors that did not stop it to `errors`. */
export type Look = (errors: Set<string>, signal: AbortSignal) => Promise<void>;

export class Mailer {
  readonly #over = new AbortController();
  readonly #loop: Promise<void>;
  /** The messages of the errors in the last look for emails. The same error is not logged again. */
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
