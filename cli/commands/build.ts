/** share-release build: stages 2 to 6 over what was harvested, and the result activated. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { type DryRun, dryRun, type SourceToBuild } from "../../pipeline/build.ts";
import { sideOf } from "../../pipeline/diff/compare.ts";
import { type ReaderImpact, readerImpact } from "../../pipeline/diff/reader-impact.ts";
import { memoryFor } from "../../pipeline/engine/open.ts";
import { dataBytes } from "../../pipeline/pages/columns.ts";
import { plural } from "../../pipeline/reading/text.ts";
import type { ReuseCounts } from "../../pipeline/reuse.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import { removeWork, type Store } from "../../pipeline/store/store.ts";
import { type ReleaseOptions as BuildRequest, buildAndActivate, type ReleaseResult } from "../../releases/activate.ts";
import type { Finding } from "../../releases/verify/index.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import {
  asOfArgument,
  type BuildRequestOptions,
  buildRequestOf,
  sourcesNamed,
  withBuildRequest,
} from "../options/build-request.ts";
import { withEffects } from "../options/effects.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { Gated } from "../options/releases.ts";
import { command, existingStoreOf, printResult, requirePast, today } from "../options/shared.ts";
import { buildSignerFrom } from "../options/signing.ts";
import { warn } from "../terminal/log-line.ts";
import { BUILD_PLAN, duration, bytes as size } from "../terminal/progress.ts";
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
  const asked = command("build", "make a release of everything harvested, and activate it", [
    "build",
    "build --as-of 2026-11-01 --source zenodo clinicaltrials --rubric 2.0 --no-activate",
    "build --as-of 2026-11-01 --skip attribution history",
    "build --dry-run",
  ])
    .option("--as-of <day>", "the UTC day by which embargoes are judged; today without", asOfArgument)
    .option("--allow-future", "for tests: --as-of may be a day that is not yet")
    .option("--source <names...>", "only these sources");
  return withBuildRequest(asked)
    .option("--carry-forward <names...>", "these sources as they were for the active release, without what came since")
    .option("--verify", "verify it, as `release verify --rescore` does, before it becomes the active one")
    .option("--no-activate", "make the release, but leave the active one as it is")
    .option("--dry-run", "build nothing; say what it would be made of, where it would begin, and what it would take")
    .option(
      "--reader-impact",
      "as --no-activate, and say which scores move because payloads are read in another way now",
    )
    .action(async (options: BuildOptions) => {
      const { asOf = today() } = options;
      if (options.allowFuture !== true) requirePast("--as-of", asOf, "or --allow-future");
      const sources = sourcesNamed(options.source);
      const request = await buildRequestOf(options);
      // What was said wrong is told first, whatever there is to build from.
      const store = existingStoreOf(options);
      const activates = options.activate && options.readerImpact !== true;
      await tellIfEarlier(store, asOf);
      const signer = await buildSignerFrom(options, store);
      const asked: BuildRequest = {
        ...request,
        asOf,
        sources,
        named: options.source !== undefined,
        activate: activates,
        verify: options.verify === true,
        carryForward: carriedOf(options),
        signer,
      };
      if (options.dryRun === true) {
        printResult(options, await dryRun(store, asked), dryRunText);
        return;
      }
      const result = await withEffects((effects) => buildAndActivate(store, asked, effects), BUILD_PLAN);
      await removeWork(store);
      const impact = options.readerImpact === true ? await impactOf(store, result.receipt, options) : null;
      const told = impact === null ? result : { ...result, readerImpact: impact };
      printResult(options, told, ({ receipt, created, activated, reused, took }) =>
        [
          created ? "A new release." : "That release exists already: nothing changed.",
          receiptText(receipt, activated),
          tookText(took, receipt.coverage.harvested),
          ...reusedText(reused),
          ...(signer !== null && receipt.signature === null
            ? ["It was built without a signature, and a release is never modified: it stays unsigned."]
            : []),
          ...(receipt.license !== options.licence
            ? [
                `It is published under ${receipt.license ?? "no licence"}, and a release is never modified: it stays so.`,
              ]
            : []),
          ...(impact === null ? [] : ["", readerImpactText(impact, receipt.releaseDigest)]),
        ].join("\n"),
      );
      if (result.findings.length > 0) throw new DoesNotHold(result.receipt.releaseDigest, result.findings);
      if (activates && !result.activated) throw await Gated.of(store, result.receipt, result.gated);
    });
}

/** The release is there, is not what it says, and is not active. */
class DoesNotHold extends CommandFailed {
  constructor(digest: string, findings: readonly Finding[]) {
    const told = findings.slice(0, 20).map(({ check, detail }) => `  ${check}: ${detail}`);
    super(
      [
        `${digest} is not activated: it does not hold, with ${plural(findings.length, "finding")}`,
        ...told,
        "See `share-release release verify`; move the release away, and build again.",
      ].join("\n"),
    );
    this.name = "DoesNotHold";
  }
}

/** Against the active release, which the new one would follow. */
async function impactOf(
  store: Store,
  receipt: Receipt,
  { threads, memory }: Pick<BuildOptions, "threads" | "memory">,
): Promise<ReaderImpact> {
  const active = await currentDigest(store);
  const before = active === null ? null : await readReceipt(store.release(active));
  const side = (of: Receipt) => sideOf(store.release(of.releaseDigest), of);
  const spill = await mkdtemp(join(tmpdir(), "share-impact-"));
  try {
    return await readerImpact(before === null ? null : await side(before), await side(receipt), {
      threads,
      memory: memory ?? memoryFor(await dataBytes(store.release(receipt.releaseDigest))),
      spill,
    });
  } finally {
    await rm(spill, { recursive: true, force: true });
  }
}

/** How much was taken over, where anything was. */
function reusedText({ parts, normalisedParts, pages, renderedPages }: ReuseCounts): string[] {
  if (parts + pages === 0) return [];
  const share = (taken: number, made: number) => `${taken} of ${taken + made}`;
  return [`Taken over unchanged: ${share(parts, normalisedParts)} raw parts, ${share(pages, renderedPages)} pages.`];
}

/** A release of a day before the active one's is sometimes meant, and more often a slip: what was open is under embargo again. */
async function tellIfEarlier(store: Store, asOf: string): Promise<void> {
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  if (receipt === null || receipt.asOf <= asOf) return;
  warn({ event: "build-before-active", asOf, active: receipt.scoreReleaseVersion, activeAsOf: receipt.asOf });
}

/** What is carried forward is built. */
function carriedOf(options: BuildOptions): string[] {
  const names = [...new Set(options.carryForward ?? [])].sort();
  const built = sourcesNamed(options.source);
  const others = names.filter((name) => !built.includes(name));
  if (others.length > 0) {
    throw new UsageError(`--carry-forward takes sources that are built, not ${others.join(", ")}: ${built.join(", ")}`);
  }
  return names;
}

export function tookText({ steps, seconds }: ReleaseResult["took"], records: number): string {
  const rate = Math.round(records / Math.max(seconds, 1)).toLocaleString("en");
  const each = steps.map(({ step, seconds: taken }) => `${step} ${duration(taken)}`).join(", ");
  return `${"took".padEnd(12)}${duration(seconds)}, ${rate} records a second: ${each}`;
}

export function dryRunText(found: DryRun): string {
  const { sources, empty, enrichments, finished, active } = found;
  const payloads = sources.reduce((sum, each) => sum + each.payloads, 0);
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  return [
    "Nothing is built: this is what it would be made of.",
    ...sources.map((source, i) => row(i === 0 ? "sources" : "", sourceText(source))),
    ...(empty.length === 0 ? [] : [row("without", empty.join(", "))]),
    row("payloads", `${payloads.toLocaleString("en")}, records that came again among them`),
    row("as of", `${found.asOf}, under ${[...found.rubrics, ...found.alsoContracts].join(" and ")}`),
    row("enriched", Object.keys(enrichments).sort().join(", ") || "with nothing"),
    row("follows", active === null ? "no release: this is the first" : `${active.releaseDigest}, as of ${active.asOf}`),
    row("begins", beginning(finished)),
  ].join("\n");
}

function sourceText({ source, parts, bytes, payloads, harvested, complete }: SourceToBuild): string {
  const amount = `${payloads.toLocaleString("en")} ${payloads === 1 ? "payload" : "payloads"} in ${plural(parts, "part")} of ${size(bytes)}`;
  const when = complete === null ? "no harvest ended" : `harvested ${harvested?.slice(0, 10) ?? "from files"}`;
  return `${source}: ${amount}, ${when}${complete === false ? ", incomplete" : ""}`;
}

function beginning(finished: DryRun["finished"]): string {
  if (finished === null)
    return "with payloads as they were: what an interrupted build finished is found out by building";
  const last = finished.at(-1);
  return last === undefined
    ? "at the beginning"
    : `after ${last}, which an interrupted build of the same inputs finished`;
}
