/** A run for people: its steps, one a line. */

import { plural } from "../../../pipeline/reading/text.ts";
import type { HarvestOfRun, RunSummary } from "../../../releases/run/under-way.ts";
import { duration } from "../duration.ts";
import { notifiedText } from "./notified-text.ts";

const OUTCOMES: Readonly<Record<RunSummary["outcome"], string>> = {
  activated: "Done: a release was made and is active.",
  "was-active": "Done: the release is active, as it was before.",
  nothing: "Nothing to do: no source is due, and the active release has all that was harvested.",
  failed: "Not done: the active release is as it was.",
};

export function runText(summary: RunSummary): string {
  const { harvests, release, gated, findings, published, failed, took } = summary;
  const row = (name: string, text: string) => `${name.padEnd(12)}${text}`;
  const steps = took.steps.map(({ step, seconds }) => `${step} ${duration(seconds)}`).join(", ");
  return [
    `${OUTCOMES[summary.outcome]}${summary.resumed ? " It went on with a run that had not come to its end." : ""}`,
    ...harvests.map((each, i) => row(i === 0 ? "harvested" : "", harvestText(each))),
    ...(release === null ? [] : [row("release", releaseText(release, summary.asOf))]),
    ...gated.map(({ gate, source, detail }) => row("gate", [gate, source, detail].filter(Boolean).join(": "))),
    ...findings.slice(0, 20).map(({ check, detail }) => row("found", `${check}: ${detail}`)),
    ...(published === null
      ? []
      : [row("published", `${published.target}: ${plural(published.uploaded, "file")} sent`)]),
    ...notifiedText(summary.notified).map((line) => row("notified", line)),
    ...(failed === null ? [] : [row("failed", failed.step)]),
    row("took", `${duration(took.seconds)}${steps === "" ? "" : `: ${steps}`}`),
  ].join("\n");
}

function harvestText({ source, outcome, last, records, refused, resumed, why }: HarvestOfRun): string {
  if (outcome === "not-due") return `${source}: not due, harvested ${last ?? "never"}`;
  if (outcome === "failed") return `${source}: failed: ${why}`;
  const came = `${source}: ${plural(records, "record")}${refused > 0 ? `, ${refused} refused` : ""}`;
  const taken = resumed ? ", taken up where it stopped" : "";
  return `${came}${taken}${outcome === "complete" ? "" : `, ${outcome}: ${why}`}`;
}

function releaseText(
  { releaseDigest, scoreReleaseVersion, scored, built }: NonNullable<RunSummary["release"]>,
  asOf: string,
): string {
  const made = built ? "" : ", which a run before had made";
  return `${scoreReleaseVersion} ${releaseDigest}, as of ${asOf}, ${scored} scored${made}`;
}
