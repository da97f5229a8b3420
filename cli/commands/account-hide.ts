/** share-release account hide: removes researchers who opted out from the files too, by one command: build, activate, prune. */

import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import { removeWork, type Store } from "../../pipeline/store/store.ts";
import { buildAndActivate, type ReleaseResult } from "../../releases/activate.ts";
import { type PruneResult, prune } from "../../releases/prune.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { hiddenResearchers } from "../../server/accounts/moderation.ts";
import { withAccounts } from "../options/accounts.ts";
import { clocked, sleep, withEffects } from "../options/effects.ts";
import { UsageError } from "../options/exit-codes.ts";
import { forceOption, Gated } from "../options/releases.ts";
import {
  command,
  memoryOption,
  plainPath,
  printResult,
  readableFile,
  type SharedOptions,
  storeOf,
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

/** Servers follow an activation within a second or so; until then the release before is theirs. */
const LOOKS = 60;

export function hideCommand(): Command {
  return command(
    "hide",
    "make the active release again without those who opted out, activate it, and remove the releases that name them",
    ["account hide", "account hide --keep-releases"],
  )
    .option("--ror <file>", "the ROR dump the release was built with")
    .option("--citations <file>", "the citations the release was built with")
    .option("--keep-releases", "leave the older releases, which name them, where they are")
    .addOption(threadsOption)
    .addOption(memoryOption("the payloads"))
    .addOption(signOption)
    .addOption(unsignedOption)
    .addOption(forceOption)
    .action(async (options: HideOptions) => {
      const store = storeOf(options);
      const active = await currentDigest(store);
      const receipt = active === null ? null : await readReceipt(store.release(active));
      if (receipt === null)
        throw new UsageError(`no release is active in ${store.root}: there is nothing to make again`);
      const hidden = await withAccounts(options, ({ db }) => hiddenResearchers(db));
      const began = performance.now();
      const ids = hidden.map(({ id }) => id);
      const result = await withEffects((effects) => buildWithout(store, receipt, ids, options, effects));
      await removeWork(store);
      if (!result.activated) throw await Gated.of(store, result.receipt, result.gated);
      const { removed, kept } = options.keepReleases ? { removed: [], kept: [] } : await pruneAll(store);
      const { releaseDigest } = result.receipt;
      const seconds = Math.ceil((performance.now() - began) / 1000);
      const summary = { releaseDigest, withheld: ids.length, removed, kept, seconds };
      printResult(options, summary, () =>
        [
          `${releaseDigest} is active, ${plural(ids.length, "researcher")} withheld; ${plural(removed.length, "older release")} removed, in ${seconds} s`,
          ...kept.map((each) => `stays, and may name them: ${each.releaseDigest} (${each.why})`),
        ].join("\n"),
      );
    });
}

/** As the active release was built: the day, the sources and the parts that its receipt tells. */
async function buildWithout(
  store: Store,
  { asOf, sources, rubrics, attribution, history, enrichments, license }: Receipt,
  withheld: readonly string[],
  { ror, citations, threads, memory, sign, unsigned, force }: HideOptions,
  effects: Effects,
): Promise<ReleaseResult> {
  const given = new Map([
    ["ror", ror],
    ["citations", citations],
  ]);
  for (const name of Object.keys(enrichments)) {
    if (given.get(name) === undefined)
      throw new UsageError(`the active release was built with --${name}: give that file again`);
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
  return buildAndActivate(store, options, effects);
}

/** Everything older, once no server answers from it any more; what still does is named. */
async function pruneAll(store: Store): Promise<Omit<PruneResult, "leftovers">> {
  const removed: string[] = [];
  for (let look = 1; ; look += 1) {
    const pruned = await prune(store, 1, false, clocked());
    removed.push(...pruned.removed);
    if (look === LOOKS || !pruned.kept.some(({ why }) => why === "served")) return { removed, kept: pruned.kept };
    await sleep(500);
  }
}
