/** share-release release retract: withdraws a release by a signed statement, for ever. */

import { type Command, InvalidArgumentError } from "commander";
import { findKnownDigest } from "../../pipeline/store/releases.ts";
import { type RetractionResult, retract } from "../../releases/retract.ts";
import { LONGEST_REASON, retractionReason } from "../../schemas/public/retraction.ts";
import { clocked } from "../options/effects.ts";
import { UsageError } from "../options/exit-codes.ts";
import { namedRelease, RELEASE_NAMES } from "../options/releases.ts";
import { command, existingStoreOf, printResult, type SharedOptions } from "../options/shared.ts";
import { signerFrom, signOption } from "../options/signing.ts";

interface RetractOptions extends SharedOptions {
  readonly reason: string;
  readonly sign?: readonly string[];
}

export function retractCommand(): Command {
  return command("retract", "withdraw a release by a signed statement, which is kept for ever and goes to mirrors", [
    'release retract 2026.11.01 --reason "Citations were counted twice." --sign signing-key.json',
  ])
    .argument("<release>", `${RELEASE_NAMES}; it may have been pruned`)
    .requiredOption("--reason <text>", `why, for everybody to read: one line, ${LONGEST_REASON} characters`, reasonOf)
    .addOption(signOption)
    .action(async (given: string, { reason, sign, ...options }: RetractOptions) => {
      const store = existingStoreOf(options);
      const releaseDigest = await namedRelease(store, given, findKnownDigest);
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

function textOf({ releaseDigest, retractedAt, reason, active }: RetractionResult): string {
  return [
    `${releaseDigest} is retracted since ${retractedAt}: ${reason}`,
    ...(active
      ? [
          "it is the active release, and is still served: run `share-release release activate` with another one, or `share-release release rollback`",
        ]
      : []),
    "`share-release release publish` carries it to where releases are published",
  ].join("\n");
}
