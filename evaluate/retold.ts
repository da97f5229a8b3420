/** The world of one step: requests and waits are answered from what was told before, and the first new one ends the step. */

import { BodyTooLarge } from "../pipeline/1-harvest/session/errors.ts";
import type { Effects, LogEvent } from "../pipeline/stage/effects.ts";
import type { StepAnswer, Told } from "./told.ts";

type Needed = Extract<StepAnswer, { kind: "ask" | "wait" }>;

/** Statuses whose answers have no body (fetch, "null body status"). */
const BODILESS = [101, 103, 204, 205, 304];

export class Retold {
  /** What was not told yet and is needed. It never comes where everything was. */
  readonly needed: Promise<Needed>;
  readonly #need: (needed: Needed) => void;
  readonly #told: readonly Told[];
  readonly #share: number;
  #next = 0;
  #at: string;
  /** Of this step alone: what was logged before it was handed on then. */
  #logged: LogEvent[] = [];

  constructor(told: readonly Told[], { at, share }: { readonly at: string; readonly share: number }) {
    const { promise, resolve } = Promise.withResolvers<Needed>();
    this.needed = promise;
    this.#need = resolve;
    this.#told = told;
    this.#share = share;
    this.#at = at;
  }

  /** Effects whose requests go to `service`. */
  effects(service: string): Effects {
    return {
      fetch: (input, init) => this.#fetch(service, String(input), init),
      sleep: (milliseconds) => this.#sleep(milliseconds),
      now: () => new Date(this.#at),
      random: () => this.#share,
      log: (event) => this.#log(event),
      progress: () => undefined,
    };
  }

  async #fetch(service: string, url: string, init: RequestInit = {}): Promise<Response> {
    const told = this.#recall();
    if (told === null) {
      const body = typeof init.body === "string" ? init.body : null;
      return this.#end({ kind: "ask", service, url, headers: [...new Headers(init.headers)], body, logged: [] });
    }
    switch (told.kind) {
      case "answer": {
        const body = BODILESS.includes(told.status) ? null : Buffer.from(told.body);
        return new Response(body, { status: told.status, headers: told.headers.map(([name, value]) => [name, value]) });
      }
      case "too-large":
        throw new BodyTooLarge(told.message);
      case "failed":
        throw Object.assign(new Error(told.message), {
          name: told.name,
          ...(told.code !== null && { code: told.code }),
        });
      case "waited":
        throw new Error("an answer was due, and a wait was told of");
      default:
        return told satisfies never;
    }
  }

  async #sleep(milliseconds: number): Promise<void> {
    const told = this.#recall();
    if (told === null) return this.#end({ kind: "wait", milliseconds, logged: [] });
    if (told.kind !== "waited") throw new Error("a wait was due, and an answer was told of");
  }

  #recall(): Told | null {
    const told = this.#told[this.#next];
    if (told === undefined) return null;
    this.#next += 1;
    this.#at = told.at;
    this.#logged = [];
    return told;
  }

  /** Whoever waits here is forgotten with the step. */
  #end(needed: Needed): Promise<never> {
    this.#need({ ...needed, logged: this.#logged.slice(0, 20).map(logOf) });
    return new Promise(() => undefined);
  }

  #log(event: LogEvent): void {
    this.#logged.push(event);
  }
}

/** What the requests of one record log. */
function logOf({ level, event, source, reason, attempt, wait }: LogEvent): Needed["logged"][number] {
  return {
    level,
    event,
    ...(typeof source === "string" && { source }),
    ...(typeof reason === "string" && { reason: reason.slice(0, 1000) }),
    ...(typeof attempt === "number" && { attempt }),
    ...(typeof wait === "number" && { wait }),
  };
}
