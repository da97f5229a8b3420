/** Disputes: somebody says that a signal of a record is wrong, and why. */

import { z } from "zod";
import { rubricVersion } from "../api/evaluation.ts";
import { recordRow } from "../api/record.ts";
import { correctedAt, disputedSignal, disputeState, mendedIn, truth } from "../dispute.ts";
import { instant } from "../scalars.ts";
import { accountListOf } from "./list.ts";
import { plainText } from "./plain-text.ts";
import { EXAMPLE_MOMENTS, shape } from "./shape.ts";
import { idOfRecord, reason } from "./texts.ts";

const LONGEST_ADDRESS = 2048;
const LONGEST_EVIDENCE = 2000;

export const disputeId = z.string().regex(/^w[0-9a-f]{24}$/);
export const EXAMPLE_DISPUTE = "w2e9b60f4a17d83c5e0b94f7a";

/** For whom somebody speaks: a creator of the dataset, or the repository that holds it. */
export const DISPUTE_ROLES = ["creator", "repository"] as const;
export const disputeRole = z
  .enum(DISPUTE_ROLES, `must be one of ${DISPUTE_ROLES.join(", ")}`)
  .describe(
    "`creator`: of who has an approved claim of one of the record's creators. `repository`: of who speaks for the repository, which a moderator judges.",
  );

const evidenceUrl = plainText({ least: 1, most: LONGEST_ADDRESS })
  .refine(isWebAddress, "must be an address such as https://example.org/page")
  .meta({ minLength: 1, maxLength: LONGEST_ADDRESS, format: "uri" })
  .describe("Address of a page that shows it, http or https.");

/**
 * Never with a name or a password in it, which a reader would take for the host; and with a host of its own: `https:x` is a
 * page of the site that shows it.
 */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^/\\\s]\S*$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

const ARGUED = {
  signal: "R1",
  says: "present",
  role: "creator",
  evidenceUrl: "https://example.org/records/1/files/LIESMICH.txt",
  evidence: "LIESMICH.txt explains every column.",
} as const;

/** Unknown members are ignored. */
export const disputeRequest = shape(
  "DisputeRequest",
  z
    .object(
      {
        recordId: idOfRecord,
        rubricVersion: rubricVersion.optional().describe("The version it was judged under; SHARE 2.0 where left out."),
        signal: z
          .string("must be text")
          .regex(/^[SHARE][1-5]$/, "must be the id of a signal, such as S1")
          .describe("The signal that is said to be wrong."),
        says: truth,
        role: disputeRole.default("creator"),
        evidenceUrl: evidenceUrl.optional(),
        evidence: plainText({ least: 1, most: LONGEST_EVIDENCE, lines: true })
          .optional()
          .describe("The evidence in words; this or an address must be given."),
        statement: reason
          .optional()
          .describe("More for the moderator; who speaks for a repository says here how that can be checked."),
      },
      "must be a JSON object",
    )
    .superRefine(({ role, evidence, evidenceUrl: address, statement }, context) => {
      if (evidence === undefined && address === undefined) {
        context.addIssue({ code: "custom", path: ["evidence"], message: "must be given, or evidenceUrl" });
      }
      if (role === "repository" && (statement === undefined || statement === "")) {
        const message = "must say how it can be checked that you speak for the repository";
        context.addIssue({ code: "custom", path: ["statement"], message });
      }
    })
    .describe("A signal that is said to be wrong, and what shows it."),
  ({ record }) => ({ recordId: record.id, ...ARGUED }),
);

export const dispute = shape(
  "Dispute",
  z
    .object({
      id: disputeId,
      recordId: z.string(),
      ...disputedSignal,
      role: disputeRole,
      evidenceUrl: z.string().nullable(),
      evidence: z.string().nullable(),
      statement: z.string().nullable(),
      state: disputeState,
      answer: z.string().nullable().describe("The sentence of the moderator; null while it is open."),
      createdAt: instant,
      answeredAt: instant.nullable().describe("Null while it is open."),
      correctedAt,
      mendedIn,
      record: recordRow
        .nullable()
        .describe("The record as the active release lists it under SHARE 2.0; null where it does not."),
    })
    .describe("A dispute of one's own."),
  ({ record }) => ({
    id: EXAMPLE_DISPUTE,
    recordId: record.id,
    contract: "2.0.0-beta.2" as const,
    publishedState: "absent" as const,
    release: { scoreReleaseVersion: "2026.11.01", releaseDigest: `sha256:${"4d".repeat(32)}` },
    ...ARGUED,
    statement: null,
    state: "open" as const,
    answer: null,
    createdAt: EXAMPLE_MOMENTS.later,
    answeredAt: null,
    correctedAt: null,
    mendedIn: null,
    record,
  }),
);
export type Dispute = z.infer<typeof dispute>;

export const disputeList = accountListOf("DisputeList", dispute);
