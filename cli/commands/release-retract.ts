/** share-release release retract: withdraws a release for good with a signed statement. */

import { type Command, InvalidArgumentError } from "commander";
import { signHead } from "../../pipeline/store/head.ts";
import { findKnownDigest } from "../../pipeline/store/releases.ts";
import { type RetractionResult, retract } from "../../releases/retract.ts";
import { MAX_REASON_LENGTH, retractionReason } from "../../schemas/public/retraction.ts";
import { clockEffects } from "../options/effects.ts";
import { UsageError } from "../options/exit-codes.ts";
import { namedRelease, RELEASE_NAMES } from "../options/releases.ts";
import { command, openExistingStore, printResult, type SharedOptions } from "../options/shared.ts";
import { signerFrom, signOption } from "../options/signing.ts";

interface RetractOptions extends SharedOptions {
  readonly reason: string;
  readonly sign?: readonly string[];
}

export function retractCommand(): Command {
  return command("retract", "Retract a release permanently by a signed statement, which mirrors receive too", [
    'release retract 2026.11.01 --reason "Citations were counted twice." --sign signing-key.json',
  ])
    .argument("<release>", `${RELEASE_NAMES}; it may already be pruned`)
    .requiredOption(
      "--reason <text>",
      `Public reason: one line of at most ${MAX_REASON_LENGTH} characters`,
      parseReason,
    )
    .addOption(signOption)
    .action(async (name: string, { reason, sign, ...options }: RetractOptions) => {
      const store = openExistingStore(options);
      const releaseDigest = await namedRelease(store, name, findKnownDigest);
      const signer = await signerFrom(sign, store);
      if (signer === null)
        throw new UsageError("a retraction needs a signature: give the private key with --sign or SHARE_SIGNING_KEY");
      const result = await retract(store, { releaseDigest, reason }, signer, clockEffects());
      await signHead(store, signer, clockEffects());
      printResult(options, result, formatText);
    });
}

function parseReason(text: string): string {
  const reason = retractionReason.safeParse(text.trim());
  if (!reason.success)
    throw new InvalidArgumentError(
      `expected a line of 1 to ${MAX_REASON_LENGTH} characters, without control characters.`,
    );
  return reason.data;
}

function formatText({ releaseDigest, retractedAt, reason, active }: RetractionResult): string {
  return [
    `${releaseDigest} was retracted at ${retractedAt}: ${reason}`,
    ...(active
      ? [
          "It is still the active release. Run `share-release release activate` with another release, or `share-release release rollback`.",
        ]
      : []),
    "Run `share-release release publish` to publish the retraction.",
  ].join("\n");
}
