/** share-release build: stages 2 to 6 over what was harvested, and the result activated. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { dryRun } from "../../operations/build/dry-run.ts";
import { type BuildOptions as BuildRequest, build } from "../../operations/build/index.ts";
import type { Reused } from "../../operations/build/reuse.ts";
import { licenceOf } from "../../operations/describe/data-licence.ts";
import { type ReaderImpact, readerImpact } from "../../operations/diff/reader-impact.ts";
import { sideOf } from "../../operations/diff/side.ts";
import type { Finding } from "../../operations/verify/index.ts";
import { DEFAULT_MEMORY } from "../../pipeline/engine/open.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { currentDigest, readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { removeWork } from "../../pipeline/store/work-folders.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { GateLimits } from "../../schemas/public/gates.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { knownSource } from "../options/asked-source.ts";
import { withEffects } from "../options/effects.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { CommandFailed, DONE_WITH_REFUSALS, UsageError } from "../options/exit-codes.ts";
import { forceOption, Gated, gateOption } from "../options/gated.ts";
import { machineUnder } from "../options/machine.ts";
import { requirePast, today } from "../options/past-day.ts";
import { plainPath } from "../options/plain-path.ts";
import { readableFile } from "../options/readable-file.ts";
import {
  command,
  dayArgument,
  printResult,
  rubricOption,
  type SharedOptions,
  sizeArgument,
  threadsOption,
} from "../options/shared.ts";
import { signerFrom, signOption } from "../options/signing-key.ts";
import { type Engine, engineOption, masterOption, sparkConfOption, sparkOf } from "../options/spark.ts";
import { countForgotten, readWithheld } from "../options/withheld.ts";
import { dryRunText } from "../text/dry-run-text.ts";
import { warn } from "../text/log-line.ts";
import { readerImpactText } from "../text/reader-text.ts";
import { receiptText } from "../text/receipt-text.ts";
import { tookText } from "../text/took-text.ts";
import { BUILD_PLAN } from "../text/whole-progress.ts";

interface BuildOptions extends SharedOptions {
  readonly asOf: string;
  readonly allowFuture?: true;
  readonly source?: string[];
  readonly rubric: PublicVersion[];
  readonly without?: string[];
  readonly withhold?: string;
  readonly ror?: string;
  readonly citations?: string;
  readonly threads: number;
  readonly memory: string;
  readonly licence: string;
  readonly activate: boolean;
  readonly readerImpact?: true;
  readonly dryRun?: true;
  readonly verify?: true;
  readonly gate?: Partial<GateLimits>;
  readonly force?: string;
  readonly carryForward?: string[];
  readonly sign?: string;
  readonly reuse: (typeof REUSE)[number];
  readonly engine: Engine;
  readonly master?: string;
  readonly sparkConf?: Record<string, string>;
}

/** When to take over what earlier builds made. */
const REUSE = ["worthwhile", "always", "never"] as const;

export function buildCommand(): Command {
  return command("build", "make a release of everything harvested, and activate it", [
    "build --as-of today",
    "build --as-of 2026-11-01 --source zenodo clinicaltrials --rubric 2.0 --no-activate",
    "build --as-of 2026-11-01 --without attribution history",
    "build --as-of today --dry-run",
  ])
    .requiredOption(
      "--as-of <day>",
      "the day the build pretends it is, or today: embargoes are judged by it",
      asOfArgument,
    )
    .option("--allow-future", "for tests: --as-of may be a day that is not yet")
    .option("--source <names...>", "only these sources")
    .addOption(rubricOption)
    .addOption(
      new Option("--without <parts...>", "leave out attribution or history; the receipt says so").argParser(
        (value: string, before: string[] = []) => [...before, ...value.split(",")],
      ),
    )
    .option("--withhold <file>", "ids of researchers who opted out, one a line")
    .option("--ror <file>", "a ROR data dump (JSON), for the countries of ROR ids")
    .option("--citations <file>", "citations and mentions by DOI: CSV or Parquet of doi, citations, mentions")
    .addOption(threadsOption)
    .option(
      "--memory <size>",
      "memory limit of the engine, such as 1GB; what does not fit spills to disk",
      sizeArgument,
      DEFAULT_MEMORY,
    )
    .addOption(
      new Option("--licence <id>", "what the release is published under, as an id of SPDX such as CC-BY-4.0")
        .argParser(licenceArgument)
        .default(DEFAULT_DATA_LICENCE),
    )
    .addOption(signOption)
    .addOption(gateOption)
    .addOption(forceOption)
    .option("--carry-forward <names...>", "these sources as they were for the active release, without what came since")
    .addOption(
      new Option(
        "--reuse <when>",
        "take over what earlier builds made and nothing has changed since: from about 2,000 records on (worthwhile), always, or never",
      )
        .choices(REUSE)
        .default("worthwhile"),
    )
    .addOption(engineOption)
    .addOption(masterOption)
    .addOption(sparkConfOption)
    .option("--verify", "verify it, as verify --rescore does, before it becomes the active one")
    .option("--no-activate", "make the release, but leave the active one as it is")
    .option("--dry-run", "build nothing; say what it would be made of, where it would begin, and what it would take")
    .option(
      "--reader-impact",
      "as --no-activate, and say which scores move because payloads are read in another way now",
    )
    .action(async (options: BuildOptions) => {
      if (options.allowFuture !== true) requirePast("--as-of", options.asOf, "or --allow-future");
      const parts = partsOf(options);
      const sources = sourcesOf(options);
      const spark = sparkOf(options);
      const withheld = options.withhold === undefined ? [] : await readWithheld(options.withhold);
      const ror = await fileOf("--ror", options.ror);
      const citations = await fileOf("--citations", options.citations);
      // What was said wrong is told first, whatever there is to build from.
      const store = existingStoreOf(options);
      const activates = options.activate && options.readerImpact !== true;
      await tellIfEarlier(store, options.asOf);
      const forgotten = await countForgotten(options, withheld);
      if (forgotten > 0) {
        process.stderr.write(
          `${forgotten} researchers who opted out are not in --withhold and will be in the files of this release; moderate export --to FILE writes the list\n`,
        );
      }
      const signer = await signerFrom(options.sign, store);
      const asked: BuildRequest = {
        asOf: options.asOf,
        sources,
        named: options.source !== undefined,
        rubrics: options.rubric,
        ...parts,
        withheld,
        ror,
        citations,
        threads: options.threads,
        memory: options.memory,
        activate: activates,
        verify: options.verify === true,
        gates: options.gate ?? {},
        force: options.force ?? null,
        licence: options.licence,
        carryForward: carriedOf(options),
        signer,
        reuse: options.reuse,
        spark,
      };
      if (options.dryRun === true) {
        const machine = await machineUnder(store.root);
        printResult(options, await dryRun(store, asked, machine), (found) => dryRunText(found, machine));
        return;
      }
      const result = await withEffects((effects) => build(store, asked, effects), BUILD_PLAN);
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
      if (activates && !result.activated) throw new Gated(result.receipt.releaseDigest, result.gated);
      if (Object.keys(result.receipt.refused).length > 0) process.exitCode = DONE_WITH_REFUSALS;
    });
}

/** The release is there, is not what it says, and is not active. */
class DoesNotHold extends CommandFailed {
  constructor(digest: string, findings: readonly Finding[]) {
    const told = findings.slice(0, 20).map(({ check, detail }) => `  ${check}: ${detail}`);
    super(
      [
        `${digest} is not activated: it does not hold, with ${findings.length} findings`,
        ...told,
        "See `share-release verify`; move the release away, and build again.",
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
      memory,
      spill,
    });
  } finally {
    await rm(spill, { recursive: true, force: true });
  }
}

/** How much was taken over, where anything was. */
function reusedText({ parts, normalisedParts, pages, renderedPages }: Reused): string[] {
  if (parts + pages === 0) return [];
  const share = (taken: number, made: number) => `${taken} of ${taken + made}`;
  return [`Taken over unchanged: ${share(parts, normalisedParts)} raw parts, ${share(pages, renderedPages)} pages.`];
}

function licenceArgument(id: string): string {
  const licence = licenceOf(id);
  if (licence === null)
    throw new InvalidArgumentError("expected an id of the list of SPDX, such as CC0-1.0 or CC-BY-4.0.");
  return licence.id;
}

/** The file an option names, or null where the option is not given. */
async function fileOf(option: string, path: string | undefined): Promise<string | null> {
  return path === undefined ? null : readableFile(option, plainPath(option, path));
}

/** A release of a day before the active one's is sometimes meant, and more often a slip: what was open is under embargo again. */
async function tellIfEarlier(store: Store, asOf: string): Promise<void> {
  const active = await currentDigest(store);
  const receipt = active === null ? null : await readReceipt(store.release(active));
  if (receipt === null || receipt.asOf <= asOf) return;
  warn({ event: "build-before-active", asOf, active: receipt.scoreReleaseVersion, activeAsOf: receipt.asOf });
}

function asOfArgument(text: string): string {
  return text === "today" ? today() : dayArgument(text);
}

function sourcesOf(options: BuildOptions): string[] {
  const sources = options.source?.map(knownSource) ?? SOURCES;
  return [...new Set(sources.map(({ name }) => name))].sort();
}

/** What is carried forward is built. */
function carriedOf(options: BuildOptions): string[] {
  const names = [...new Set(options.carryForward ?? [])].sort();
  const built = sourcesOf(options);
  const others = names.filter((name) => !built.includes(name));
  if (others.length > 0) {
    throw new UsageError(`--carry-forward takes sources that are built, not ${others.join(", ")}: ${built.join(", ")}`);
  }
  return names;
}

function partsOf(options: BuildOptions): { attribution: boolean; history: boolean } {
  const without = options.without ?? [];
  const unknown = without.filter((part) => part !== "attribution" && part !== "history");
  if (unknown.length > 0) throw new UsageError(`--without takes attribution and history, not ${unknown.join(", ")}`);
  return { attribution: !without.includes("attribution"), history: !without.includes("history") };
}
