/** share-release release score: scores a release by a contract that the user wrote. */

import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { memoryFor } from "../../pipeline/engine/memory.ts";
import { dataBytes } from "../../pipeline/pages/columns.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import { type OwnScores, scoreRelease } from "../../releases/score/index.ts";
import { parseOwnContract } from "../../releases/score/own-contract.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { RELEASE_NAMES, releaseOrNewest } from "../options/releases.ts";
import {
  command,
  memoryOption,
  openExistingStore,
  plainPath,
  printResult,
  readableFile,
  type SharedOptions,
  threadsOption,
} from "../options/shared.ts";
import { paint, printPainted, shown, textTable } from "../terminal/text.ts";

interface ReleaseScoreOptions extends SharedOptions {
  readonly contract: string;
  readonly folder?: string;
  readonly out?: string;
  readonly threads: number;
  readonly memory: string | null;
}

/** Largest size of a contract file, in bytes. */
const MAX_CONTRACT_BYTES = 1 << 20;

export function releaseScoreCommand(): Command {
  return command("score", "Score a release by your own contract, and compare the totals with SHARE 2.0", [
    "release score --contract own.json",
    "release score 2026.11.01 --contract own.json --out scores.csv",
    "release score --folder downloaded/ --contract own.json --json",
  ])
    .argument("[release]", `${RELEASE_NAMES} (default: active)`)
    .requiredOption("--contract <file>", "Contract as JSON: a title and 1 to 25 signals with their rules")
    .option("--folder <dir>", "Score the release in this folder, such as a downloaded copy")
    .option("--out <file>", "Write total, difference and states of each record to this .csv or .parquet file")
    .addOption(threadsOption())
    .addOption(memoryOption("tables of the release"))
    .action(async (name: string | undefined, options: ReleaseScoreOptions) => {
      const out = options.out === undefined ? null : plainPath("--out", options.out);
      if (out !== null && !/\.(?:csv|parquet)$/.test(out))
        throw new UsageError("--out expects a .csv or .parquet file, such as scores.csv");
      const contract = parseOwnContract(await readContract(options.contract), options.contract);
      const folder = await resolveFolder(name, options);
      const receipt = await readReceipt(folder);
      if (receipt === null)
        throw new CommandFailed(
          `${folder} is not a release, because it has no release.json; give the folder of a complete release`,
        );
      const memory = options.memory ?? memoryFor(await dataBytes(folder));
      const spill = await mkdtemp(join(tmpdir(), "share-score-"));
      try {
        const scores = await scoreRelease(folder, receipt, contract, out, { threads: options.threads, memory, spill });
        printResult(options, scores, ownScoresText, printPainted);
      } finally {
        await rm(spill, { recursive: true, force: true });
      }
    });
}

async function readContract(path: string): Promise<Buffer> {
  const file = await readableFile("--contract", path);
  if ((await stat(file)).size > MAX_CONTRACT_BYTES)
    throw new CommandFailed(
      `--contract ${path} has more than ${MAX_CONTRACT_BYTES} bytes, the limit of a contract; give a smaller file`,
    );
  return readFile(file);
}

async function resolveFolder(name: string | undefined, options: ReleaseScoreOptions): Promise<string> {
  if (options.folder === undefined) {
    const store = openExistingStore(options);
    return store.release(await releaseOrNewest(store, name));
  }
  if (name !== undefined) throw new UsageError("give a release or --folder, not both");
  return resolve(plainPath("--folder", options.folder));
}

/** Columns in the table of signals. Those that interest readers most come first. */
const COUNTED = ["passed", "absent", "not_evaluable", "failed", "source_missing", "unsupported"] as const;

function ownScoresText(scores: OwnScores): string {
  const { title, releaseDigest, records, own, published, compared, ranges, signals, leastEvaluable } = scores;
  const figure = (value: number | null) => (value === null ? "–" : value.toFixed(2));
  const difference = compared.meanDifference ?? 0;
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  const points = Math.round(100 / signals.length);
  const each = points * signals.length === 100 ? String(points) : `about ${points}`;
  return [
    `${shown(title)}: ${plural(signals.length, "signal")}, ${each} points each`,
    `A total needs at least ${plural(leastEvaluable, "evaluable signal")}.`,
    `Release ${releaseDigest}`,
    "",
    ...textTable(
      ["total", "own contract", "SHARE 2.0"],
      [
        ["records", String(records), String(records)],
        ["with a total", String(own.scored), String(published.scored)],
        ["mean", figure(own.mean), figure(published.mean)],
        ["median", figure(own.median), figure(published.median)],
        ...ranges.map((range) => [
          `${range.from}–${range.from === 80 ? 100 : `${range.from + 19}.99`}`,
          String(range.own),
          String(range.published),
        ]),
      ],
      paint,
    ),
    "",
    `Of ${plural(compared.records, "record")} with both totals, ${compared.higher} have more points than under SHARE 2.0, ${compared.lower} have fewer, and ${compared.same} have the same.`,
    ...(compared.meanDifference === null
      ? []
      : [`The mean difference is ${sign}${Math.abs(difference).toFixed(2)} points.`]),
    "",
    ...textTable(
      ["signal", "name", ...COUNTED.map((state) => state.replaceAll("_", " "))],
      signals.map(({ id, name, states }) => [id, shown(name), ...COUNTED.map((state) => String(states[state] ?? 0))]),
      paint,
    ),
    "",
    "Only passed signals earn points, and only absent ones speak against a dataset. The other states mean that the answer is unknown.",
  ].join("\n");
}
