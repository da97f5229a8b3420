/** share-release release activate and rollback: make another release the active one. */

import type { Command } from "commander";
import { failedGates } from "../../pipeline/6-release/gates.ts";
import { activate, findRelease } from "../../pipeline/store/releases.ts";
import { isContested } from "../../pipeline/store/revocations.ts";
import { rollback } from "../../releases/rollback.ts";
import { requireWithheld } from "../options/accounts.ts";
import { clocked } from "../options/effects.ts";
import { type NotifyOptions, notifiedText, notifyRequestOf, told, withNotify } from "../options/notify-request.ts";
import { forceOption, Gated, namedRelease, RELEASE_NAMES } from "../options/releases.ts";
import { command, existingStoreOf, printResult, type SharedOptions } from "../options/shared.ts";

interface ActivateOptions extends SharedOptions, NotifyOptions {
  readonly force?: string;
}

export function activateCommand(): Command {
  const asked = command("activate", "make a finished release the active one", [
    "release activate 2026.11.01",
    "release activate 3f9c71 --webhook https://hooks.example/share --webhook-secret /etc/share-release/webhook-secret",
  ])
    .argument("<release>", RELEASE_NAMES)
    .addOption(forceOption);
  return withNotify(asked).action(async (name: string, options: ActivateOptions) => {
    const listeners = await notifyRequestOf(options);
    const store = existingStoreOf(options);
    const receipt = await findRelease(store, await namedRelease(store, name));
    const { releaseDigest, scoreReleaseVersion, gates, forced = null } = receipt;
    const gated = failedGates(gates);
    const reason = options.force ?? forced;
    if (gated.length > 0 && reason === null) throw await Gated.of(store, receipt, gated);
    if (options.force === undefined) await requireWithheld(options, releaseDigest);
    // The reason that was given at the build does not cover a later retraction or revocation.
    const why = (await isContested(store, releaseDigest)) ? (options.force ?? null) : gated.length > 0 ? reason : null;
    await activate(store, releaseDigest, { ...clocked(), reason: why });
    const notified = await told(listeners, receipt);
    const of = { ...(why === null ? {} : { forced: why }), ...(listeners === null ? {} : { notified }) };
    printResult(
      options,
      { activated: releaseDigest, scoreReleaseVersion, ...of },
      ({ forced: kept = null, ...result }) =>
        [
          `${result.scoreReleaseVersion} ${result.activated} is active${kept === null ? "" : ` (forced: ${kept})`}`,
          ...notifiedText(notified),
        ].join("\n"),
    );
  });
}

export function rollbackCommand(): Command {
  return command(
    "rollback",
    "make the release active again that was active before; a second time, the one before that",
    ["release rollback", "release rollback --json"],
  ).action(async (options: SharedOptions) => {
    const { from, releaseDigest, skipped, retracted, disowned } = await rollback(existingStoreOf(options), clocked());
    printResult(options, { activated: releaseDigest, from, skipped, retracted, disowned }, (result) =>
      [
        ...result.skipped.map((digest) => `${digest} was active in between, and is gone`),
        ...result.retracted.map((digest) => `${digest} was active in between, and was retracted`),
        ...result.disowned.map((digest) => `${digest} was active in between, and is by a revoked key`),
        `${result.activated} is active again, instead of ${result.from ?? "none"}`,
      ].join("\n"),
    );
  });
}
