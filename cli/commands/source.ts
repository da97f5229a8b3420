/** share-release source: lists the sources, and checks one against its service. */

import { type Command, Option } from "commander";
import { type Fetched, fetchRecord } from "../../pipeline/1-harvest/index.ts";
import { recordOf } from "../../pipeline/parse-identifier.ts";
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
import { CommandFailed, DONE_WITH_REFUSALS, UsageError } from "../options/exit-codes.ts";
import { command, group, type SharedOptions, storeOf } from "../options/shared.ts";
import { askedAs, INSTALLABLE, knownSource, sourceNames, throughDoor } from "../options/sources.ts";
import { type Paint, paint, printLines, printPainted, shown, wrapped } from "../terminal/text.ts";
import { newCommand } from "./source-new.ts";

export function sourceCommand(): Command {
  return group("source", "list the sources, check one against its service, or start a new one", [
    listCommand(),
    checkCommand(),
    newCommand(),
  ]);
}

function listCommand(): Command {
  return command("list", "list the sources with their pledges, caps and last harvests", [
    "source list",
    "source list --json",
  ]).action(async (options: SharedOptions) => {
    const rows = await Promise.all(SOURCES.map((source) => rowOf(source, options)));
    if (options.json) for (const row of [...rows, { sources: rows.length }]) printLines(JSON.stringify(row));
    else printLines(sourcesText(rows));
  });
}

async function rowOf({ name, rate, hosts, credential }: Source, options: SharedOptions): Promise<SourceRow> {
  const pledge = (await readPledges()).get(name);
  if (pledge === undefined) throw new Error(`${name} has no pledge`);
  const contracts = await publicContracts();
  const supported = contracts.map(({ version, contract }) => {
    const count = popcount(supportedMask(pledge, contract.contract));
    return [version, { signals: count, cap: POINTS_PER_SIGNAL * count }] as const;
  });
  const last = (await readHarvests(storeOf(options).raw(name))).at(-1) ?? null;
  const { repository, operator, homepage, kind, status } = pledge;
  const who = { source: name, name: pledge.name, repository, operator, homepage, kind, status };
  return { ...who, hosts, rate, credential: credential?.variable ?? null, pledge: Object.fromEntries(supported), last };
}

export interface SourceRow {
  readonly source: string;
  readonly name: string;
  /** The label a reader sees, or null where each payload names it. */
  readonly repository: string | null;
  readonly operator: string;
  readonly homepage: string;
  readonly kind: string;
  readonly status: string;
  readonly hosts: readonly string[];
  readonly rate: Rate;
  /** The environment variable its credentials are read from, or null. */
  readonly credential: string | null;
  /** Signals pledged and the cap they give, by public version. */
  readonly pledge: Readonly<Record<string, { readonly signals: number; readonly cap: number }>>;
  readonly last: HarvestLine | null;
}

const HEADS = ["source", "kind", "pledge", "2.0 cap", "1.0 cap", "last harvest"];

/** A table with a line of heads. */
export function sourcesText(rows: readonly SourceRow[]): string {
  const table = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, i) => Math.max(...table.map((cells) => cells[i]?.length ?? 0)));
  return table
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cellsOf({ source, kind, status, pledge, last }: SourceRow): string[] {
  const cap = (version: string) => {
    const { signals = 0, cap: points = 0 } = pledge[version] ?? {};
    return `${points} (${signals}/25)`;
  };
  return [source, kind, status, cap("2.0"), cap("1.0"), last === null ? "never" : harvestText(last)];
}

function harvestText({ mode, finished, got, expected, complete, since }: HarvestLine): string {
  const when = finished === null ? "from files" : finished.slice(0, 10);
  const count = expected === null ? plural(got, "record") : `${got} of ${expected}`;
  const what = mode === "http" && since !== null ? ` changed since ${since}` : "";
  return `${when}: ${count}${what}${complete ? "" : ", incomplete"}`;
}

interface CheckOptions extends SharedOptions {
  readonly host?: string;
  readonly rubric: string;
  readonly upstream?: string;
}

function checkCommand(): Command {
  return command("check", "fetch one record and show the evidence beside the field of the payload it came from", [
    "source check zenodo",
    "source check clinicaltrials NCT04280705 --rubric 1.0",
  ])
    .argument("<name>", `one of ${sourceNames()}`)
    .argument("[id]", "a record of it; without one, one that is known to be there")
    .option(
      "--host <name>",
      `another installation (${INSTALLABLE.join(", ")} only) that SHARE_<SOURCE>_HOSTS allows: host names, separated by commas`,
    )
    .addOption(contractOption)
    .addOption(new Option("--upstream <address>", "for tests: where the service listens").hideHelp())
    .action(async (name: string, id: string | undefined, options: CheckOptions) => {
      const done = await check(throughDoor(knownSource(name), options), id, options);
      if (options.json) {
        for (const signal of done.signals) printLines(JSON.stringify(signal));
        const { signals: _signals, ...summary } = done;
        printLines(JSON.stringify(summary));
      } else printPainted(checkText(done, paint));
      if (done.outcome !== "record") process.exitCode = DONE_WITH_REFUSALS;
    });
}

async function check(source: Source, id: string | undefined, options: CheckOptions): Promise<SourceCheck> {
  const contract = await contractNamed(options.rubric);
  const pledge = (await readPledges()).get(source.name);
  if (pledge === undefined) throw new Error(`${source.name} has no pledge`);
  const sourceId = idOf(source, id);
  const asked = askedAs(source, options);
  const { upstream } = options;
  const http = upstream === undefined ? asked : { ...asked, base: upstream, allowPrivate: true };
  try {
    const fetched = await withEffects((effects) => fetchRecord(source, sourceId, http, effects));
    // The day matters for embargoes only, and the command line may look at the clock.
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

function idOf(source: Source, id: string | undefined): string {
  if (id === undefined) return source.example;
  const parsed = recordOf(source, id);
  if (parsed.kind === "record") return parsed.sourceId;
  throw new UsageError(parsed.kind === "refused" ? parsed.reason : `${id} is no record of ${source.name}`);
}

/** One signal: what was read, from where, and what stands there. */
interface CheckedSignal {
  readonly signal: string;
  readonly name: string;
  /** The columns its rule needs. */
  readonly evidence: Partial<Evidence>;
  /** Columns that were there and could not be read. */
  readonly unreadable: readonly EvidenceName[];
  readonly fields: readonly { readonly path: string; readonly count: number; readonly values: readonly string[] }[];
  /** Why the source does not pledge it, or null. */
  readonly unsupported: string | null;
}

export interface SourceCheck {
  readonly source: string;
  readonly sourceId: string;
  readonly url: string;
  readonly retrievedAt: string;
  readonly contract: string;
  readonly outcome: "record" | "failed" | "tombstone" | "not_dataset" | "refused";
  /** The reason that the payload has no evidence; null if it has. */
  readonly reason: string | null;
  readonly title: string | null;
  readonly bytes: number;
  readonly signals: readonly CheckedSignal[];
}

interface CheckContext {
  readonly source: Source;
  readonly sourceId: string;
  readonly pledge: Pledge;
  readonly contract: Rubric;
  readonly asOf: string;
}

/** Values shown of one field. */
const SHOWN = 3;

/** The check of a fetched record under a contract. */
export async function checkRecord(fetched: Fetched, context: CheckContext): Promise<SourceCheck> {
  const { source, contract } = context;
  const { url, retrievedAt } = fetched;
  // Some ids have several spellings, and the record has its own.
  const sourceId = fetched.kind === "record" ? fetched.record.sourceId : context.sourceId;
  const common = { source: source.name, sourceId, url, retrievedAt, contract: contract.contract };
  if (fetched.kind === "refused") {
    const { reason, detail } = fetched.objection;
    return { ...common, outcome: "refused", reason: `${reason}: ${detail}`, title: null, bytes: 0, signals: [] };
  }
  const bytes = fetched.kind === "gone" ? 0 : fetched.record.bytes;
  const payload = fetched.kind === "gone" ? null : parsePayload(fetched.record.payload, source.xmlParts);
  const vocabularies = await loadVocabularies();
  const normalised = source.normalise(payload, sourceId, { asOf: context.asOf, vocabularies });
  if (normalised.outcome !== "record") {
    const { outcome, reason } = normalised;
    return { ...common, outcome, reason, title: null, bytes, signals: [] };
  }
  const { evidence, errors, fields } = normalised;
  const signals = contract.signals.map((signal): CheckedSignal => {
    const pledged = context.pledge.contracts[contract.contract][signal.id];
    const supported = pledged?.supported === true;
    return {
      signal: signal.id,
      name: signal.name,
      evidence: Object.fromEntries(signal.needs.map((column) => [column, evidence[column]])),
      unreadable: signal.needs.filter((column) => errors.has(column)),
      fields: supported ? pledgedValues(pledged.field, payload).map(summed) : [],
      unsupported: supported ? null : (pledged?.why ?? "not pledged"),
    };
  });
  return { ...common, outcome: "record", reason: null, title: fields.title, bytes, signals };
}

function summed({ path, values }: { readonly path: string; readonly values: readonly string[] }) {
  return { path, count: values.length, values: values.slice(0, SHOWN).map((value) => shown(value).slice(0, 200)) };
}

/** For people, at most 80 columns where words allow it. */
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
      const rest = count > values.length ? ` … ${count} in all` : "";
      return indented(count === 0 ? `${path}: –` : `${path}: ${values.map(quoted).join(", ")}${rest}`, paint);
    }),
  ];
}

function valueText(value: unknown): string {
  return value === null ? "not carried" : typeof value === "string" ? quoted(value) : String(value);
}

function quoted(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 59)}…"` : `"${text}"`;
}

function indented(text: string, paint: Paint): string[] {
  return wrapped(shown(text), 74).map((line) => paint("dim", `   ${line}`));
}
