/** share-release build: runs stages 2 to 6 on the harvested records, and activates the release. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { fileSize } from "../../api-static/pages/numbers.ts";
import { type DryRun, dryRun, type SourceToBuild } from "../../pipeline/build.ts";
import { readSide } from "../../pipeline/diff/compare.ts";
import { type ReaderImpact, readerImpact } from "../../pipeline/diff/reader-impact.ts";
import { memoryFor } from "../../pipeline/engine/memory.ts";
import { dataBytes } from "../../pipeline/pages/columns.ts";
import { plural } from "../../pipeline/reading/text.ts";
import type { ReuseCounts } from "../../pipeline/reuse.ts";
import { signHead } from "../../pipeline/store/head.ts";
import { currentDigest, detectReleaseFormat, readReceipt } from "../../pipeline/store/releases.ts";
import { removeWork, type Store } from "../../pipeline/store/store.ts";
import {
  type BuildReleaseOptions as BuildRequest,
  buildAndActivate,
  type ReleaseResult,
} from "../../releases/activate.ts";
import type { Finding } from "../../releases/verify/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import {
  asOfArgument,
  type BuildRequestOptions,
  readBuildRequest,
  sourcesNamed,
  withBuildRequest,
} from "../options/build-request.ts";
import { clockEffects, withEffects } from "../options/effects.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { GatesFailed } from "../options/releases.ts";
import { command, openExistingStore, printResult, requirePast, today } from "../options/shared.ts";
import { buildSignerFrom } from "../options/signing.ts";
import { warn } from "../terminal/log-line.ts";
import { BUILD_PLAN, duration } from "../terminal/progress.ts";
import { readerImpactText, receiptText } from "../terminal/release-text.ts";

interface BuildOptions extends BuildRequestOptions {
  readonly asOf?: string;
  readonly allowFuture?: true;
  readonly source?: string[];
  readonly activate: boolean;
  readonly readerImpact?: true;
  readonly dryRun?: true;
  readonly verify?: true;
  readonly carryForward?: string[];
}

export function buildCommand(): Command {
  const build = command("build", "Build a release from all harvested records and activate it", [
    "build",
    "build --as-of 2026-11-01 --source zenodo clinicaltrials --rubric 2.0 --no-activate",
    "build --as-of 2026-11-01 --skip attribution history",
    "build --dry-run",
  ])
    .option("--as-of <day>", "UTC day to evaluate embargoes on (default: today)", asOfArgument)
    .option("--allow-future", "Allow a future day in --as-of, for tests")
    .option("--source <names...>", "Only these sources");
  return withBuildRequest(build)
    .option(
      "--carry-forward <names...>",
      "Reuse the records of the active release for these sources, without newer harvests",
    )
    .option("--verify", "Make the release again from its tables before the activation, and compare every file")
    .option("--no-activate", "Build the release, but do not activate it")
    .option("--dry-run", "Show the inputs and the first stage of the build, and build nothing")
    .option("--reader-impact", "Show the score changes caused by changed readers, and do not activate the release")
    .action(async (options: BuildOptions) => {
      const { asOf = today() } = options;
      if (options.allowFuture !== true) requirePast("--as-of", asOf, "or --allow-future");
      const sources = sourcesNamed(options.source);
      const request = await readBuildRequest(options);
      // Comes after the options, so that wrong options are reported first.
      const store = openExistingStore(options);
      const activates = options.activate && options.readerImpact !== true;
      await warnIfEarlier(store, asOf);
      const signer = await buildSignerFrom(options, store);
      const fullRequest: BuildRequest = {
        ...request,
        asOf,
        sources,
        named: options.source !== undefined,
        activate: activates,
        verify: options.verify === true,
        carryForward: carriedForward(options),
        signer,
      };
      if (options.dryRun === true) {
        printResult(options, await dryRun(store, fullRequest), dryRunText);
        return;
      }
      const result = await withEffects((effects) => buildAndActivate(store, fullRequest, effects), BUILD_PLAN);
      await removeWork(store);
      if (result.activated && signer !== null) await signHead(store, signer, clockEffects());
      const impact = options.readerImpact === true ? await compareWithActive(store, result.receipt, options) : null;
      const output = impact === null ? result : { ...result, readerImpact: impact };
      printResult(options, output, ({ receipt, created, activated, reused, took }) =>
        [
          created ? "Built a new release." : "This release already exists; nothing was changed.",
          receiptText(receipt, activated),
          tookText(took, receipt.coverage.harvested),
          ...reusedText(reused),
          ...(signer !== null && receipt.signature === null
            ? ["It has no signature. A release never changes, so it stays unsigned."]
            : []),
          ...(receipt.license !== options.licence
            ? [`Its licence is ${receipt.license ?? "not stated"}. A release never changes, so this stays its licence.`]
            : []),
          ...(impact === null ? [] : ["", readerImpactText(impact, receipt.releaseDigest)]),
        ].join("\n"),
      );
      if (result.findings.length > 0) throw new VerificationFailed(result.receipt.releaseDigest, result.findings);
      if (activates && !result.activated) throw await GatesFailed.of(store, result.receipt, result.gated);
    });
}

/** The error if a release was built but not activated, because its verification failed. */
class VerificationFailed extends CommandFailed {
  constructor(digest: string, findings: readonly Finding[]) {
    const lines = findings.slice(0, 20).map(({ check, detail }) => `  ${check}: ${detail}`);
    super(
      [
        `${digest} was not activated: verification failed with ${plural(findings.length, "finding")}`,
        ...lines,
        "See `share-release release verify`. Move the release out of the store, and build again.",
      ].join("\n"),
    );
    this.name = "VerificationFailed";
  }
}

/** Compares a release with the active one, to show how new readers change scores. */
async function compareWithActive(
  store: Store,
  receipt: Receipt,
  { threads, memory }: Pick<BuildOptions, "threads" | "memory">,
): Promise<ReaderImpact> {
  const active = await currentDigest(store);
  const before = active === null ? null : await readReceipt(store.release(active));
  const side = (of: Receipt) => readSide(store.release(of.releaseDigest), of);
  const spill = await mkdtemp(join(tmpdir(), "share-impact-"));
  try {
    const isComparable = before !== null && detectReleaseFormat(before) !== 1;
    return await readerImpact(isComparable ? await side(before) : null, await side(receipt), {
      threads,
      memory: memory ?? memoryFor(await dataBytes(store.release(receipt.releaseDigest))),
      spill,
    });
  } finally {
    await rm(spill, { recursive: true, force: true });
  }
}

/** Returns one line with the numbers of reused parts and pages; an empty list if nothing was reused. */
function reusedText({ parts, normalisedParts, pages, renderedPages }: ReuseCounts): string[] {
  if (parts + pages === 0) return [];
  const share = (count: number, made: number) => `${count} of ${count + made}`;
  return [`Reused: ${share(parts, normalisedParts)} raw parts, ${share(pages, renderedPages)} pages.`];
}

/**
 * Warns if --as-of is before the day of the active release. This is often a mistake, because datasets whose embargo has
 * ended since then would count as embargoed again.
 */
async function warnIfEarlier(store: Store, asOf: string): Promise<void> {
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  if (receipt === null || receipt.asOf <= asOf) return;
  warn({ event: "build-before-active", asOf, active: receipt.scoreReleaseVersion, activeAsOf: receipt.asOf });
}

/**
 * Returns the sources to carry forward, sorted and without repetitions.
 * @throws UsageError if a source to carry forward is not part of the build
 */
function carriedForward(options: BuildOptions): string[] {
  const names = [...new Set(options.carryForward ?? [])].sort();
  const built = sourcesNamed(options.source);
  const others = names.filter((name) => !built.includes(name));
  if (others.length > 0) {
    throw new UsageError(
      `--carry-forward expects sources of this build (${built.join(", ")}), not ${others.join(", ")}`,
    );
  }
  return names;
}

export function tookText({ steps, seconds }: ReleaseResult["took"], records: number): string {
  const rate = Math.round(records / Math.max(seconds, 1)).toLocaleString("en");
  const each = steps.map(({ step, seconds: stepSeconds }) => `${step} ${duration(stepSeconds)}`).join(", ");
  return `${"took".padEnd(12)}${duration(seconds)}, ${rate} records per second: ${each}`;
}

export function dryRunText(found: DryRun): string {
  const { sources, empty, enrichments, finished, active } = found;
  const payloads = sources.reduce((sum, each) => sum + each.payloads, 0);
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  return [
    "Dry run: nothing was built.",
    ...sources.map((source, i) => row(i === 0 ? "sources" : "", sourceText(source))),
    ...(empty.length === 0 ? [] : [row("empty", empty.join(", "))]),
    row("payloads", `${payloads.toLocaleString("en")}, including repeated records`),
    row("as of", `${found.asOf}, under ${[...found.rubrics, ...found.alsoContracts].join(" and ")}`),
    row("enriched", Object.keys(enrichments).sort().join(", ") || "none"),
    row(
      "follows",
      active === null ? "no release (this is the first)" : `${active.releaseDigest}, as of ${active.asOf}`,
    ),
    row("starts", startText(finished)),
  ].join("\n");
}

function sourceText({ source, parts, bytes, payloads, harvested, complete }: SourceToBuild): string {
  const amount = `${payloads.toLocaleString("en")} ${payloads === 1 ? "payload" : "payloads"} in ${plural(parts, "part")} of ${fileSize(bytes)}`;
  const when = complete === null ? "no finished harvest" : `harvested ${harvested?.slice(0, 10) ?? "from files"}`;
  return `${source}: ${amount}, ${when}${complete === false ? ", incomplete" : ""}`;
}

function startText(finished: DryRun["finished"]): string {
  if (finished === null)
    return "with unchanged payloads; only the build can find the finished stages of an interrupted build";
  const last = finished.at(-1);
  return last === undefined
    ? "with the first stage"
    : `after ${last}, which an interrupted build with the same inputs finished`;
}
