/** The list of sources for people: one line each, at most a hundred columns. */

import { plural } from "../../pipeline/reading/text.ts";
import type { Rate } from "../../pipeline/sources/adapter/source.ts";
import type { HarvestLine } from "../../pipeline/store/raw/harvest-log.ts";

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
