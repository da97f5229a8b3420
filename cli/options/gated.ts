/** The options and the refusal that the commands which activate have for gates. */

import { InvalidArgumentError, Option } from "commander";
import { refusalText } from "../../pipeline/6-release/gates.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DEFAULT_GATE_LIMITS, type Gate, type GateLimits, gateLimits } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";

const DEFAULTS = Object.entries(DEFAULT_GATE_LIMITS).map(([name, limit]) => `${name}=${limit}`);

/** Other bounds than the default ones, by name. */
export const gateOption = new Option(
  "--gate <bounds...>",
  `other bounds of the gates before activation than ${DEFAULTS.join(" ")}`,
).argParser(parseBounds);

/** Activates whatever the gates say. */
export const forceOption = forced(
  "activate even if a gate is not passed, it was retracted, its key was revoked, or it names people who opted out; the reason is kept",
);

/** Leads those who follow to a release that was retracted. */
export const publishForceOption = forced(
  "move the pointer there even if it was retracted, its key revoked, or it names people who opted out; a folder keeps the reason",
);

function forced(words: string): Option {
  return new Option("--force <reason>", words).argParser((reason: string) => {
    if (reason.trim() === "") throw new InvalidArgumentError("give the reason in words.");
    return reason.trim();
  });
}

function parseBounds(text: string, before: GateLimits = DEFAULT_GATE_LIMITS): GateLimits {
  const [name = "", value = ""] = text.split("=");
  const limits = gateLimits.safeParse({ ...before, [name]: value.trim() === "" ? Number.NaN : Number(value) });
  if (!limits.success) throw new InvalidArgumentError(`expected a bound such as ${DEFAULTS[0]}.`);
  return limits.data;
}

/** The release is there and is not active. */
export class Gated extends Error {
  readonly code = "ERR_GATED";
  constructor(message: string) {
    super(message);
    this.name = "Gated";
  }

  static async of(store: Store, receipt: Receipt, gates: readonly Gate[]): Promise<Gated> {
    return new Gated(await refusalText(store, receipt, gates));
  }
}
