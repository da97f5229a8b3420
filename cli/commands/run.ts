/** share-release run: what is due is harvested, and the release of it built, verified, published and activated: one command. */

import type { Command } from "commander";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { run, type Standing, standingOf, wasWalked } from "../../releases/run/index.ts";
import { failedHarvests, type RunStep, type RunSummary, readUnderWay } from "../../releases/run/under-way.ts";
import { knownSource, sourceNames } from "../options/asked-source.ts";
import { withEffects } from "../options/effects.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { DONE_WITH_REFUSALS, RunFailed, STEP_FAILED, UsageError } from "../options/exit-codes.ts";
import { requirePast, today } from "../options/past-day.ts";
import { type BuildRequestOptions, buildRequestOf, withBuildRequest } from "../options/requests/build-request.ts";
import { everyOption, type Intervals, intervalOf } from "../options/requests/intervals.ts";
import { type NotifyOptions, notifyRequestOf, withNotify } from "../options/requests/notify-request.ts";
import {
  type PublishRequestOptions,
  publishRequestOf,
  withPublishRequest,
} from "../options/requests/publish-request.ts";
import { walkOf } from "../options/requests/walk-request.ts";
import { command, countArgument, dayArgument, printResult } from "../options/shared.ts";
import { buildSignerFrom } from "../options/signing-key.ts";
import { runText } from "../text/runs/run-text.ts";
import { BUILD_PLAN, type Plan, RESCORE_PLAN } from "../text/whole-progress.ts";

interface RunOptions extends BuildRequestOptions, PublishRequestOptions, NotifyOptions {
  readonly every?: Intervals;
  readonly since?: string;
  readonly maxRequests?: number;
  readonly maxMinutes?: number;
  readonly mayFail?: number;
  readonly to?: string;
}

/** What part of a step's time each of its stages takes. */
const PLANS: Partial<Record<RunStep, Plan>> = {
  build: BUILD_PLAN,
  verify: RESCORE_PLAN,
};

export function runCommand(): Command {
  const asked = command(
    "run",
    "harvest the sources that are due, then build, verify, publish and activate: goes on where the last run stopped",
    ["run", "run zenodo dryad --since 2026-10-01", "run --every 20h datacite=7d --to /srv/www/scores"],
  )
    .argument("[sources...]", `of ${sourceNames()}; those that were harvested over the network before if none is given`)
    .addOption(everyOption)
    .option(
      "--since <day>",
      "of a source that was never harvested: only what changed on or after this day",
      dayArgument,
    )
    .option("--max-requests <n>", "pause a harvest after this many requests; the next run goes on", countArgument(1))
    .option("--max-minutes <n>", "pause a harvest after this many minutes; the next run goes on", countArgument(1))
    .option(
      "--may-fail <n>",
      "build if no more than so many due sources failed; any number if left out",
      countArgument(0),
    )
    .option("--to <target>", "publish to a folder, or s3://bucket/prefix, before it is activated");
  asked.addHelpText("after", () => {
    const steps = Object.entries(STEP_FAILED).map(([step, code]) => `${code} ${step}`);
    return `\nExit codes beside those of every command: the step that did not do what it should (${steps.join(", ")}).`;
  });
  return withNotify(withPublishRequest(withBuildRequest(asked))).action(
    async (names: string[], options: RunOptions) => {
      if (options.since !== undefined) requirePast("--since", options.since);
      const named = [...new Set(names.map(knownSource))];
      const request = await buildRequestOf(options);
      const store = existingStoreOf(options);
      const sending = options.to === undefined ? null : await publishRequestOf(store, options.to, options);
      const listeners = await notifyRequestOf(options);
      const left = await readUnderWay(store);
      const sources = named.length > 0 ? named : await walkedSources(store, left?.sources ?? []);
      // The day that was given for some sources is not that of others.
      const since = options.since ?? (named.length === 0 ? left?.since : null) ?? null;
      const every = intervalOf(
        options.every,
        sources.map(({ name }) => name),
      );
      const asked = {
        sources,
        since,
        every,
        mayFail: options.mayFail ?? null,
        notify: listeners,
        harvest: walksOf(store, sources, { ...options, since }),
        build: {
          ...request,
          sources: SOURCES.map(({ name }) => name).sort(),
          signer: await buildSignerFrom(options, store),
        },
        publish: sending,
      };
      const { summary, error } = await run(
        store,
        asked,
        (step, work) => withEffects(work, PLANS[step] ?? null),
        () => new Date(),
      );
      printResult(options, summary, runText);
      if (summary.failed !== null) throw new RunFailed(summary.failed.step, error);
      process.exitCode = exitCodeOf(summary);
    },
  );
}

/** Done, but for sources that could not be harvested or input that this run refused. */
function exitCodeOf(summary: RunSummary): number {
  if (failedHarvests(summary).length > 0) return STEP_FAILED.harvest;
  return summary.harvests.some(({ refused }) => refused > 0) ? DONE_WITH_REFUSALS : 0;
}

/**
 * Those that were walked, and those that a run which came to no end was to walk.
 * @throws UsageError where there is none: what is to be harvested is for people to say, once
 */
async function walkedSources(store: Store, left: readonly string[]): Promise<Source[]> {
  const walked: Source[] = [];
  for (const source of SOURCES) {
    const named = left.includes(source.name);
    if (named || wasWalked(await standingOf(store, source, 0, new Date()))) walked.push(source);
  }
  if (walked.length > 0) return walked;
  throw new UsageError(
    `no source was harvested over the network into ${store.root} yet: name those that are to be, such as \`share-release run zenodo --since ${today()}\``,
  );
}

/** A source that was harvested is asked for what changed since; one whose walk was interrupted, for the rest of it. */
function walksOf(
  store: Store,
  sources: readonly Source[],
  options: Omit<RunOptions, "since"> & { readonly since: string | null },
) {
  const bounds = { requests: options.maxRequests ?? null, minutes: options.maxMinutes ?? null };
  const asking = (source: Source, since: string | null) => walkOf(store, source, { since, limit: null, bounds });
  // What is wrong with the environment is said before anything begins.
  for (const source of sources) asking(source, null);
  return (source: Source, { last, underWay }: Standing, effects: Effects) => {
    const first = last === null ? options.since : "last";
    return asking(source, underWay === null ? first : underWay.asked)(effects);
  };
}
