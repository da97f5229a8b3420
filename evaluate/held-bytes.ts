/** A bound on what is held at a time of services' answers, over all evaluations: beyond it, no further request is sent. */

import type { Told } from "./told.ts";
import { ServiceBusy } from "./upstream-fault.ts";

/** Of all evaluations. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Of one: a record may have 5 MB, and stands in answers that say more. */
const MOST_BYTES_OF_ONE = 16 * 1024 * 1024;

/** Milliseconds after which there is room, as a rule. */
const SOON = 30_000;

export class HeldBytes {
  #bytes = 0;

  /** What one evaluation holds; release it at its end. */
  open() {
    let held = 0;
    return {
      /** @throws ServiceBusy where there is no room for an answer of the greatest size */
      during: async (greatest: number, ask: () => Promise<Told>): Promise<Told> => {
        if (held > MOST_BYTES_OF_ONE || this.#bytes + greatest > MOST_BYTES) throw new ServiceBusy(SOON);
        this.#bytes += greatest;
        try {
          const told = await ask();
          const bytes = told.kind === "answer" ? told.body.byteLength : 0;
          held += bytes;
          this.#bytes += bytes;
          return told;
        } finally {
          this.#bytes -= greatest;
        }
      },
      release: () => {
        this.#bytes -= held;
        held = 0;
      },
    };
  }
}
