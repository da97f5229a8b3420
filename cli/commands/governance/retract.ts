/** share-release retract: a release is withdrawn by a signed statement, for ever. */

import { type Command, InvalidArgumentError } from "commander";
import { findKnownDigest } from "../../../pipeline/store/releases.ts";
import { type Retracted, retract } from "../../../releases/retract.ts";
import { LONGEST_REASON, retractionReason } from "../../../schemas/public/retraction.ts";
import { clocked } from "../../options/effects.ts";
import { existingStoreOf } from "../../options/existing-store.ts";
import { UsageError } from "../../options/exit-codes.ts";
import { command, printResult, type SharedOptions } from "../../options/shared.ts";
import { signerFrom, signOption } from "../../options/signing-key.ts";

interface RetractOptions extends SharedOptions {
  readonly reason: string;
  readonly sign?: readonly string[];
}

export function retractCommand(): Command {
  return command("retract", "withdraw a release by a signed statement, which is kept for ever and goes to mirrors", [
    'retract sha256:3f9c --reason "Citations were counted twice." --sign signing-key.json',
  ])
    .argument("<digest>", "its digest, or enough of the beginning to tell it from the others; it may have been pruned")
    .requiredOption("--reason <text>", `why, for everybody to read: one line, ${LONGEST_REASON} characters`, reasonOf)
    .addOption(signOption)
    .action(async (given: string, { reason, sign, ...options }: RetractOptions) => {
      const store = existingStoreOf(options);
      const releaseDigest = await findKnownDigest(store, given);
      const signer = await signerFrom(sign, store);
      if (signer === null)
        throw new UsageError("a retraction is signed: give the private key with --sign, or in SHARE_SIGNING_KEY");
      printResult(options, await retract(store, { releaseDigest, reason }, signer, clocked()), textOf);
    });
}

function reasonOf(text: string): string {
  const reason = retractionReason.safeParse(text.trim());
  if (!reason.success)
    throw new InvalidArgumentError(`expected a line of 1 to ${LONGEST_REASON} characters, without control characters.`);
  return reason.data;
}

function textOf({ releaseDigest, retractedAt, reason, active }: Retracted): string {
  return [
    `${releaseDigest} is retracted since ${retractedAt}: ${reason}`,
    ...(active ? ["it is the active release, and goes on being served: `activate` another one, or `rollback`"] : []),
    "`share-release publish` carries it to where releases are published",
  ].join("\n");
}
