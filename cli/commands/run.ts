/** share-release run: harvests the sources that are due, then builds, verifies, publishes and activates a release. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { readSelection } from "../../pipeline/sources/adapter/selection.ts";
import type { Source, SourcePart } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import { type HarvestStatus, harvestedParts, RunAtWork, type RunEnd, run } from "../../releases/run/index.ts";
import { writeFailedStart } from "../../releases/run/last-run.ts";
import {
  failedHarvests,
  formatHarvestName,
  type HarvestOfRun,
  type RunStep,
  type RunSummary,
  readUnfinishedRun,
} from "../../releases/run/unfinished-run.ts";
import { type BuildRequestOptions, readBuildRequest, withBuildRequest } from "../options/build-request.ts";
import { withEffects } from "../options/effects.ts";
import { configuredStore, readFlag, setting } from "../options/environment.ts";
import { CommandFailed, DONE_WITH_REJECTIONS, RunFailed, STEP_FAILED, UsageError } from "../options/exit-codes.ts";
import { knownSource, sourceNames } from "../options/known-source.ts";
import { type NotifyOptions, notifiedText, readNotifyRequest, withNotify } from "../options/notify-request.ts";
import { onlyOption, partsNamed, selectorsHelp } from "../options/only.ts";
import { type PublishRequestOptions, readPublishRequest, withPublishRequest } from "../options/publish-request.ts";
import type { SettingName } from "../options/settings.ts";
import {
  command,
  countArgument,
  dayArgument,
  openExistingStore,
  printResult,
  requirePast,
  today,
} from "../options/shared.ts";
import { buildSignerFrom } from "../options/signing.ts";
import { makeWalk } from "../options/sources.ts";
import { BUILD_PLAN, duration, type Plan, REBUILD_PLAN } from "../terminal/progress.ts";

interface RunOptions extends BuildRequestOptions, PublishRequestOptions, NotifyOptions {
  readonly interval?: Intervals;
  readonly only?: readonly string[];
  readonly since?: string;
  readonly maxRequests?: number;
  readonly maxMinutes?: number;
  readonly maxFailedSources?: number;
  readonly to?: string;
}

/**
 * For steps that consist of several stages: the share of the step's time that each stage takes, for the progress bar.
 */
const PLANS: Partial<Record<RunStep, Plan>> = {
  build: BUILD_PLAN,
  verify: REBUILD_PLAN,
};

export function runCommand(): Command {
  const base = command(
    "run",
    "Harvest the sources that are due, then build, verify, publish and activate a release, or continue the last run",
    [
      "run",
      "run zenodo dryad --since 2026-10-01",
      "run --only client=tib.tib",
      "run --interval 20h datacite=7d --to /srv/www/scores",
    ],
  )
    .argument(
      "[sources...]",
      `Sources from ${sourceNames()} (default: all that were harvested before, and those of --only)`,
    )
    .addOption(onlyOption)
    .addOption(intervalOption)
    .option(
      "--since <day>",
      "For sources without a harvest: only records that changed on or after this day",
      dayArgument,
    )
    .option("--max-requests <n>", "Pause a harvest after this many requests; the next run continues", countArgument(1))
    .option("--max-minutes <n>", "Pause a harvest after this many minutes; the next run continues", countArgument(1))
    .option(
      "--max-failed-sources <n>",
      "Build only if at most this many due sources failed (default: any number)",
      countArgument(0),
    )
    .addOption(
      new Option("--to <target>", "Publish to this folder or s3://bucket/prefix before the activation").env(
        "SHARE_PUBLISH_TO" satisfies SettingName,
      ),
    );
  base.addHelpText("after", selectorsHelp);
  base.addHelpText("after", () => {
    const steps = Object.entries(STEP_FAILED).map(([step, code]) => `${code} ${step}`);
    return `\nMore exit codes, by the failed step: ${steps.join(", ")}.`;
  });
  return withNotify(withPublishRequest(withBuildRequest(base))).action(async (names: string[], options: RunOptions) => {
    if (options.since !== undefined) requirePast("--since", options.since);
    const named = [...new Set(names.map(knownSource))];
    const store = openExistingStore(options);
    const { summary, error } = await runOnce(store, named, options).catch(async (error: unknown) => {
      // If another run is at work, that run will record how it ended.
      if (!(error instanceof RunAtWork)) await writeFailedStart(store, new Date());
      throw error;
    });
    printResult(options, summary, runText);
    if (summary.failed !== null) throw new RunFailed(summary.failed.step, error);
    process.exitCode = chooseExitCode(summary);
  });
}

async function runOnce(store: Store, named: readonly Source[], options: RunOptions): Promise<RunEnd> {
  const request = await readBuildRequest(options);
  const pages = options.pages ?? readFlag("SHARE_PUBLISH_PAGES");
  const publishing =
    options.to === undefined ? null : await readPublishRequest(store, options.to, { ...options, pages });
  const webhook = options.webhook ?? setting("SHARE_WEBHOOK")?.split(/\s+/).filter(Boolean);
  const webhooks = await readNotifyRequest({ ...options, ...(webhook === undefined ? {} : { webhook }) });
  const unfinishedRun = await readUnfinishedRun(store);
  const parts = await partsToRun(store, named, options.only ?? [], unfinishedRun?.sources ?? []);
  // The stored day belongs to the sources that are stored with it.
  const since = options.since ?? (named.length === 0 ? unfinishedRun?.since : null) ?? null;
  const every = makeIntervalLookup(
    options.interval,
    parts.map(({ source }) => source.name),
  );
  const runRequest = {
    parts,
    since,
    every,
    mayFail: options.maxFailedSources ?? null,
    notify: webhooks,
    harvest: makeWalks(store, parts, { ...options, since }),
    build: {
      ...request,
      sources: SOURCES.map(({ name }) => name).sort(),
      signer: await buildSignerFrom(options, store),
    },
    publish: publishing,
  };
  return run(
    store,
    runRequest,
    (step, work) => withEffects(work, PLANS[step] ?? null),
    () => new Date(),
  );
}

/**
 * Records that a run failed because of invalid settings. Does nothing if the settings do not say where the store is.
 */
export async function recordInvalidSettings(): Promise<void> {
  const root = await configuredStore();
  if (root !== null) await writeFailedStart(openStore(root), new Date());
}

function chooseExitCode(summary: RunSummary): number {
  if (failedHarvests(summary).length > 0) return STEP_FAILED.harvest;
  return summary.harvests.some(({ rejected }) => rejected > 0) ? DONE_WITH_REJECTIONS : 0;
}

/**
 * Returns the parts of each source to harvest. These are the parts that the user selected with --only, or else those
 * that were harvested before or that an interrupted run was harvesting. If a source that the user named has none, all
 * of the source is harvested.
 *
 * @throws CommandFailed if there is nothing to harvest: the first run needs the names of sources
 */
async function partsToRun(
  store: Store,
  named: readonly Source[],
  only: readonly string[],
  unfinished: readonly string[],
): Promise<SourcePart[]> {
  const selected = partsNamed(only, SOURCES);
  const parts: SourcePart[] = [];
  for (const source of named.length > 0 ? named : SOURCES) {
    const own = selected.filter((part) => part.source === source);
    const before = own.length > 0 ? [] : await partsBefore(store, source, named.length > 0 ? [] : unfinished);
    if (own.length + before.length > 0) parts.push(...own, ...before);
    else if (named.length > 0) parts.push({ source, only: null });
  }
  if (parts.length > 0) return parts;
  throw new CommandFailed(
    `no source was harvested from its service into ${store.root}. Name the sources for the first run, for example \`share-release run zenodo --since ${today()}\`.`,
  );
}

/** Returns the parts of a source that were harvested before, and those that an interrupted run was harvesting. */
async function partsBefore(store: Store, source: Source, unfinished: readonly string[]): Promise<SourcePart[]> {
  const walked = await harvestedParts(store, source);
  const interrupted = unfinished.flatMap((name) =>
    name === source.name ? [null] : name.startsWith(`${source.name} `) ? [name.slice(source.name.length + 1)] : [],
  );
  return [...new Set([...walked, ...interrupted])].map((text) => {
    const only = text === null ? null : readSelection(source, text);
    if (text === null || only !== null) return { source, only };
    throw new CommandFailed(
      `${store.root} has a harvest of ${text} of ${source.name}, but this version cannot harvest that part; name the parts to harvest with --only`,
    );
  });
}

/**
 * Returns a function that harvests a part of a source: the rest of an interrupted harvest if there is one, otherwise
 * the changes since the last harvest.
 */
function makeWalks(
  store: Store,
  parts: readonly SourcePart[],
  options: Omit<RunOptions, "since"> & { readonly since: string | null },
) {
  const bounds = { requests: options.maxRequests ?? null, minutes: options.maxMinutes ?? null };
  const makeHarvest = (part: SourcePart, since: string | null) => makeWalk(store, part, { since, limit: null, bounds });
  // Makes every harvest once, so that wrong settings are reported before the first harvest starts.
  for (const part of parts) makeHarvest(part, null);
  return (part: SourcePart, { last, underWay }: HarvestStatus, effects: Effects) => {
    const first = last === null ? options.since : "last";
    return makeHarvest(part, underWay === null ? first : underWay.since)(effects);
  };
}

/**
 * The time between two harvests, in milliseconds: `of` has the sources with an interval of their own, and `else`
 * applies to all others.
 */
export interface Intervals {
  readonly else: number;
  readonly of: ReadonlyMap<string, number>;
}

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { m: HOUR / 60, h: HOUR, d: 24 * HOUR };

/**
 * Default time between two harvests of a source, in hours. It is less than a day, because a nightly timer does not start at
 * exactly the same time, and the source must be due again.
 */
const DEFAULT_HOURS = 20;
const DEFAULT = `${DEFAULT_HOURS}h`;

const DEFAULT_INTERVALS: Intervals = { else: DEFAULT_HOURS * HOUR, of: new Map() };

export const intervalOption = new Option(
  "--interval <intervals...>",
  `Time between the starts of two harvests of a source, such as ${DEFAULT}, 90m or 7d, or zenodo=7d for one source (default: ${DEFAULT})`,
)
  .env("SHARE_INTERVAL" satisfies SettingName)
  .argParser((text: string, before: Intervals = DEFAULT_INTERVALS) =>
    text.split(" ").filter(Boolean).reduce(withInterval, before),
  );

function withInterval(before: Intervals, text: string): Intervals {
  const [, source, number = "", unit = ""] = /^(?:([a-z_]+)=)?(\d{1,5})([mhd])$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) throw new InvalidArgumentError("expected a time such as 20h, 90m or 7d, or zenodo=7d.");
  const interval = Number(number) * factor;
  return source === undefined
    ? { ...before, else: interval }
    : { ...before, of: new Map([...before.of, [source, interval]]) };
}

/**
 * Returns a function that looks up the interval of a source in milliseconds.
 * @throws UsageError if an interval belongs to a source that is not part of this run
 */
export function makeIntervalLookup(
  { of, else: otherwise }: Intervals = DEFAULT_INTERVALS,
  sources: readonly string[],
): (source: string) => number {
  const unknown = [...of.keys()].find((each) => !sources.includes(each));
  if (unknown !== undefined) {
    throw new UsageError(
      `--interval ${unknown}=… is for a source that this run does not harvest. It harvests ${sources.join(", ")}; name ${unknown} too, or leave out this interval`,
    );
  }
  return (source) => of.get(source) ?? otherwise;
}

const OUTCOMES: Readonly<Record<RunSummary["outcome"], string>> = {
  activated: "Done: a new release is active.",
  "was-active": "Done: the active release is unchanged.",
  nothing: "Nothing to do: no source is due, and the active release contains all harvested records.",
  failed: "Failed: the active release is unchanged.",
};

export function runText(summary: RunSummary): string {
  const { harvests, release, gated, findings, published, failed, took } = summary;
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  const steps = took.steps.map(({ step, seconds }) => `${step} ${duration(seconds)}`).join(", ");
  return [
    `${OUTCOMES[summary.outcome]}${summary.resumed ? " This run continued an interrupted one." : ""}`,
    ...harvests.map((each, i) => row(i === 0 ? "harvested" : "", harvestText(each))),
    ...(release === null ? [] : [row("release", releaseText(release, summary.asOf))]),
    ...gated.map(({ gate, source, detail }) => row("gate", [gate, source, detail].filter(Boolean).join(": "))),
    ...findings.slice(0, 20).map(({ check, detail }) => row("finding", `${check}: ${detail}`)),
    ...(published === null
      ? []
      : [row("published", `${published.target}: ${plural(published.uploaded, "file")} sent`)]),
    ...notifiedText(summary.notified).map((line) => row("notified", line)),
    ...(failed === null ? [] : [row("failed", failed.step)]),
    row("took", `${duration(took.seconds)}${steps === "" ? "" : `: ${steps}`}`),
  ].join("\n");
}

function harvestText({ outcome, last, records, rejected, resumed, why, ...part }: HarvestOfRun): string {
  const name = formatHarvestName(part);
  if (outcome === "not-due") return `${name}: not due, harvested ${last ?? "never"}`;
  if (outcome === "left-out") return `${name}: not requested, harvested ${last ?? "never"}; its records stay`;
  if (outcome === "failed") return `${name}: failed: ${why}`;
  const counts = `${name}: ${plural(records, "record")}${rejected > 0 ? `, ${rejected} rejected` : ""}`;
  const resumption = resumed ? ", resumed" : "";
  return `${counts}${resumption}${outcome === "complete" ? "" : `, ${outcome}: ${why}`}`;
}

function releaseText(
  { releaseDigest, scoreReleaseVersion, scored, built }: NonNullable<RunSummary["release"]>,
  asOf: string,
): string {
  const made = built ? "" : ", built by an earlier run";
  return `${scoreReleaseVersion} ${releaseDigest}, as of ${asOf}, ${scored} scored${made}`;
}
