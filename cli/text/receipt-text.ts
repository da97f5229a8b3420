/** A receipt for people. */

import { attributionText } from "../../api-static/pages/attribution.ts";
import { signingKeysOf } from "../../pipeline/store/check-signature.ts";
import type { Receipt } from "../../schemas/public/release.ts";

export function receiptText(receipt: Receipt, active: boolean): string {
  const { coverage } = receipt;
  const refused = Object.entries(receipt.refused);
  const rows: [string, string][] = [
    ["release", `${receipt.scoreReleaseVersion}${active ? " (active)" : ""}`],
    ["digest", receipt.releaseDigest],
    ["published", `${receipt.publishedAt}, as of ${receipt.asOf}`],
    ["licence", receipt.license ?? "none named"],
    ["rubrics", receipt.rubrics.map((rubric) => `${rubric.version} (${rubric.contract})`).join(", ")],
    [
      "scored",
      `${coverage.scored} records, ${coverage.insufficient} with too little evidence, ${coverage.failed} failed`,
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
    ["refused", refused.length === 0 ? "nothing" : refused.map(([reason, count]) => `${count} ${reason}`).join(", ")],
    ["attribution", attributionText(receipt.attribution, String)],
    ["enriched", Object.keys(receipt.enrichments).sort().join(", ") || "with nothing"],
    ...(receipt.withheld.count === 0
      ? []
      : [["withheld", `${receipt.withheld.count} researchers who opted out`] satisfies [string, string]]),
    [
      "signature",
      receipt.signature === null ? "none" : `by key ${signingKeysOf(receipt.signature).join(", ") || "unreadable"}`,
    ],
    ["history", receipt.history ? "carried" : "left out"],
  ];
  return rows.map(([name, value]) => `${name.padEnd(12)}${value}`).join("\n");
}
