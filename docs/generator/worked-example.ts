/**
 * The section with one invented trial and its score, signal by signal. The score is computed, so the text is always
 * right.
 */

import { scoreDraft } from "../../pipeline/evaluate/scorer.ts";
import { getContractId } from "../../pipeline/rubrics/contracts.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import { BUCKETS, POINTS_PER_SIGNAL } from "../../schemas/public/signal.ts";
import { blocks, table } from "./markdown.ts";

const TRIAL = {
  protocolSection: {
    identificationModule: {
      nctId: "NCT99000099",
      briefTitle: "Evening Light in Older Adults With Insomnia",
      secondaryIdInfos: [{ id: "R01XX099001", type: "NIH" }],
    },
    statusModule: { studyFirstPostDateStruct: { date: "2021-01-09" } },
    sponsorCollaboratorsModule: {
      leadSponsor: { name: "Norvale University Hospital", class: "OTHER" },
      collaborators: [{ name: "Alder Foundation", class: "OTHER" }],
    },
    descriptionModule: {
      briefSummary:
        "This trial asks whether two hours of bright light in the evening improve the sleep of people over sixty-five.",
      detailedDescription: "Lamps are worn as visors.",
    },
    conditionsModule: { conditions: ["Insomnia"], keywords: ["light therapy", "ageing"] },
    designModule: { studyType: "INTERVENTIONAL" },
    contactsLocationsModule: {
      overallOfficials: [{ name: "Jane Q. Steele, MD", role: "PRINCIPAL_INVESTIGATOR" }],
    },
    referencesModule: {
      references: [{ pmid: "99000001", type: "BACKGROUND", citation: "Ode K. Light at night. 2018." }],
    },
    ipdSharingStatementModule: { ipdSharing: "YES" },
  },
  documentSection: { largeDocumentModule: { largeDocs: [] } },
  derivedSection: { conditionBrowseModule: { meshes: [{ id: "D007319", term: "Insomnia" }] } },
};

/** The as-of date of the example. Another date would give the same score, because a trial has no embargo. */
const AS_OF = "2026-11-01";

const WORDS: Readonly<Record<string, string>> = { passed: "✓ yes", absent: "✗ no", unsupported: "– not possible here" };

/** Writes the score of the trial, a table of the signals with what the metadata say about each, and the next steps. */
export async function workedExample(): Promise<string> {
  const file = new TextEncoder().encode(JSON.stringify(TRIAL));
  const inputs = { contract: getContractId("2.0"), asOf: AS_OF, getReader };
  const { record, improvements } = await scoreDraft(sourceNamed("clinicaltrials"), file, inputs);
  if (record === null || record.score === null)
    throw new Error("the worked example has no score; add metadata to TRIAL");
  const { total } = record.score;
  const states = (state: string) => record.signals.filter((signal) => signal.state === state).length;
  const possible = states("passed") + states("absent");
  const rows = BUCKETS.flatMap((bucket) =>
    record.signals
      .filter((signal) => signal.bucket === bucket)
      .map((signal) => [`${signal.id} ${signal.name}`, said(signal, record), WORDS[signal.state] ?? signal.state]),
  );
  const steps = improvements.map(({ advice, points }) => `- ${advice.join(" ")} **+${points} points.**`);
  return blocks(
    `“${record.title}” is a trial at ClinicalTrials.gov, which can show ${possible} of the 25 signals. It passed ${states("passed")} of them, so its score is ${states("passed")} × ${POINTS_PER_SIGNAL} = **${total} of ${record.cap}**.`,
    table(["signal", "the metadata say", "result"], rows),
    `The depositor can reach ${record.cap} of ${record.cap}:`,
    steps.join("\n"),
  );
}

const FACTS = new Map<string, string>(EVIDENCE.map(({ name, fact }) => [name, fact]));

function said({ state, evidence }: RecordDetail["signals"][number], { values = {} }: RecordDetail): string {
  if (state === "unsupported") return "ClinicalTrials.gov has no field for it";
  const [[column = "", value] = []] = Object.entries(evidence);
  const counted = values[column as keyof typeof values]?.counted ?? [];
  if (counted.length > 0) return counted.join(", ");
  const stated = value === true ? "yes" : value === false ? "no" : String(value ?? "not known");
  return `${FACTS.get(column) ?? column}: ${stated}`;
}
