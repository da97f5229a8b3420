/** Readers of sources that are others than before, and what they move, for people. */

import type { ReaderImpact } from "../../pipeline/diff/reader-impact.ts";
import { plural } from "../../pipeline/reading/text.ts";
import type { RecordChange, ReleaseDiff } from "../../schemas/public/api/diff.ts";
import { readerChange } from "../../schemas/public/api/diff.ts";
import { shown } from "./wrapped.ts";

/** A line a source whose payloads are read in another way. */
export function readerLines(readers: ReleaseDiff["readers"]): string[] {
  return readers.map((reader) => `reader      ${reader.source}: ${readerChange(reader)}`);
}

/** What a new release moves by its readers alone; `to` is its digest. */
export function readerImpactText({ from, readers, sources, largest }: ReaderImpact, to: string): string {
  if (from === null) return "No release is active: there is nothing that another reader could have moved.";
  return [
    `Against the active release, ${from}:`,
    ...(readers.length === 0 ? ["no source is read in another way"] : readerLines(readers)),
    ...sources.flatMap(({ rubric, source, records, gained, lost, signals }) => [
      `${source} under ${rubric}: ${plural(records, "record")} moved, +${gained} −${lost} points`,
      ...signals.map(
        ({ signal, records: count, points }) => `  ${signal}  ${plural(count, "record")}, ${signed(points)} points`,
      ),
    ]),
    ...(sources.length === 0 ? ["No score moves because of how payloads are read."] : largest.map(recordLine)),
    `It is not active; \`share-release activate ${to}\` makes it so.`,
  ].join("\n");
}

function recordLine({ rubric, identifier, totalBefore, totalAfter, signals }: RecordChange): string {
  const moved = signals
    .filter(({ cause }) => cause === "reading")
    .map(({ signal, points }) => `${signal} ${signed(points)}`);
  return `  ${shown(identifier)} under ${rubric}: ${totalBefore ?? "none"} → ${totalAfter ?? "none"} (${moved.join(", ")})`;
}

function signed(points: number): string {
  return points < 0 ? `−${-points}` : `+${points}`;
}
