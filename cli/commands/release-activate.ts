/** share-release release activate and rollback: make another release the active one. */

import type { Command } from "commander";
import { failedGates } from "../../pipeline/6-release/gates.ts";
import { activate, findRelease } from "../../pipeline/store/releases.ts";
import { isContested } from "../../pipeline/store/revocations.ts";
import { rollback } from "../../releases/rollback.ts";
import { requireHiddenAbsent } from "../options/accounts.ts";
import { clockEffects } from "../options/effects.ts";
import {
  type NotifyOptions,
  notifiedText,
  readNotifyRequest,
  sendWebhooks,
  withNotify,
} from "../options/notify-request.ts";
import { forceOption, GatesFailed, namedRelease, RELEASE_NAMES } from "../options/releases.ts";
import { command, openExistingStore, printResult, type SharedOptions } from "../options/shared.ts";
import { headLine, signerFrom, signOption } from "../options/signing.ts";

interface SignOptions extends SharedOptions {
  readonly sign?: readonly string[];
}

interface ActivateOptions extends SignOptions, NotifyOptions {
  readonly force?: string;
}

export function activateCommand(): Command {
  const activation = command("activate", "Activate a release", [
    "release activate 2026.11.01",
    "release activate 3f9c71 --webhook https://hooks.example/share --webhook-secret /etc/share-release/webhook-secret",
  ])
    .argument("<release>", RELEASE_NAMES)
    .addOption(forceOption)
    .addOption(signOption);
  return withNotify(activation).action(async (name: string, options: ActivateOptions) => {
    const webhooks = await readNotifyRequest(options);
    const store = openExistingStore(options);
    const signer = await signerFrom(options.sign, store);
    const receipt = await findRelease(store, await namedRelease(store, name));
    const { releaseDigest, scoreReleaseVersion, gates, forced = null } = receipt;
    const gated = failedGates(gates);
    const reason = options.force ?? forced;
    if (gated.length > 0 && reason === null) throw await GatesFailed.of(store, receipt, gated);
    if (options.force === undefined) await requireHiddenAbsent(options, releaseDigest);
    // The reason that was given at the build does not cover a later retraction or revocation.
    const why = (await isContested(store, releaseDigest)) ? (options.force ?? null) : gated.length > 0 ? reason : null;
    await activate(store, releaseDigest, { ...clockEffects(), reason: why });
    const head = await headLine(store, signer);
    const notified = await sendWebhooks(webhooks, receipt);
    const details = { ...(why === null ? {} : { forced: why }), ...(webhooks === null ? {} : { notified }) };
    printResult(
      options,
      { activated: releaseDigest, scoreReleaseVersion, ...details },
      ({ forced: recorded = null, ...result }) =>
        [
          `${result.scoreReleaseVersion} ${result.activated} is active${recorded === null ? "" : ` (forced: ${recorded})`}`,
          ...(head === null ? [] : [head]),
          ...notifiedText(notified),
        ].join("\n"),
    );
  });
}

export function rollbackCommand(): Command {
  return command("rollback", "Activate the previously active release; if repeated, the one before it", [
    "release rollback",
    "release rollback --json",
  ])
    .addOption(signOption)
    .action(async ({ sign, ...options }: SignOptions) => {
      const store = openExistingStore(options);
      const signer = await signerFrom(sign, store);
      const { from, releaseDigest, skipped, retracted, disowned } = await rollback(store, clockEffects());
      const head = await headLine(store, signer);
      printResult(options, { activated: releaseDigest, from, skipped, retracted, disowned }, (result) =>
        [
          ...result.skipped.map((digest) => `skipped ${digest}, which was removed`),
          ...result.retracted.map((digest) => `skipped ${digest}, which was retracted`),
          ...result.disowned.map((digest) => `skipped ${digest}, which is signed by a revoked key`),
          `${result.activated} is active again, instead of ${result.from ?? "none"}`,
          ...(head === null ? [] : [head]),
        ].join("\n"),
      );
    });
}
