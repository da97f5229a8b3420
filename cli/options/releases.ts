/** Finds the release that a command names, and checks the gates before an activation. */

import { InvalidArgumentError, Option } from "commander";
import { rejectionText } from "../../pipeline/6-release/gates.ts";
import { currentDigest, findDigest, listReleases } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { previousDigest } from "../../releases/rollback.ts";
import { DEFAULT_GATE_LIMITS, type Gate, type GateLimits, gateLimits } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { warn } from "../terminal/log-line.ts";
import { CommandFailed } from "./exit-codes.ts";

/** Help text for an argument or option that names a release. */
export const RELEASE_NAMES = "Release: a label, a digest or its first digits, `active` or `previous`";

/**
 * Returns the full digest of a release, given its label, digest or another name.
 * @param find finds a release by the first digits of its digest
 * @throws CommandFailed if no release is active, or several have that label; ReleaseNotFound, NothingBefore
 */
export async function namedRelease(store: Store, name: string, find = findDigest): Promise<string> {
  if (name === "active") return (await currentDigest(store)) ?? failWithoutActive(store);
  if (name === "previous") return previousDigest(store);
  const labelled = isDigest(name)
    ? []
    : (await listReleases(store, () => undefined)).filter(({ scoreReleaseVersion }) => scoreReleaseVersion === name);
  const [one, ...others] = labelled.map(({ releaseDigest }) => releaseDigest);
  if (others.length > 0)
    throw new CommandFailed(
      `${labelled.length} releases have the label ${name}: ${[one, ...others].join(", ")}. Give the digest of one of them.`,
    );
  return one ?? find(store, name);
}

function isDigest(name: string): boolean {
  return /^(?:sha256[:-])?[0-9a-f]*$/.test(name);
}

/**
 * Returns the full digest of the named release. Without a name, returns that of the active release; if none is active, that
 * of the newest.
 * @throws CommandFailed if there is no release; ReleaseNotFound if none has that name
 */
export async function releaseOrNewest(store: Store, name: string | undefined): Promise<string> {
  if (name !== undefined) return namedRelease(store, name);
  const active = await currentDigest(store);
  if (active !== null) return active;
  const { releaseDigest, scoreReleaseVersion } = await newestRelease(store);
  warn({ event: "no-active-release", newest: scoreReleaseVersion, digest: releaseDigest });
  return releaseDigest;
}

/**
 * Returns the full digest of the named release; without a name, that of the active release. For commands whose results
 * other people see.
 * @throws CommandFailed if none is active; ReleaseNotFound if none has that name
 */
export async function releaseOrActive(store: Store, name = "active"): Promise<string> {
  return namedRelease(store, name);
}

async function failWithoutActive(store: Store): Promise<never> {
  const { releaseDigest } = await newestRelease(store);
  throw new CommandFailed(
    `no release is active in ${store.root}. Activate one with \`share-release release activate\`, or name the release: the newest is ${releaseDigest}.`,
  );
}

async function newestRelease(store: Store): Promise<Receipt> {
  const newest = (await listReleases(store, () => undefined)).at(-1);
  if (newest === undefined)
    throw new CommandFailed(`there is no release in ${store.root}; create one with \`share-release build\``);
  return newest;
}

const DEFAULT_BOUNDS = Object.entries(DEFAULT_GATE_LIMITS).map(([name, limit]) => `${name}=${limit}`);

export const gateOption = new Option(
  "--gate <bounds...>",
  `Bounds of the gates before activation (default: ${DEFAULT_BOUNDS.join(" ")})`,
).argParser(parseBounds);

export const forceOption = reasonOption(
  "Activate despite failed gates, a retraction, a revoked key or names of people who opted out; the reason is recorded",
);

export const publishForceOption = reasonOption(
  "Publish despite a retraction, a revoked key or names of people who opted out; a folder records the reason",
);

function reasonOption(description: string): Option {
  return new Option("--force <reason>", description).argParser((reason: string) => {
    if (reason.trim() === "") throw new InvalidArgumentError("the reason is empty; write one line that says why.");
    return reason.trim();
  });
}

function parseBounds(text: string, before: GateLimits = DEFAULT_GATE_LIMITS): GateLimits {
  const [name = "", value = ""] = text.split("=");
  const limits = gateLimits.safeParse({ ...before, [name]: value.trim() === "" ? Number.NaN : Number(value) });
  if (!limits.success) throw new InvalidArgumentError(`expected a bound such as ${DEFAULT_BOUNDS[0]}.`);
  return limits.data;
}

/** The error if a release was built but not activated, because a gate failed. */
export class GatesFailed extends Error {
  readonly code = "ERR_GATED";
  constructor(message: string) {
    super(message);
    this.name = "GatesFailed";
  }

  static async of(store: Store, receipt: Receipt, gates: readonly Gate[]): Promise<GatesFailed> {
    return new GatesFailed(await rejectionText(store, receipt, gates));
  }
}
