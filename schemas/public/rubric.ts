/** A contract: 25 signals, each with a rule over evidence. A published contract never changes (pipeline/rubrics/). */

import { z } from "zod";
import { EVIDENCE_NAMES, type EvidenceName, evidenceName } from "./evidence.ts";
import { named } from "./named.ts";
import { listPredicateColumns, PredicateError, parsePredicate } from "./predicate.ts";
import { BUCKETS, bucketId, SIGNAL_IDS, signalId } from "./signal.ts";

const known = new WeakMap<Pick<Signal, "needs" | "notEvaluableWhen">, readonly EvidenceName[]>();

/** Returns the evidence columns that decide a signal. The result is cached, because every record needs it. */
export function judgingColumns(signal: Pick<Signal, "needs" | "notEvaluableWhen">): readonly EvidenceName[] {
  const before = known.get(signal);
  if (before !== undefined) return before;
  const hiding = signal.notEvaluableWhen === null ? [] : listPredicateColumns(parsePredicate(signal.notEvaluableWhen));
  const columns = [
    ...signal.needs,
    ...EVIDENCE_NAMES.filter((name) => hiding.includes(name) && !signal.needs.includes(name)),
  ];
  known.set(signal, columns);
  return columns;
}

/**
 * A predicate over evidence columns (predicate.ts). If it is not valid, the parameters of the issue contain the position of
 * the fault.
 */
export const predicate = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    try {
      parsePredicate(text);
    } catch (error) {
      if (!(error instanceof PredicateError)) throw error;
      context.addIssue({ code: "custom", message: error.message, params: { at: error.at, unknown: error.unknown } });
    }
  });

/** The public versions, the default first. */
export const PUBLIC_VERSIONS = ["2.0", "1.0"] as const;
export const publicVersion = named("PublicVersion", z.enum(PUBLIC_VERSIONS).describe("A public SHARE version."));
export type PublicVersion = z.infer<typeof publicVersion>;

export const CONTRACTS = ["1.0.0", "2.0.0-beta.1", "2.0.0-beta.2"] as const;
export const contractId = z.enum(CONTRACTS);
export type ContractId = z.infer<typeof contractId>;

/** A contract id in a file of a release. This program version may not have the contract. */
export const releasedContractId = z.string().regex(/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/);

export const rubricStatus = z.enum(["current", "superseded", "historical"]);

/** The present status of each contract. The status is not in the file of the contract, because that file never changes. */
export const STANDING = {
  "1.0.0": { publicVersion: "1.0", status: "historical" },
  "2.0.0-beta.1": { publicVersion: null, status: "superseded" },
  "2.0.0-beta.2": { publicVersion: "2.0", status: "current" },
} as const satisfies Record<
  ContractId,
  { readonly publicVersion: PublicVersion | null; readonly status: z.infer<typeof rubricStatus> }
>;

/** Contracts without a public version. A release can contain scores under them in addition. */
export const OTHER_CONTRACTS: readonly ContractId[] = CONTRACTS.filter((id) => STANDING[id].publicVersion === null);

export const signal = named(
  "Signal",
  z
    .strictObject({
      id: signalId,
      bit: z.int().min(0).max(24),
      bucket: bucketId,
      key: z.string().regex(/^[a-z][a-z0-9_]*$/),
      name: z.string().min(1),
      question: z.string().endsWith("?"),
      rationale: z.string().min(1),
      rule: predicate.describe("SQL predicate over evidence columns. If it is true, the signal passes."),
      needs: z.array(evidenceName).min(1).describe("The evidence columns of the rule."),
      notEvaluableWhen: predicate.nullable().describe("SQL predicate of the state `not_evaluable`, or null."),
      fair: z
        .string()
        .regex(/^[FAIR]\d(\.\d)?$/)
        .describe("The related FAIR sub-principle."),
      advice: z.string().min(1).describe("Advice for the depositor."),
    })
    .describe("One of the 25 signals of a contract: a rule over evidence."),
);
export type Signal = z.infer<typeof signal>;

export const bucket = named(
  "Bucket",
  z
    .strictObject({
      id: bucketId,
      key: z.string(),
      name: z.string(),
      question: z.string(),
      description: z.string(),
    })
    .describe("One of the five buckets: five signals, 20 points."),
);

function rubricNamed<Id extends z.ZodType<string>>(contract: Id) {
  return z
    .strictObject({
      contract,
      publicVersion: publicVersion.nullable(),
      status: rubricStatus,
      title: z.string(),
      summary: z.string(),
      buckets: z.array(bucket).length(BUCKETS.length),
      signals: z.array(signal).length(SIGNAL_IDS.length),
    })
    .refine((value) => value.signals.every((entry, bit) => entry.bit === bit && entry.id === SIGNAL_IDS[bit]), {
      error:
        "signals must be in the order S1 to S5, H1 to H5, A1 to A5, R1 to R5, E1 to E5, with bit 0 for the first and 24 for the last",
    });
}

export const rubric = rubricNamed(contractId);
export type Rubric = z.infer<typeof rubric>;

export const releasedRubric = rubricNamed(releasedContractId);
export type ReleasedRubric = z.infer<typeof releasedRubric>;
