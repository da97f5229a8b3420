/** Sections about sources: pledges, request rates, hosts, limits of input, and recorded responses. */

import { z } from "zod";
import { MIN_INFLATED_BYTES, TIMES } from "../../pipeline/1-harvest/inputs.ts";
import {
  DEPTH,
  DOCUMENT_BYTES,
  ITEMS,
  LISTED_REJECTIONS,
  PAYLOAD_BYTES,
  VALUES,
} from "../../pipeline/1-harvest/limits.ts";
import { HTTP_LIMITS } from "../../pipeline/1-harvest/requests.ts";
import { publicContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Rate } from "../../pipeline/sources/adapter/source.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import type { Effort, SignalForm } from "../../schemas/public/form.ts";
import type { Pledge, PledgedSignal } from "../../schemas/public/pledge.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import counts from "../recorded-answers.json" with { type: "json" };
import { blocks, code, codes, table } from "./markdown.ts";

/** Writes a table of all sources, then a chapter on the pledge of each. */
export async function pledges(): Promise<string> {
  const all = [...(await readPledges()).values()];
  const versions = (await publicContracts()).map(({ version, contract }) => ({ version, id: contract.contract }));
  return blocks(summary(all), ...all.map((pledge) => writeChapter(pledge, versions)));
}

function summary(all: readonly Pledge[]): string {
  const rows = all.map((pledge) => [
    code(pledge.source),
    pledge.repository ?? `named by ${code(pledge.repositoryField ?? "")}`,
    pledge.operator,
    pledge.kind,
    pledge.status,
    ...CONTRACTS.map((contract) => capText(supportedMask(pledge, contract))),
  ]);
  return table(
    ["source", "repository label", "operator", "kind", "status", ...CONTRACTS.map((contract) => `cap, ${contract}`)],
    rows,
  );
}

/** Writes a cap with the number of its signals, such as `84 (21 signals)`. */
function capText(mask: number): string {
  const supported = popcount(mask);
  return `${supported * POINTS_PER_SIGNAL} (${supported} signals)`;
}

interface Version {
  readonly version: string;
  readonly id: (typeof CONTRACTS)[number];
}

function writeChapter(pledge: Pledge, versions: readonly Version[]): string {
  const rows = SIGNAL_IDS.map((id) => [
    id,
    ...versions.map((version) => fieldOrReason(pledge.contracts[version.id][id])),
  ]);
  return blocks(
    `## ${pledge.name}`,
    pledge.attestation,
    [
      `- Payloads never carry: ${codes(pledge.neverCarries)}.`,
      `- Keys that the service leaves out if they are empty, so that a missing key means none: ${codes(pledge.omitsWhenEmpty)}.`,
    ].join("\n"),
    table(["signal", ...versions.map(({ version }) => `${version}: field, or reason`)], rows),
    table(
      ["column", "form field", "who can edit", "effort", "documentation", "checked on"],
      Object.entries(pledge.forms ?? {}).map(formRow),
    ),
  );
}

const EFFORTS: Readonly<Record<Effort, string>> = { record: "an edit", version: "a new version", files: "new files" };

/**
 * Returns a row for a column and its form field. There is no such field if the service itself counts or states the
 * fact.
 */
function formRow([column, { label, who, effort, page, checked }]: [string, SignalForm]): string[] {
  if (effort === null) return [code(column), "_none_", who, "", "", ""];
  return [
    code(column),
    label ?? "_unknown_",
    who,
    EFFORTS[effort],
    page === null ? "_not found_" : `<${page}>`,
    checked ?? "",
  ];
}

function fieldOrReason(signal: PledgedSignal | undefined): string {
  if (signal === undefined) return "";
  return signal.supported ? code(signal.field) : `_unsupported:_ ${signal.why}`;
}

/** Writes a table of the rates below which a harvest of each source stays. */
export async function rates(): Promise<string> {
  const rows = SOURCES.map(({ name, rate, contactRate, credential, concurrency, walk }) => [
    code(name),
    rateText(rate),
    contactRate === undefined ? "–" : rateText(contactRate),
    credential === undefined ? "–" : `${rateText(credential.rate)}, ${code(credential.variable)}`,
    String(concurrency ?? 1),
    walk.since ? "yes" : "no",
  ]);
  return table(
    ["source", "without credentials", "with a contact", "with credentials", "parallel requests", "can list changes"],
    rows,
  );
}

/** Writes a table of the parts of each source that a harvest can select, including the sets of OAI-PMH. */
export async function parts(): Promise<string> {
  const oai = { ...dataciteByOai(""), name: "datacite --oai-url" };
  const rows = [...SOURCES, oai].flatMap(({ name, walk: { selectors = [] } }) =>
    selectors.map(({ name: part, example, parameter, about }) => [
      code(name),
      code(`--only ${/\s/.test(example) ? `"${part}=${example}"` : `${part}=${example}`}`),
      about,
      code(parameter),
    ]),
  );
  return table(["source", "example", "selects", "parameter of the service"], rows);
}

function rateText({ requests, seconds }: Rate): string {
  return `${requests} in ${seconds} s`;
}

const MEBIBYTE = 1024 * 1024;

const grouped = (count: number) => count.toLocaleString("en-GB");

/** Writes a table of the hosts of each source, with the rate of requests. No other hosts get requests. */
export async function services(): Promise<string> {
  const rows = SOURCES.map(({ name, hosts, rate }) => [
    code(name),
    codes(hosts),
    `${rate.requests} requests in ${rate.seconds} s`,
  ]);
  return table(["source", "hosts", "at most"], rows);
}

/** Writes a table of the limits of harvested input, such as the size of a record. */
export async function limits(): Promise<string> {
  return table(
    ["input", "limit"],
    [
      ["a line, or a whole document", `${DOCUMENT_BYTES / MEBIBYTE} MiB`],
      ["a record", `${PAYLOAD_BYTES / MEBIBYTE} MiB`],
      ["nesting of objects and arrays", `${DEPTH}`],
      ["values in a JSON document", grouped(VALUES)],
      ["records in a document", grouped(ITEMS)],
      ["a file after decompression", `${MIN_INFLATED_BYTES / MEBIBYTE} MiB and ${TIMES} times its compressed size`],
      ["rejections of a file that are listed one by one", grouped(LISTED_REJECTIONS)],
      ["an HTTP response", `${HTTP_LIMITS.bodyBytes / MEBIBYTE} MiB`],
      ["an HTTP request, including the response body", `${HTTP_LIMITS.timeoutMs / 1000} s`],
      ["attempts of a request", `${HTTP_LIMITS.attempts}`],
      ["redirects of a request", `${HTTP_LIMITS.redirects}`],
    ],
  );
}

const recordedRow = z.strictObject({
  folder: z.string(),
  source: z.string(),
  files: z.int(),
  outcomes: z.strictObject({ record: z.int(), failed: z.int(), tombstone: z.int(), not_dataset: z.int() }),
  rejected: z.record(z.string(), z.int()),
});
export type RecordedRow = z.infer<typeof recordedRow>;

const recordedCounts = z.strictObject({ made: z.string(), rows: z.array(recordedRow) });

/**
 * Writes a table of the results with recorded responses, with a row for each folder, and the day on which they were
 * counted.
 */
export async function recordedResponses(): Promise<string> {
  const { made, rows } = recordedCounts.parse(counts);
  const cells = rows.map(({ folder, source, files, outcomes, rejected }) => [
    code(folder),
    code(source),
    String(files),
    String(outcomes.record),
    String(outcomes.failed),
    String(outcomes.tombstone),
    String(outcomes.not_dataset),
    reasonsText(rejected),
  ]);
  const header = [
    "folder",
    "source",
    "files",
    "records",
    "failed",
    "tombstones",
    "not datasets",
    "rejected, by reason",
  ];
  return blocks(`Counted on ${made}.`, table(header, cells));
}

function reasonsText(rejected: Readonly<Record<string, number>>): string {
  const named = Object.entries(rejected).map(([reason, count]) => `${reason} ${count}`);
  return named.length === 0 ? "–" : named.join(", ");
}
