/** Releases as commands name them, and the gates before one becomes active. */

import { InvalidArgumentError, Option } from "commander";
import { refusalText } from "../../pipeline/6-release/gates.ts";
import { currentDigest, findDigest, listReleases } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { previousDigest } from "../../releases/rollback.ts";
import { DEFAULT_GATE_LIMITS, type Gate, type GateLimits, gateLimits } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { warn } from "../terminal/log-line.ts";
import { UsageError } from "./exit-codes.ts";

/** The help of an argument or option that names a release. */
export const RELEASE_NAMES = "a label, a digest or its beginning, `active` or `previous`";

/**
 * Returns the whole digest of the release of that name.
 * @param find looks for the beginning of a digest
 * @throws UsageError if no release is active, or several have that label; ReleaseNotFound, NothingBefore
 */
export async function namedRelease(store: Store, name: string, find = findDigest): Promise<string> {
  if (name === "active") return (await currentDigest(store)) ?? noneActive(store);
  if (name === "previous") return previousDigest(store);
  const labelled = isDigest(name)
    ? []
    : (await listReleases(store, () => undefined)).filter(({ scoreReleaseVersion }) => scoreReleaseVersion === name);
  const [one, ...others] = labelled.map(({ releaseDigest }) => releaseDigest);
  if (others.length > 0)
    throw new UsageError(
      `${labelled.length} releases have the label ${name}: ${[one, ...others].join(", ")}. Give a digest.`,
    );
  return one ?? find(store, name);
}

function isDigest(name: string): boolean {
  return /^(?:sha256[:-])?[0-9a-f]*$/.test(name);
}

/**
 * Returns the whole digest of the named release; without a name, of the active or else the newest one.
 * @throws UsageError if there is no release; ReleaseNotFound if none has that name
 */
export async function wantedRelease(store: Store, given: string | undefined): Promise<string> {
  if (given !== undefined) return namedRelease(store, given);
  const active = await currentDigest(store);
  if (active !== null) return active;
  const { releaseDigest, scoreReleaseVersion } = await newestRelease(store);
  warn({ event: "no-active-release", newest: scoreReleaseVersion, digest: releaseDigest });
  return releaseDigest;
}

/**
 * Returns the same for a command whose work others see: without a name only the active release will do.
 * @throws UsageError if none is active; ReleaseNotFound if none has that name
 */
export async function activeRelease(store: Store, given = "active"): Promise<string> {
  return namedRelease(store, given);
}

async function noneActive(store: Store): Promise<never> {
  const { releaseDigest } = await newestRelease(store);
  throw new UsageError(
    `no release is active in ${store.root}. Activate one with \`share-release release activate\`, or name the release: the newest is ${releaseDigest}.`,
  );
}

async function newestRelease(store: Store): Promise<Receipt> {
  const newest = (await listReleases(store, () => undefined)).at(-1);
  if (newest === undefined)
    throw new UsageError(`there is no release in ${store.root}; make one with \`share-release build\``);
  return newest;
}

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
