/** What a build would be made of, for people. */

import type { DryRun, SourceToBuild } from "../../pipeline/dry-run.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { bytes as size } from "./bar-line.ts";

export function dryRunText(found: DryRun): string {
  const { sources, empty, enrichments, finished, active } = found;
  const payloads = sources.reduce((sum, each) => sum + each.payloads, 0);
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  return [
    "Nothing is built: this is what it would be made of.",
    ...sources.map((source, i) => row(i === 0 ? "sources" : "", sourceText(source))),
    ...(empty.length === 0 ? [] : [row("without", empty.join(", "))]),
    row("payloads", `${payloads.toLocaleString("en")}, records that came again among them`),
    row("as of", `${found.asOf}, under ${[...found.rubrics, ...found.alsoContracts].join(" and ")}`),
    row("enriched", Object.keys(enrichments).sort().join(", ") || "with nothing"),
    row("follows", active === null ? "no release: this is the first" : `${active.releaseDigest}, as of ${active.asOf}`),
    row("begins", beginning(finished)),
  ].join("\n");
}

function sourceText({ source, parts, bytes, payloads, harvested, complete }: SourceToBuild): string {
  const amount = `${payloads.toLocaleString("en")} ${payloads === 1 ? "payload" : "payloads"} in ${plural(parts, "part")} of ${size(bytes)}`;
  const when = complete === null ? "no harvest ended" : `harvested ${harvested?.slice(0, 10) ?? "from files"}`;
  return `${source}: ${amount}, ${when}${complete === false ? ", incomplete" : ""}`;
}

function beginning(finished: DryRun["finished"]): string {
  if (finished === null)
    return "with payloads as they were: what an interrupted build finished is found out by building";
  const last = finished.at(-1);
  return last === undefined
    ? "at the beginning"
    : `after ${last}, which an interrupted build of the same inputs finished`;
}
