/** The pledges: what each source can carry, from which of its own fields, and its cap. */

import { publicContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import type { Effort, Form } from "../../schemas/public/form.ts";
import type { Pledge, PledgedSignal } from "../../schemas/public/pledge.ts";
import { CONTRACTS } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount, SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { blocks, code, codes, table } from "./markdown.ts";

/** A summary of all sources, then one part a source. */
export async function pledges(): Promise<string> {
  const all = [...(await readPledges()).values()];
  const versions = (await publicContracts()).map(({ version, contract }) => ({ version, id: contract.contract }));
  return blocks(summary(all), ...all.map((pledge) => ofSource(pledge, versions)));
}

function summary(all: readonly Pledge[]): string {
  const rows = all.map((pledge) => [
    code(pledge.source),
    pledge.repository ?? `named by ${code(pledge.repositoryField ?? "")}`,
    pledge.operator,
    pledge.kind,
    pledge.status,
    ...CONTRACTS.map((contract) => capOf(supportedMask(pledge, contract))),
  ]);
  return table(
    ["source", "repository label", "operator", "kind", "status", ...CONTRACTS.map((contract) => `cap, ${contract}`)],
    rows,
  );
}

/** `84 (21 signals)`. */
function capOf(mask: number): string {
  const supported = popcount(mask);
  return `${supported * POINTS_PER_SIGNAL} (${supported} signals)`;
}

interface Version {
  readonly version: string;
  readonly id: (typeof CONTRACTS)[number];
}

function ofSource(pledge: Pledge, versions: readonly Version[]): string {
  const rows = SIGNAL_IDS.map((id) => [id, ...versions.map((version) => pledged(pledge.contracts[version.id][id]))]);
  return blocks(
    `## ${pledge.name}`,
    pledge.attestation,
    [
      `- Never carried by a payload: ${codes(pledge.neverCarries)}.`,
      `- Left out by the service when empty, and then read as none: ${codes(pledge.omitsWhenEmpty)}.`,
    ].join("\n"),
    table(["signal", ...versions.map(({ version }) => `${version}: field, or why not`)], rows),
    table(
      ["entered for", "in the form", "by the", "takes", "documented at", "read on"],
      Object.entries(pledge.forms ?? {}).map(cell),
    ),
  );
}

const TAKES: Readonly<Record<Effort, string>> = { record: "an edit", version: "a new version", files: "new files" };

/** Where a column is entered. Nothing is entered where the service counts or states it. */
function cell([column, { label, who, effort, page, checked }]: [string, Form]): string[] {
  if (effort === null) return [code(column), "_nothing to enter_", who, "", "", ""];
  return [
    code(column),
    label ?? "_unknown_",
    who,
    TAKES[effort],
    page === null ? "_nothing found_" : `<${page}>`,
    checked ?? "",
  ];
}

function pledged(signal: PledgedSignal | undefined): string {
  if (signal === undefined) return "";
  return signal.supported ? code(signal.field) : `_unsupported:_ ${signal.why}`;
}
