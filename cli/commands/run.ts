/** share-release run: what is due is harvested, and the release of it built, verified, published and activated: one command. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type HarvestStatus, harvestStatus, run, wasWalked } from "../../releases/run/index.ts";
import {
  failedHarvests,
  type HarvestOfRun,
  type RunStep,
  type RunSummary,
  readUnfinishedRun,
} from "../../releases/run/unfinished-run.ts";
import { type BuildRequestOptions, buildRequestOf, withBuildRequest } from "../options/build-request.ts";
import { withEffects } from "../options/effects.ts";
import { DONE_WITH_REFUSALS, RunFailed, STEP_FAILED, UsageError } from "../options/exit-codes.ts";
import { type NotifyOptions, notifiedText, notifyRequestOf, withNotify } from "../options/notify-request.ts";
import { type PublishRequestOptions, publishRequestOf, withPublishRequest } from "../options/publish-request.ts";
import {
  command,
  countArgument,
  dayArgument,
  existingStoreOf,
  printResult,
  requirePast,
  today,
} from "../options/shared.ts";
import { buildSignerFrom } from "../options/signing.ts";
import { knownSource, sourceNames, walkOf } from "../options/sources.ts";
import { BUILD_PLAN, duration, type Plan, RESCORE_PLAN } from "../terminal/progress.ts";

interface RunOptions extends BuildRequestOptions, PublishRequestOptions, NotifyOptions {
  readonly interval?: Intervals;
  readonly since?: string;
  readonly maxRequests?: number;
  readonly maxMinutes?: number;
  readonly maxFailedSources?: number;
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
    ["run", "run zenodo dryad --since 2026-10-01", "run --interval 20h datacite=7d --to /srv/www/scores"],
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
      "--max-failed-sources <n>",
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
      const left = await readUnfinishedRun(store);
      const sources = named.length > 0 ? named : await walkedSources(store, left?.sources ?? []);
      // The day that was given for some sources is not that of others.
      const since = options.since ?? (named.length === 0 ? left?.since : null) ?? null;
      const every = intervalOf(
        options.interval,
        sources.map(({ name }) => name),
      );
      const asked = {
        sources,
        since,
        every,
        mayFail: options.maxFailedSources ?? null,
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
    if (named || wasWalked(await harvestStatus(store, source, 0, new Date()))) walked.push(source);
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
  return (source: Source, { last, underWay }: HarvestStatus, effects: Effects) => {
    const first = last === null ? options.since : "last";
    return asking(source, underWay === null ? first : underWay.since)(effects);
  };
}

/** Milliseconds, by source; of all others `else`. */
export interface Intervals {
  readonly else: number;
  readonly of: ReadonlyMap<string, number>;
}

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { m: HOUR / 60, h: HOUR, d: 24 * HOUR };

/** Hours, less than a day: a timer that runs every night, some minutes sooner than the night before, finds every source due. */
const USUAL = 20;
const DEFAULT = `${USUAL}h`;

const NOTHING: Intervals = { else: USUAL * HOUR, of: new Map() };

export const everyOption = new Option(
  "--interval <intervals...>",
  `how long after a harvest of a source began it is due again, such as ${DEFAULT}, 90m or 7d; of one source: zenodo=7d (default: ${DEFAULT})`,
).argParser((text: string, before: Intervals = NOTHING): Intervals => {
  const [, source, number = "", unit = ""] = /^(?:([a-z_]+)=)?(\d{1,5})([mhd])$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) throw new InvalidArgumentError("expected a time such as 20h, 90m or 7d, or zenodo=7d.");
  const interval = Number(number) * factor;
  return source === undefined
    ? { ...before, else: interval }
    : { ...before, of: new Map([...before.of, [source, interval]]) };
});

/**
 * The interval of each source.
 * @throws UsageError where one has an interval and is none of them
 */
export function intervalOf(
  { of, else: otherwise }: Intervals = NOTHING,
  sources: readonly string[],
): (source: string) => number {
  const stranger = [...of.keys()].find((each) => !sources.includes(each));
  if (stranger !== undefined) {
    throw new UsageError(`--interval ${stranger}=…: this run harvests ${sources.join(", ")}, and not ${stranger}`);
  }
  return (source) => of.get(source) ?? otherwise;
}

const OUTCOMES: Readonly<Record<RunSummary["outcome"], string>> = {
  activated: "Done: a release was made and is active.",
  "was-active": "Done: the release is active, as it was before.",
  nothing: "Nothing to do: no source is due, and the active release has all that was harvested.",
  failed: "Not done: the active release is as it was.",
};

export function runText(summary: RunSummary): string {
  const { harvests, release, gated, findings, published, failed, took } = summary;
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  const steps = took.steps.map(({ step, seconds }) => `${step} ${duration(seconds)}`).join(", ");
  return [
    `${OUTCOMES[summary.outcome]}${summary.resumed ? " It went on with a run that had not come to its end." : ""}`,
    ...harvests.map((each, i) => row(i === 0 ? "harvested" : "", harvestText(each))),
    ...(release === null ? [] : [row("release", releaseText(release, summary.asOf))]),
    ...gated.map(({ gate, source, detail }) => row("gate", [gate, source, detail].filter(Boolean).join(": "))),
    ...findings.slice(0, 20).map(({ check, detail }) => row("found", `${check}: ${detail}`)),
    ...(published === null
      ? []
      : [row("published", `${published.target}: ${plural(published.uploaded, "file")} sent`)]),
    ...notifiedText(summary.notified).map((line) => row("notified", line)),
    ...(failed === null ? [] : [row("failed", failed.step)]),
    row("took", `${duration(took.seconds)}${steps === "" ? "" : `: ${steps}`}`),
  ].join("\n");
}

function harvestText({ source, outcome, last, records, refused, resumed, why }: HarvestOfRun): string {
  if (outcome === "not-due") return `${source}: not due, harvested ${last ?? "never"}`;
  if (outcome === "failed") return `${source}: failed: ${why}`;
  const came = `${source}: ${plural(records, "record")}${refused > 0 ? `, ${refused} refused` : ""}`;
  const taken = resumed ? ", taken up where it stopped" : "";
  return `${came}${taken}${outcome === "complete" ? "" : `, ${outcome}: ${why}`}`;
}

function releaseText(
  { releaseDigest, scoreReleaseVersion, scored, built }: NonNullable<RunSummary["release"]>,
  asOf: string,
): string {
  const made = built ? "" : ", which a run before had made";
  return `${scoreReleaseVersion} ${releaseDigest}, as of ${asOf}, ${scored} scored${made}`;
}
