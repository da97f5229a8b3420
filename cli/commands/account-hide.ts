/**
 * share-release account hide: removes from all releases the researchers who asked to be hidden. Builds and activates
 * a release without them, and prunes all other releases, which still contain them.
 */

import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { signHead } from "../../pipeline/store/head.ts";
import { changeNow, currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import { removeWork, type Store } from "../../pipeline/store/store.ts";
import { buildAndActivate, type ReleaseResult } from "../../releases/activate.ts";
import { prune, type RetainedRelease } from "../../releases/prune.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { hiddenResearchers } from "../../server/accounts/moderation.ts";
import { withAccounts } from "../options/accounts.ts";
import { clockEffects, sleep, withEffects } from "../options/effects.ts";
import { CommandFailed, DONE_WITH_REJECTIONS, UsageError } from "../options/exit-codes.ts";
import { forceOption, GatesFailed } from "../options/releases.ts";
import {
  command,
  memoryOption,
  openChosenStore,
  plainPath,
  printResult,
  readableFile,
  type SharedOptions,
  threadsOption,
} from "../options/shared.ts";
import { buildSignerFrom, signOption, unsignedOption } from "../options/signing.ts";

interface HideOptions extends SharedOptions {
  readonly ror?: string;
  readonly citations?: string;
  readonly threads: number;
  readonly memory: string | null;
  readonly sign?: readonly string[];
  readonly unsigned?: true;
  readonly force?: string;
  readonly keepReleases?: true;
}

/**
 * Largest number of attempts to prune, half a second apart. A server keeps using the old release for about a second
 * after an activation.
 */
const MAX_ATTEMPTS = 60;

type Reason = Exclude<RetainedRelease["why"], "active">;

/** A release other than the active one that could not be removed. */
interface RemainingRelease extends RetainedRelease {
  readonly why: Reason;
}

const NEXT_STEPS: Readonly<Record<Reason, string>> = {
  served:
    "a server uses it, or was killed less than ten minutes ago: wait until the server has changed to the active release, or stop it, and run `share-release account hide` again",
  held: "a process reads it, such as a publication: run `share-release account hide` again when it has ended",
  history:
    "the next build continues its history: run `share-release build` with history, and then `share-release account hide` again",
};

export function hideCommand(): Command {
  return command(
    "hide",
    "Build the active release again without researchers who opted out, activate it, and remove all others",
    ["account hide", "account hide --keep-releases"],
  )
    .option("--ror <file>", "ROR dump of the original build")
    .option("--citations <file>", "Citations of the original build")
    .option("--keep-releases", "Keep the other releases, although they name these researchers")
    .addOption(threadsOption())
    .addOption(memoryOption("payloads"))
    .addOption(signOption)
    .addOption(unsignedOption)
    .addOption(forceOption)
    .action(async (options: HideOptions) => {
      const store = openChosenStore(options);
      const active = await currentDigest(store);
      const receipt = active === null ? null : await readReceipt(store.release(active));
      if (receipt === null)
        throw new CommandFailed(
          `no release is active in ${store.root}, so there is nothing to build again; the next \`share-release build\` leaves out hidden researchers`,
        );
      const hidden = await withAccounts(options, ({ db }) => hiddenResearchers(db));
      if (hidden.length === 0) {
        const summary = { releaseDigest: receipt.releaseDigest, withheld: 0, removed: [], kept: [], seconds: 0 };
        printResult(options, summary, () => "nobody is hidden, so nothing was built or removed");
        return;
      }
      const began = performance.now();
      const ids = hidden.map(({ id }) => id);
      const result = await withEffects((effects) => buildWithout(store, receipt, ids, options, effects));
      await removeWork(store);
      if (!result.activated) throw await GatesFailed.of(store, result.receipt, result.gated);
      const { removed, kept } = options.keepReleases ? { removed: [], kept: [] } : await pruneAll(store);
      if (kept.length > 0) process.exitCode = DONE_WITH_REJECTIONS;
      const { releaseDigest } = result.receipt;
      const seconds = Math.ceil((performance.now() - began) / 1000);
      const summary = { releaseDigest, withheld: ids.length, removed, kept, seconds };
      printResult(options, summary, () =>
        [
          `${releaseDigest} is active, ${plural(ids.length, "researcher")} withheld; ${plural(removed.length, "other release")} removed, in ${seconds} s`,
          ...kept.map((each) => `not removed, and may name them: ${each.releaseDigest}; ${NEXT_STEPS[each.why]}`),
        ].join("\n"),
      );
    });
}

/** Builds a release like the active one, with the same day, sources and parts, but without the hidden researchers. */
async function buildWithout(
  store: Store,
  { asOf, sources, rubrics, attribution, history, enrichments, license }: Receipt,
  withheld: readonly string[],
  { ror, citations, threads, memory, sign, unsigned, force }: HideOptions,
  effects: Effects,
): Promise<ReleaseResult> {
  const files = new Map([
    ["ror", ror],
    ["citations", citations],
  ]);
  for (const name of Object.keys(enrichments)) {
    if (files.get(name) === undefined)
      throw new UsageError(`the active release was built with --${name}: give the same file again with --${name}`);
  }
  const file = async (option: string, path: string | undefined) =>
    path === undefined ? null : readableFile(option, plainPath(option, path));
  const options = {
    asOf,
    sources: sources.map(({ source }) => source),
    rubrics: rubrics.map(({ version }) => version),
    attribution: attribution !== null,
    history,
    withheld,
    ror: await file("--ror", ror),
    citations: await file("--citations", citations),
    threads,
    memory,
    ...(license === undefined ? {} : { licence: license }),
    activate: true,
    force: force ?? null,
    signer: await buildSignerFrom({ sign, unsigned }, store),
  };
  const result = await buildAndActivate(store, options, effects);
  if (result.activated && options.signer !== null) await signHead(store, options.signer, changeNow(effects));
  return result;
}

interface RemovalResult {
  readonly removed: readonly string[];
  readonly kept: readonly RemainingRelease[];
}

/**
 * Removes all releases but the active one, each as soon as no server uses it. Returns those that could not be removed.
 * The active release need not be the newest, because the clock may have been wrong when another was built.
 */
async function pruneAll(store: Store): Promise<RemovalResult> {
  const removed: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const pruned = await prune(store, 0, false, clockEffects());
    removed.push(...pruned.removed);
    const kept = pruned.kept.filter(isRemaining);
    if (attempt === MAX_ATTEMPTS || !kept.some(({ why }) => why === "served")) return { removed, kept };
    await sleep(500);
  }
}

function isRemaining(release: RetainedRelease): release is RemainingRelease {
  return release.why !== "active";
}
