/** share-release harvest: stores payloads of sources in raw/, from their services or from recorded responses and dumps. */

import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { type HarvestSummary, harvestFiles } from "../../pipeline/1-harvest/index.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { selectionText } from "../../pipeline/sources/adapter/selection.ts";
import type { Source, SourcePart } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { harvestedParts } from "../../releases/run/index.ts";
import { formatHarvestName } from "../../releases/run/unfinished-run.ts";
import type { ParameterRejection } from "../../schemas/public/problem.ts";
import { instant } from "../../schemas/public/scalars.ts";
import { withEffects } from "../options/effects.ts";
import { DONE_WITH_REJECTIONS, FAILED, UsageError } from "../options/exit-codes.ts";
import { knownSource, sourceNames } from "../options/known-source.ts";
import { onlyOption, partsNamed, selectorsHelp } from "../options/only.ts";
import {
  command,
  countArgument,
  dayArgument,
  openChosenStore,
  printResult,
  requirePast,
  type SharedOptions,
  today,
} from "../options/shared.ts";
import { INSTALLABLE, makeWalk, type ServiceOptions, sourceAtService } from "../options/sources.ts";
import { printLines } from "../terminal/text.ts";

interface HarvestOptions extends SharedOptions {
  readonly from?: string[];
  readonly only?: readonly string[];
  readonly since?: string;
  readonly limit?: number;
  readonly retrievedAt?: string;
  readonly maxRequests?: number;
  readonly maxMinutes?: number;
  readonly host?: string;
  readonly oaiUrl?: string;
}

export function harvestCommand(): Command {
  const names = sourceNames();
  return command("harvest", `Harvest records of sources, from their services or from files (${names})`, [
    "harvest zenodo --since 2026-10-01",
    "harvest datacite --only client=tib.tib client=cern.zenodo --since last",
    "harvest figshare osf --max-minutes 60",
    "harvest datacite --oai-url https://zenodo.org/oai2d --since last",
    "harvest datacite --from dump/part_0000.jsonl.gz dump/part_0001.jsonl.gz",
    "harvest clinicaltrials --from ctg-studies.json.zip --retrieved-at 2026-10-30T12:00:00Z",
  ])
    .argument("<sources...>", `One or more of ${names}`)
    .option(
      "--from <paths...>",
      "Read files or folders with recorded responses, JSON Lines or dumps, also as gzip, zstd, zip and tar",
    )
    .addOption(onlyOption)
    .option(
      "--since <day>",
      "Only records that changed on or after this day, or since the `last` complete harvest",
      sinceArgument,
    )
    .option("--limit <n>", "Stop after this many records", countArgument(1))
    .option("--max-requests <n>", "Pause after this many requests; the same command continues", countArgument(1))
    .option("--max-minutes <n>", "Pause after this many minutes; the same command continues", countArgument(1))
    .option(
      "--host <name>",
      `Harvest another installation (${INSTALLABLE.join(", ")} only); SHARE_<SOURCE>_HOSTS must list its host name`,
    )
    .option(
      "--oai-url <url>",
      "Harvest by OAI-PMH (oai_datacite) from oai.datacite.org, zenodo.org or a host in SHARE_OAI_HOSTS",
    )
    .option("--retrieved-at <time>", "Retrieval time of recorded files that do not state it", instantArgument)
    .addHelpText("after", selectorsHelp)
    .action(async (names: string[], options: HarvestOptions, self: Command) => {
      const named = [...new Set(names.map(knownSource))];
      requireOne(named, options);
      const sources = named.map((source) => sourceAtService(source, readService(options)));
      const parts = partsToHarvest(sources, options, self.getOptionValueSource("only") === "cli");
      const summaries: HarvestSummary[] = [];
      for (const part of parts) {
        const summary = await harvest(part, options);
        const rejections = join(openChosenStore(options).raw(part.source.name), "rejected.ndjson");
        printResult(options, summary, (done) => summaryText(done, rejections));
        summaries.push(summary);
      }
      if (!options.json) for (const line of await leftOutTexts(parts, options)) printLines(line);
      const total = sumTotals(summaries);
      if (options.json && sources.length > 1) printLines(JSON.stringify(total));
      const endedAsRequested = (each: HarvestSummary) => options.limit !== undefined || each.paused === true;
      if (summaries.some((each) => !each.complete && !endedAsRequested(each))) {
        process.exitCode = FAILED;
        if (!options.json) printLines(INCOMPLETE);
      } else if (total.rejected > 0) {
        process.exitCode = DONE_WITH_REJECTIONS;
        if (!options.json) printLines(rejectionsText(total));
      }
    });
}

/**
 * Checks that options such as --from and --host, which apply to one source, are not used with several.
 * @throws UsageError if several sources are named with such an option
 */
function requireOne(sources: readonly Source[], { from, host, oaiUrl, retrievedAt }: HarvestOptions): void {
  const single = { "--from": from, "--host": host, "--oai-url": oaiUrl, "--retrieved-at": retrievedAt };
  const [option] = Object.entries(single).find(([, value]) => value !== undefined) ?? [];
  if (sources.length > 1 && option !== undefined)
    throw new UsageError(`${option} is for one source, but several are named: name only one`);
}

/**
 * Returns the parts of each source to harvest. The setting SHARE_ONLY selects parts of the usual services, so it does
 * not apply to another service or to files.
 */
function partsToHarvest(sources: readonly Source[], options: HarvestOptions, isOption: boolean): SourcePart[] {
  const { only = [], from, host, oaiUrl } = options;
  if (isOption && from !== undefined)
    throw new UsageError("--only selects parts of a service, and --from reads files: give one of them");
  const isOwn = from === undefined && host === undefined && oaiUrl === undefined;
  const named = isOption ? partsNamed(only, sources) : isOwn ? partsNamed(only, SOURCES) : [];
  return sources.flatMap((source): readonly SourcePart[] => {
    const parts = named.filter((part) => part.source === source);
    return parts.length > 0 ? parts : [{ source, only: null }];
  });
}

/** Returns a warning for each part of a source that earlier harvests stored but this harvest did not request. */
async function leftOutTexts(parts: readonly SourcePart[], options: HarvestOptions): Promise<string[]> {
  const texts: string[] = [];
  for (const source of new Set(parts.map((part) => part.source))) {
    const requested = parts.filter((part) => part.source === source);
    // A harvest of the whole source includes its parts.
    if (options.from !== undefined || requested.some(({ only }) => only === null)) continue;
    const known = new Set(requested.map(({ only }) => (only === null ? null : selectionText(only))));
    const left = (await harvestedParts(openChosenStore(options), source)).filter((only) => !known.has(only));
    for (const only of left)
      texts.push(
        `${formatHarvestName({ source: source.name, only })}: not requested; its earlier records stay in the store`,
      );
  }
  return texts;
}

function sumTotals(summaries: readonly HarvestSummary[]) {
  return {
    sources: new Set(summaries.map(({ source }) => source)).size,
    records: summaries.reduce((sum, { records }) => sum + records, 0),
    rejected: summaries.reduce((sum, each) => sum + countRejected(each), 0),
    complete: summaries.every(({ complete }) => complete),
  };
}

async function harvest(part: SourcePart, options: HarvestOptions): Promise<HarvestSummary> {
  const since = options.since === "today" ? today() : (options.since ?? null);
  if (since !== null && since !== "last") requirePast("--since", since, "or last");
  const store = openChosenStore(options);
  const { from, limit = null } = options;
  if (from === undefined) {
    const bounds = { requests: options.maxRequests ?? null, minutes: options.maxMinutes ?? null };
    return withEffects(makeWalk(store, part, { ...readService(options), since, limit, bounds }));
  }
  const httpOptions = {
    "--since": options.since,
    "--max-requests": options.maxRequests,
    "--max-minutes": options.maxMinutes,
  };
  const other = Object.entries({ ...httpOptions, "--host": options.host, "--oai-url": options.oaiUrl });
  const wrong = other.find(([, value]) => value !== undefined);
  if (wrong !== undefined)
    throw new UsageError(`${wrong[0]} applies to a service, and --from reads files: give one of them`);
  const files = { paths: from, retrievedAt: options.retrievedAt ?? null, limit };
  return withEffects((effects) => harvestFiles(store, part.source, files, effects));
}

function readService({ host, oaiUrl }: HarvestOptions): ServiceOptions {
  return { ...(host === undefined ? {} : { host }), ...(oaiUrl === undefined ? {} : { oaiUrl }) };
}

function sinceArgument(text: string): string {
  return text === "last" || text === "today" ? text : dayArgument(text);
}

/** Tells the operator what to do about a harvest that ended early. */
const INCOMPLETE =
  "The harvest is incomplete. Run the same command again; if it ends in the same way, report this to the service.";

function countRejected(summary: HarvestSummary): number {
  return Object.values(summary.rejected).reduce((sum, count) => sum + count, 0);
}

function summaryText(summary: HarvestSummary, rejections: string): string {
  const rejected = Object.entries(summary.rejected).filter(([, count]) => count > 0);
  const from = summary.requests > 0 ? plural(summary.requests, "request") : plural(summary.files, "file");
  return [
    `${formatHarvestName(summary)}: ${plural(summary.records, "record")} from ${from}${summary.resumed ? ", resumed" : ""}`,
    ...submittedText(summary),
    ...rejected.map(([reason, count]) => `  rejected ${count} × ${reason}`),
    ...(summary.firstRejected === null ? [] : [`  the first: ${rejectionText(summary.firstRejected)}`]),
    ...(rejected.length > 0 ? [`  all: ${rejections}`] : []),
    ...(summary.missing === undefined ? [] : [`  missing: ${summary.missing}`]),
  ].join("\n");
}

function rejectionText({ file, line, detail }: ParameterRejection): string {
  return `${file}${line === null ? "" : `, line or item ${line}`}: ${detail}`;
}

/** Describes in one sentence that items were rejected, and what to do. */
function rejectionsText({ records, rejected }: ReturnType<typeof sumTotals>): string {
  const stored = records === 0 ? "No record is stored" : `${plural(records, "record")} can be built now`;
  const them = rejected === 1 ? "it" : "them";
  return `${stored}, and the exit code is ${DONE_WITH_REJECTIONS} because ${plural(rejected, "item")} of the input ${rejected === 1 ? "was" : "were"} rejected: correct ${them}, harvest ${them} as the right source, or ignore ${them}.`;
}

function submittedText({ wanted }: HarvestSummary): string[] {
  if (wanted === undefined) return [];
  const parts = Object.entries(wanted).filter(([, count]) => count > 0);
  return [`  submitted: ${parts.map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`];
}

function instantArgument(text: string): string {
  if (!instant.safeParse(text).success || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError("expected a time such as 2026-10-30T12:00:00Z.");
  }
  // Date accepts days that do not exist, such as 30 February. This check does not.
  dayArgument(text.slice(0, 10));
  return text;
}
