/** share-release source: lists the sources, checks one, and creates a new one. */

import { type Command, Option } from "commander";
import { type Fetched, fetchRecord } from "../../pipeline/1-harvest/index.ts";
import { findRecord } from "../../pipeline/parse-identifier.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { publicContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Rate, Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { pledgedValues, readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { type HarvestLine, readHarvests } from "../../pipeline/store/harvest-log.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { Pledge } from "../../schemas/public/pledge.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount } from "../../schemas/public/signal.ts";
import { contractNamed, contractOption } from "../options/contract.ts";
import { withEffects } from "../options/effects.ts";
import { CommandFailed, DONE_WITH_REJECTIONS, UsageError } from "../options/exit-codes.ts";
import { knownSource, sourceNames } from "../options/known-source.ts";
import { command, group, openChosenStore, type SharedOptions } from "../options/shared.ts";
import { INSTALLABLE, readConnection, sourceAtService } from "../options/sources.ts";
import { type Paint, paint, printLines, printPainted, shown, wrapped } from "../terminal/text.ts";
import { newCommand } from "./source-new.ts";

export function sourceCommand(): Command {
  return group("source", "List the sources, check a source against its service, or create a new source", [
    listCommand(),
    checkCommand(),
    newCommand(),
  ]);
}

function listCommand(): Command {
  return command("list", "List the sources with their pledges, caps and last harvests", [
    "source list",
    "source list --json",
  ]).action(async (options: SharedOptions) => {
    const rows = await Promise.all(SOURCES.map((source) => describeSource(source, options)));
    if (options.json) for (const row of [...rows, { sources: rows.length }]) printLines(JSON.stringify(row));
    else printLines(sourcesText(rows));
  });
}

async function describeSource({ name, rate, hosts, credential }: Source, options: SharedOptions): Promise<SourceRow> {
  const pledge = (await readPledges()).get(name);
  if (pledge === undefined)
    throw new Error(`the source ${name} has no pledge in this version of the program; report this`);
  const contracts = await publicContracts();
  const supported = contracts.map(({ version, contract }) => {
    const count = popcount(supportedMask(pledge, contract.contract));
    return [version, { signals: count, cap: POINTS_PER_SIGNAL * count }] as const;
  });
  const last = (await readHarvests(openChosenStore(options).raw(name))).at(-1) ?? null;
  const { repository, operator, homepage, kind, status } = pledge;
  const identity = { source: name, name: pledge.name, repository, operator, homepage, kind, status };
  return {
    ...identity,
    hosts,
    rate,
    credential: credential?.variable ?? null,
    pledge: Object.fromEntries(supported),
    last,
  };
}

export interface SourceRow {
  readonly source: string;
  readonly name: string;
  /** The label of the repository; null if the payloads contain it. */
  readonly repository: string | null;
  readonly operator: string;
  readonly homepage: string;
  readonly kind: string;
  readonly status: string;
  readonly hosts: readonly string[];
  readonly rate: Rate;
  /** The environment variable for the credentials of the source; null if it needs none. */
  readonly credential: string | null;
  /**
   * By public version: the number of signals that the source supports, and the possible points (cap) that result from
   * them.
   */
  readonly pledge: Readonly<Record<string, { readonly signals: number; readonly cap: number }>>;
  readonly last: HarvestLine | null;
}

const HEADINGS = ["source", "kind", "pledge", "2.0 cap", "1.0 cap", "last harvest"];

export function sourcesText(rows: readonly SourceRow[]): string {
  const table = [HEADINGS, ...rows.map(formatCells)];
  const widths = HEADINGS.map((_, i) => Math.max(...table.map((cells) => cells[i]?.length ?? 0)));
  return table
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function formatCells({ source, kind, status, pledge, last }: SourceRow): string[] {
  const cap = (version: string) => {
    const { signals = 0, cap: points = 0 } = pledge[version] ?? {};
    return `${points} (${signals}/25)`;
  };
  return [source, kind, status, cap("2.0"), cap("1.0"), last === null ? "never" : harvestText(last)];
}

function harvestText({ mode, finished, got, expected, complete, since, only }: HarvestLine): string {
  const date = finished === null ? "from files" : finished.slice(0, 10);
  const count = expected === null ? plural(got, "record") : `${got} of ${expected}`;
  const range = mode === "http" && since !== null ? ` changed since ${since}` : "";
  return `${date}: ${count}${only === undefined ? "" : ` of ${only}`}${range}${complete ? "" : ", incomplete"}`;
}

interface CheckOptions extends SharedOptions {
  readonly host?: string;
  readonly rubric: string;
  readonly upstream?: string;
}

function checkCommand(): Command {
  return command("check", "Fetch one record and show its evidence beside the fields of the payload", [
    "source check zenodo",
    "source check clinicaltrials NCT04280705 --rubric 1.0",
  ])
    .argument("<name>", `One of ${sourceNames()}`)
    .argument("[id]", "Id of a record (default: an example record)")
    .option(
      "--host <name>",
      `Check another installation (${INSTALLABLE.join(", ")} only); SHARE_<SOURCE>_HOSTS must list its host name`,
    )
    .addOption(contractOption)
    .addOption(new Option("--upstream <url>", "URL of the service, for tests").hideHelp())
    .action(async (name: string, id: string | undefined, options: CheckOptions) => {
      const done = await check(sourceAtService(knownSource(name), options), id, options);
      if (options.json) {
        for (const signal of done.signals) printLines(JSON.stringify(signal));
        const { signals: _signals, ...summary } = done;
        printLines(JSON.stringify(summary));
      } else printPainted(checkText(done, paint));
      if (done.outcome !== "record") process.exitCode = DONE_WITH_REJECTIONS;
    });
}

async function check(source: Source, id: string | undefined, options: CheckOptions): Promise<SourceCheck> {
  const contract = contractNamed(options.rubric);
  const pledge = (await readPledges()).get(source.name);
  if (pledge === undefined)
    throw new Error(`the source ${source.name} has no pledge in this version of the program; report this`);
  const sourceId = resolveSourceId(source, id);
  const connection = readConnection(source, options);
  const { upstream } = options;
  const http = upstream === undefined ? connection : { ...connection, base: upstream, allowPrivate: true };
  try {
    const fetched = await withEffects((effects) => fetchRecord(source, sourceId, http, effects));
    // The as-of date only affects embargoes, so the present day is used.
    return await checkRecord(fetched, {
      source,
      sourceId,
      pledge,
      contract,
      asOf: new Date().toISOString().slice(0, 10),
    });
  } catch (error) {
    if (error instanceof Error && "code" in error) throw new CommandFailed(error.message, { cause: error });
    throw error;
  }
}

function resolveSourceId(source: Source, id: string | undefined): string {
  if (id === undefined) return source.example;
  const parsed = findRecord(source, id);
  if (parsed.kind === "record") return parsed.sourceId;
  throw new UsageError(
    parsed.kind === "rejected"
      ? parsed.reason
      : `${id} is not a record of ${source.name}; give an id such as ${source.example}`,
  );
}

interface CheckedSignal {
  readonly signal: string;
  readonly name: string;
  readonly evidence: Partial<Evidence>;
  /** Evidence columns whose values could not be read. */
  readonly unreadable: readonly EvidenceName[];
  readonly fields: readonly { readonly path: string; readonly count: number; readonly values: readonly string[] }[];
  /** The reason why the source does not support the signal; null if it does. */
  readonly unsupported: string | null;
}

export interface SourceCheck {
  readonly source: string;
  readonly sourceId: string;
  readonly url: string;
  readonly retrievedAt: string;
  readonly contract: string;
  readonly outcome: "record" | "failed" | "tombstone" | "not_dataset" | "rejected";
  /** The reason why the payload gave no evidence; null if it gave some. */
  readonly reason: string | null;
  readonly title: string | null;
  readonly bytes: number;
  readonly signals: readonly CheckedSignal[];
}

interface CheckInput {
  readonly source: Source;
  readonly sourceId: string;
  readonly pledge: Pledge;
  readonly contract: Rubric;
  readonly asOf: string;
}

/** Largest number of values that are shown for one field. */
const MAX_VALUES = 3;

export async function checkRecord(fetched: Fetched, input: CheckInput): Promise<SourceCheck> {
  const { source, contract } = input;
  const { url, retrievedAt } = fetched;
  // Ids can have several spellings. The record has the canonical one.
  const sourceId = fetched.kind === "record" ? fetched.record.sourceId : input.sourceId;
  const common = { source: source.name, sourceId, url, retrievedAt, contract: contract.contract };
  if (fetched.kind === "rejected") {
    const { reason, detail } = fetched.objection;
    return { ...common, outcome: "rejected", reason: `${reason}: ${detail}`, title: null, bytes: 0, signals: [] };
  }
  const bytes = fetched.kind === "gone" ? 0 : fetched.record.bytes;
  const payload = fetched.kind === "gone" ? null : parsePayload(fetched.record.payload, source.xmlParts);
  const vocabularies = await loadVocabularies();
  const normalised = source.normalise(payload, sourceId, { asOf: input.asOf, vocabularies });
  if (normalised.outcome !== "record") {
    const { outcome, reason } = normalised;
    return { ...common, outcome, reason, title: null, bytes, signals: [] };
  }
  const { evidence, errors, fields } = normalised;
  const signals = contract.signals.map((signal): CheckedSignal => {
    const pledged = input.pledge.contracts[contract.contract][signal.id];
    const supported = pledged?.supported === true;
    return {
      signal: signal.id,
      name: signal.name,
      evidence: Object.fromEntries(signal.needs.map((column) => [column, evidence[column]])),
      unreadable: signal.needs.filter((column) => errors.has(column)),
      fields: supported ? pledgedValues(pledged.field, payload).map(summarise) : [],
      unsupported: supported ? null : (pledged?.why ?? "not pledged"),
    };
  });
  return { ...common, outcome: "record", reason: null, title: fields.title, bytes, signals };
}

function summarise({ path, values }: { readonly path: string; readonly values: readonly string[] }) {
  return {
    path,
    count: values.length,
    values: values.slice(0, MAX_VALUES).map((value) => shown(value).slice(0, 200)),
  };
}

/** Returns the result of a check as text, with lines of at most 80 columns if possible. */
export function checkText(check: SourceCheck, paint: Paint): string {
  const { source, sourceId, url, bytes, contract, retrievedAt } = check;
  const head = [
    paint("bold", `${source}/${sourceId}`),
    ...(check.title === null ? [] : wrapped(shown(check.title), 80)),
    paint("dim", `${url} · ${bytes} bytes · ${retrievedAt.slice(0, 19)}Z · contract ${contract}`),
  ];
  if (check.outcome !== "record") return [...head, `${check.outcome}: ${shown(check.reason ?? "")}`].join("\n");
  return [...head, "", ...check.signals.flatMap((signal) => signalLines(signal, paint))].join("\n");
}

function signalLines(
  { signal, name, evidence, unreadable, fields, unsupported }: CheckedSignal,
  paint: Paint,
): string[] {
  const heading = `${signal} ${name}`;
  if (unsupported !== null) return [paint("dim", heading), ...indented(`not pledged: ${unsupported}`, paint)];
  const columns = Object.entries(evidence).map(([column, value]) => {
    const broken = unreadable.some((each) => each === column);
    return `${column} = ${broken ? "unreadable" : valueText(value)}`;
  });
  const found = Object.values(evidence).some(
    (value) => value !== null && value !== 0 && value !== false && value !== "",
  );
  return [
    `${paint(found ? "green" : "yellow", heading)}  ${columns.join(", ")}`,
    ...fields.flatMap(({ path, count, values }) => {
      const rest = count > values.length ? ` … ${count} in total` : "";
      return indented(count === 0 ? `${path}: –` : `${path}: ${values.map(quoted).join(", ")}${rest}`, paint);
    }),
  ];
}

function valueText(value: unknown): string {
  return value === null ? "missing" : typeof value === "string" ? quoted(value) : String(value);
}

function quoted(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 59)}…"` : `"${text}"`;
}

function indented(text: string, paint: Paint): string[] {
  return wrapped(shown(text), 74).map((line) => paint("dim", `   ${line}`));
}
