/** Writes receipts as text, and the score changes that new readers cause. */

import { attributionText } from "../../api-static/pages/attribution.ts";
import type { ReaderImpact } from "../../pipeline/diff/reader-impact.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { listSigningKeys } from "../../pipeline/store/signatures.ts";
import { type RecordChange, type ReleaseDiff, readerChange } from "../../schemas/public/api/diff.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { shown } from "./text.ts";

export function receiptText(receipt: Receipt, active: boolean): string {
  const { coverage } = receipt;
  const rejected = Object.entries(receipt.rejected);
  const rows: [string, string][] = [
    ["release", `${receipt.scoreReleaseVersion}${active ? " (active)" : ""}`],
    ["digest", receipt.releaseDigest],
    ["published", `${receipt.publishedAt}, as of ${receipt.asOf}`],
    ["licence", receipt.license ?? "none"],
    ["rubrics", receipt.rubrics.map((rubric) => `${rubric.version} (${rubric.contract})`).join(", ")],
    [
      "scored",
      `${plural(coverage.scored, "record")}, ${coverage.insufficient} with too little evidence, ${coverage.failed} failed`,
    ],
    ...receipt.rubrics
      .filter(({ insufficient }) => insufficient > 0)
      .map(({ version, insufficient }): [string, string] => [
        `  under ${version}`,
        `${insufficient} without a total: fewer than ${receipt.policy?.leastEvaluable ?? 0} signals could be judged`,
      ]),
    [
      "harvested",
      `${coverage.harvested} = ${coverage.scored} scored + ${coverage.insufficient} insufficient + ${coverage.failed} failed + ${coverage.notDataset} not datasets` +
        ` + ${coverage.tombstones} tombstones + ${coverage.superseded} superseded + ${coverage.duplicates} duplicates`,
    ],
    ["rejected", rejected.length === 0 ? "none" : rejected.map(([reason, count]) => `${count} ${reason}`).join(", ")],
    ["attribution", attributionText(receipt.attribution, String)],
    ["enriched", Object.keys(receipt.enrichments).sort().join(", ") || "none"],
    ...(receipt.withheld.count === 0
      ? []
      : [["withheld", `${plural(receipt.withheld.count, "researcher")} who opted out`] satisfies [string, string]]),
    [
      "signature",
      receipt.signature === null ? "none" : `by key ${listSigningKeys(receipt.signature).join(", ") || "unreadable"}`,
    ],
    ["history", receipt.history ? "included" : "not included"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}`).join("\n");
}

/** Returns one line of text for each source whose reader changed. */
export function readerLines(readers: ReleaseDiff["readers"]): string[] {
  return readers.map((reader) => `reader      ${reader.source}: ${readerChange(reader)}`);
}

/** Returns a text about the scores that change because readers, the code that reads the metadata of a source, have changed. `to` is the digest of the release with these changes. */
export function readerImpactText({ from, readers, sources, largest }: ReaderImpact, to: string): string {
  const next = `The new release is not active. To activate it, run \`share-release release activate ${to}\`.`;
  if (from === null) return `There is no active release of format 2 or 3 to compare with.\n${next}`;
  return [
    `Compared with the active release, ${from}:`,
    ...(readers.length === 0 ? ["no reader changed"] : readerLines(readers)),
    ...sources.flatMap(({ rubric, source, records, gained, lost, signals }) => [
      `${source} under ${rubric}: ${plural(records, "record")} changed, +${gained} −${lost} points`,
      ...signals.map(
        ({ signal, records: count, points }) => `  ${signal}  ${plural(count, "record")}, ${signed(points)} points`,
      ),
    ]),
    ...(sources.length === 0 ? ["No score changes because of a reader."] : largest.map(recordLine)),
    next,
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
