/** The options for building that several commands share, and the build request that results from them. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { findLicence } from "../../pipeline/6-release/citation.ts";
import type { SparkOptions } from "../../pipeline/engine/spark.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { BuildReleaseOptions as BuildRequest } from "../../releases/activate.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { GateLimits } from "../../schemas/public/gates.ts";
import { type ContractId, OTHER_CONTRACTS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { excludedIds } from "./accounts.ts";
import { setting } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import { knownSource } from "./known-source.ts";
import { forceOption, gateOption } from "./releases.ts";
import type { SettingName } from "./settings.ts";
import {
  dayArgument,
  memoryOption,
  plainPath,
  readableFile,
  rubricOption,
  type SharedOptions,
  threadsOption,
  today,
} from "./shared.ts";
import { signOption, unsignedOption } from "./signing.ts";

/** Values of --reuse: whether a build reuses results of earlier builds. */
const REUSE = ["auto", "always", "never"] as const;

export interface BuildRequestOptions extends SharedOptions {
  readonly rubric: PublicVersion[];
  readonly extraContract?: ContractId[];
  readonly skip?: string[];
  readonly excludeResearchers?: string;
  readonly ror?: string;
  readonly citations?: string;
  readonly threads: number;
  readonly memory: string | null;
  readonly licence: string;
  readonly gate?: Partial<GateLimits>;
  readonly force?: string;
  readonly sign?: readonly string[];
  readonly unsigned?: true;
  readonly reuse: (typeof REUSE)[number];
  readonly engine: EngineName;
  readonly master?: string;
  readonly sparkConf?: Record<string, string>;
}

export function withBuildRequest(command: Command): Command {
  return command
    .addOption(rubricOption)
    .addOption(
      new Option(
        "--extra-contract <ids...>",
        "Also publish scores under these contracts without a public version, in a separate table",
      ).choices(OTHER_CONTRACTS),
    )
    .addOption(
      new Option("--skip <parts...>", "Skip attribution or history; the receipt states it").argParser(
        (value: string, before: string[] = []) => [...before, ...value.split(",")],
      ),
    )
    .option("--exclude-researchers <file>", "Exclude these researchers too: a file with one id per line")
    .option("--ror <file>", "ROR data dump (JSON) for the countries of ROR ids")
    .option(
      "--citations <file>",
      "Citations and mentions by DOI: CSV or Parquet with the columns doi, citations, mentions",
    )
    .addOption(threadsOption("SHARE_BUILD_THREADS"))
    .addOption(memoryOption("payloads").env("SHARE_BUILD_MEMORY" satisfies SettingName))
    .addOption(
      new Option("--licence <id>", "Licence of the release: an SPDX identifier such as CC-BY-4.0")
        .argParser(licenceArgument)
        .default(DEFAULT_DATA_LICENCE),
    )
    .addOption(signOption)
    .addOption(unsignedOption)
    .addOption(gateOption)
    .addOption(forceOption)
    .addOption(
      new Option(
        "--reuse <when>",
        "Reuse unchanged results of earlier builds: always, never, or from about 2,000 records (auto)",
      )
        .choices(REUSE)
        .default("auto"),
    )
    .addOption(engineOption)
    .addOption(masterOption)
    .addOption(sparkConfOption);
}

/**
 * The part of a build request that these options determine. Each command adds the day, the sources, the key, and
 * whether to verify and activate the release.
 */
export type BuildSettings = Omit<
  BuildRequest,
  "asOf" | "sources" | "named" | "activate" | "verify" | "carryForward" | "signer"
>;

/**
 * Returns the build request that results from the options. Only reads files that the options name.
 * @throws UsageError, CommandFailed
 */
export async function readBuildRequest(options: BuildRequestOptions): Promise<BuildSettings> {
  const parts = readParts(options);
  const spark = readSparkOptions(options);
  const withheld = await excludedIds(options);
  return {
    rubrics: options.rubric,
    alsoContracts: [...new Set(options.extraContract ?? [])].sort(),
    ...parts,
    withheld,
    ror: await resolveFile("--ror", options.ror),
    citations: await resolveFile("--citations", options.citations),
    threads: options.threads,
    memory: options.memory,
    gates: options.gate ?? {},
    force: options.force ?? null,
    licence: options.licence,
    reuse: options.reuse,
    spark,
  };
}

function licenceArgument(id: string): string {
  const licence = findLicence(id);
  if (licence === null) throw new InvalidArgumentError("expected an SPDX identifier, such as CC0-1.0 or CC-BY-4.0.");
  return licence.id;
}

async function resolveFile(option: string, path: string | undefined): Promise<string | null> {
  return path === undefined ? null : readableFile(option, plainPath(option, path));
}

function readParts({ skip = [] }: BuildRequestOptions): { attribution: boolean; history: boolean } {
  const unknown = skip.filter((part) => part !== "attribution" && part !== "history");
  if (unknown.length > 0) throw new UsageError(`--skip expects attribution or history, not ${unknown.join(", ")}`);
  return { attribution: !skip.includes("attribution"), history: !skip.includes("history") };
}

/** Parses a day such as 2026-11-01, or `today`. */
export function asOfArgument(text: string): string {
  return text === "today" ? today() : dayArgument(text);
}

export function sourcesNamed(names: readonly string[] | undefined): string[] {
  const sources = names?.map(knownSource) ?? SOURCES;
  return [...new Set(sources.map(({ name }) => name))].sort();
}

const ENGINES = ["duckdb", "spark"] as const;
export type EngineName = (typeof ENGINES)[number];

export const engineOption = new Option(
  "--engine <name>",
  "Compute the tables with DuckDB on this machine, or with Apache Spark on a cluster; both give the same release",
)
  .choices(ENGINES)
  .default("duckdb");

export const masterOption = new Option(
  "--master <url>",
  "Spark master, such as local[2], spark://host:7077, yarn or k8s://https://host (default: local[*])",
);

export const sparkConfOption = new Option(
  "--spark-conf <settings...>",
  "More Spark settings, such as spark.executor.memory=4g",
).argParser((text: string, before: Record<string, string> = {}) => {
  const [, name, value] = /^(spark\.[^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("expected a setting of Spark, such as spark.driver.memory=4g.");
  return { ...before, [name]: value };
});

interface EngineOptions {
  readonly engine: EngineName;
  readonly master?: string;
  readonly sparkConf?: Record<string, string>;
}

/** Path of the Python into which `make spark` installs pyspark. */
const INSTALLED_PYTHON = fileURLToPath(new URL("../../.spark/bin/python", import.meta.url));

/** Returns the options for Spark; null if DuckDB is used. */
export function readSparkOptions({ engine, master, sparkConf }: EngineOptions): SparkOptions | null {
  if (engine === "spark") {
    const python = setting("PYSPARK_PYTHON") ?? (existsSync(INSTALLED_PYTHON) ? INSTALLED_PYTHON : "python3");
    return { master: master ?? "local[*]", conf: sparkConf ?? {}, python };
  }
  if (master !== undefined || sparkConf !== undefined) {
    throw new UsageError("--master and --spark-conf require --engine spark: add it, or leave them out");
  }
  return null;
}
