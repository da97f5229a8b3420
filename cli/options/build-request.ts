/** The options of a build that several commands have, and the request that is read from them. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { licenceOf } from "../../pipeline/6-release/citation.ts";
import type { SparkOptions } from "../../pipeline/engine/spark.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import type { ReleaseOptions as BuildRequest } from "../../releases/activate.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { GateLimits } from "../../schemas/public/gates.ts";
import { type ContractId, OTHER_CONTRACTS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { withheldBy } from "./accounts.ts";
import { environment } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import { forceOption, gateOption } from "./releases.ts";
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
import { knownSource } from "./sources.ts";

/** When to take over what earlier builds made. */
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
  readonly engine: Engine;
  readonly master?: string;
  readonly sparkConf?: Record<string, string>;
}

/** Adds those options to a command. */
export function withBuildRequest(command: Command): Command {
  return command
    .addOption(rubricOption)
    .addOption(
      new Option(
        "--extra-contract <ids...>",
        "publish the scores under these contracts, which no public version stands for, as a table of their own",
      ).choices(OTHER_CONTRACTS),
    )
    .addOption(
      new Option("--skip <parts...>", "leave out attribution or history; the receipt says so").argParser(
        (value: string, before: string[] = []) => [...before, ...value.split(",")],
      ),
    )
    .option(
      "--exclude-researchers <file>",
      "ids of more researchers to leave out than those who opted out here, one a line",
    )
    .option("--ror <file>", "a ROR data dump (JSON), for the countries of ROR ids")
    .option("--citations <file>", "citations and mentions by DOI: CSV or Parquet of doi, citations, mentions")
    .addOption(threadsOption)
    .addOption(memoryOption("the payloads"))
    .addOption(
      new Option("--licence <id>", "what the release is published under, as an id of SPDX such as CC-BY-4.0")
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
        "take over what earlier builds made and nothing has changed since: from about 2,000 records on (auto), always, or never",
      )
        .choices(REUSE)
        .default("auto"),
    )
    .addOption(engineOption)
    .addOption(masterOption)
    .addOption(sparkConfOption);
}

/** A build but for its day, its sources, its key, and what becomes of the release. */
export type AskedBuild = Omit<
  BuildRequest,
  "asOf" | "sources" | "named" | "activate" | "verify" | "carryForward" | "signer"
>;

/** @throws UsageError, CommandFailed for what cannot be: nothing is looked at but what the options name */
export async function buildRequestOf(options: BuildRequestOptions): Promise<AskedBuild> {
  const parts = partsOf(options);
  const spark = sparkOf(options);
  const withheld = await withheldBy(options);
  return {
    rubrics: options.rubric,
    alsoContracts: [...new Set(options.extraContract ?? [])].sort(),
    ...parts,
    withheld,
    ror: await fileOf("--ror", options.ror),
    citations: await fileOf("--citations", options.citations),
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
  const licence = licenceOf(id);
  if (licence === null)
    throw new InvalidArgumentError("expected an id of the list of SPDX, such as CC0-1.0 or CC-BY-4.0.");
  return licence.id;
}

/** The file an option names, or null where the option is not given. */
async function fileOf(option: string, path: string | undefined): Promise<string | null> {
  return path === undefined ? null : readableFile(option, plainPath(option, path));
}

function partsOf({ skip = [] }: BuildRequestOptions): { attribution: boolean; history: boolean } {
  const unknown = skip.filter((part) => part !== "attribution" && part !== "history");
  if (unknown.length > 0) throw new UsageError(`--skip takes attribution and history, not ${unknown.join(", ")}`);
  return { attribution: !skip.includes("attribution"), history: !skip.includes("history") };
}

/** Parses a day such as 2026-11-01, or `today`. */
export function asOfArgument(text: string): string {
  return text === "today" ? today() : dayArgument(text);
}

/** All sources where none are named; each once, in order. */
export function sourcesNamed(names: readonly string[] | undefined): string[] {
  const sources = names?.map(knownSource) ?? SOURCES;
  return [...new Set(sources.map(({ name }) => name))].sort();
}

const ENGINES = ["duckdb", "spark"] as const;
export type Engine = (typeof ENGINES)[number];

export const engineOption = new Option(
  "--engine <name>",
  "what computes the tables: DuckDB on this machine, or Apache Spark, for what no machine holds; the release is the same",
)
  .choices(ENGINES)
  .default("duckdb");

export const masterOption = new Option(
  "--master <url>",
  "the Spark to use, such as local[2], spark://host:7077, yarn or k8s://https://host; local[*] if left out",
);

export const sparkConfOption = new Option(
  "--spark-conf <settings...>",
  "further settings of Spark, such as spark.executor.memory=4g",
).argParser((text: string, before: Record<string, string> = {}) => {
  const [, name, value] = /^(spark\.[^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("expected spark.name=value.");
  return { ...before, [name]: value };
});

interface Given {
  readonly engine: Engine;
  readonly master?: string;
  readonly sparkConf?: Record<string, string>;
}

/** Where `make spark` installs it. */
const INSTALLED = fileURLToPath(new URL("../../.spark/bin/python", import.meta.url));

/** Null for DuckDB. */
export function sparkOf({ engine, master, sparkConf }: Given): SparkOptions | null {
  if (engine === "spark") {
    const python = environment.PYSPARK_PYTHON ?? (existsSync(INSTALLED) ? INSTALLED : "python3");
    return { master: master ?? "local[*]", conf: sparkConf ?? {}, python };
  }
  if (master !== undefined || sparkConf !== undefined) {
    throw new UsageError("--master and --spark-conf go with --engine spark");
  }
  return null;
}
