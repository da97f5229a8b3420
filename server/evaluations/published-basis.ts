/** What the score of a published record rests on, from what its release carries. */

import { type Rules, rulesOf } from "../../pipeline/diff/rules.ts";
import { basisOf } from "../../pipeline/evaluate/evaluation.ts";
import { NO_POLICY } from "../../pipeline/rubrics/contracts.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { ContractId } from "../../schemas/public/rubric.ts";
import type { OpenRelease } from "../read/release/open-release.ts";

/** Read once for each release that is open. */
const RULES = new WeakMap<Receipt, Promise<Rules | null>>();

/** Null where the release does not carry its rules, or they cannot be read: the score is published all the same. */
export async function publishedBasis(
  { id, identifier }: Pick<RecordDetail, "id" | "identifier">,
  contractId: ContractId,
  release: OpenRelease,
  log: Effects["log"],
): Promise<EvaluationBasis | null> {
  const { receipt } = release;
  const [source] = identifier.split("/");
  const rules = await rulesIn(release).catch((error: unknown) => {
    log({ level: "error", event: "rules-unreadable", release: receipt.releaseDigest, message: String(error) });
    return null;
  });
  const contract = rules?.contracts.get(contractId);
  const pledge = rules?.pledges.get(source ?? "");
  if (contract === undefined || pledge === undefined) return null;
  const [row] = await release.prepared.rows(
    "select cast(evidence_errors as varchar) from evidence where evidence.id = $id",
    { id },
  );
  return basisOf({
    asOf: receipt.asOf,
    contract,
    pledge,
    policy: receipt.policy ?? NO_POLICY,
    reader: receipt.sources.find((each) => each.source === source)?.reader ?? null,
    // What could not be read at all has no evidence, and none of it is in error.
    evidenceErrors: BigInt(String(row?.[0] ?? 0)),
  });
}

function rulesIn({ folder, receipt }: OpenRelease): Promise<Rules | null> {
  const known = RULES.get(receipt);
  if (known !== undefined) return known;
  const read = rulesOf(folder, receipt);
  RULES.set(receipt, read);
  read.catch(() => RULES.delete(receipt));
  return read;
}
