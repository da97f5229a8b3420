/** The signal that a dispute is about, as the active release has it, and who the record's creators are. */

import { z } from "zod";
import type { RubricVersion } from "../../../schemas/public/api/evaluation.ts";
import { author, recordId, signalResult } from "../../../schemas/public/api/record.ts";
import type { ScoreRelease } from "../../../schemas/public/release.ts";
import type { ContractId } from "../../../schemas/public/rubric.ts";
import type { SignalState } from "../../../schemas/public/signal.ts";
import { pageOfRecord } from "../../evaluations/published.ts";
import { contractOf } from "../../evaluations/wanted.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";

export interface DisputedSignal {
  /** Of the record that the release lists, whichever of its ids was asked for. */
  readonly recordId: string;
  readonly contract: ContractId;
  readonly state: SignalState;
  readonly release: ScoreRelease;
  /** Ids of those creators who are researchers. */
  readonly creators: ReadonlySet<string>;
}

/** What is read of a record's page. */
const page = z.object({
  id: recordId,
  authors: z.array(author.pick({ id: true })),
  signals: z.array(signalResult.pick({ id: true, state: true })),
});

/** @throws ProblemError `dataset-not-found`, `rubric-not-published`, `no-release` */
export async function disputedSignal(
  {
    id,
    signal,
    rubricVersion,
  }: { readonly id: string; readonly signal: string; readonly rubricVersion: RubricVersion },
  active: ActiveRelease,
): Promise<DisputedSignal> {
  const contract = await contractOf(rubricVersion);
  return active.use(async (opened) => {
    const { rubrics, scoreReleaseVersion, releaseDigest } = opened.receipt;
    const version = rubrics.find((rubric) => rubric.contract === contract)?.version;
    if (version === undefined) throw unpublished(contract, rubrics);
    const found = recordId.safeParse(id).success ? await pageOfRecord(id, opened, version) : null;
    if (found === null) {
      throw new ProblemError("dataset-not-found", "The active release lists no dataset of this id.");
    }
    const record = page.parse(JSON.parse(Buffer.from(found).toString("utf8")));
    const judged = record.signals.find((each) => each.id === signal);
    if (judged === undefined) throw new Error(`the page of ${record.id} has no signal ${signal}`);
    return {
      recordId: record.id,
      contract,
      state: judged.state,
      release: { scoreReleaseVersion, releaseDigest },
      creators: new Set(record.authors.flatMap((each) => (each.id === null ? [] : [each.id]))),
    };
  });
}

function unpublished(contract: ContractId, rubrics: readonly { readonly contract: string }[]): ProblemError {
  const published = rubrics.map((rubric) => rubric.contract).join(" and ");
  return new ProblemError(
    "rubric-not-published",
    `The active release has no pages under ${contract}; it has those of ${published}.`,
  );
}
