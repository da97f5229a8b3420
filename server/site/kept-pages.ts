/**
 * Pages that were made lately: right for as long as the release, what is said of it and what people asked for of themselves
 * stay the same.
 */

import type { Standings } from "../accounts/hidden/standings.ts";
import type { PageAnswer } from "../http/answer.ts";
import type { ActiveRelease } from "../read/release/active-release.ts";
import { AnswerCache } from "../read/release/answer-cache.ts";

/** Some hundreds of pages. */
const BYTES = 16 * 1024 * 1024;

export class KeptPages {
  readonly #active: Pick<ActiveRelease, "digest" | "retractions">;
  readonly #standings: Pick<Standings, "current">;
  #of: { readonly digest: string | null; readonly retractions: object; readonly standing: object };
  #pages = new AnswerCache(BYTES);

  constructor(active: Pick<ActiveRelease, "digest" | "retractions">, standings: Pick<Standings, "current">) {
    this.#active = active;
    this.#standings = standings;
    this.#of = { digest: active.digest, retractions: active.retractions, standing: standings.current };
  }

  /** `target`: path and query as they were sent. */
  get(target: string): PageAnswer | undefined {
    this.#forgetOld();
    return this.#pages.get(target);
  }

  /** What says under which release a page was made; a page that took until there was another is not kept. */
  get moment(): object {
    this.#forgetOld();
    return this.#of;
  }

  set(target: string, answer: PageAnswer, moment: object): void {
    if (this.moment === moment) this.#pages.set(target, answer);
  }

  #forgetOld(): void {
    const { digest, retractions } = this.#active;
    const { current: standing } = this.#standings;
    const of = this.#of;
    if (of.digest === digest && of.retractions === retractions && of.standing === standing) return;
    this.#of = { digest, retractions, standing };
    this.#pages = new AnswerCache(BYTES);
  }
}
