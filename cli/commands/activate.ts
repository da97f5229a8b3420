/** share-release activate: another finished release becomes the active one. */

import type { Command } from "commander";
import { failedGates } from "../../pipeline/6-release/gates.ts";
import { isSpokenAgainst } from "../../pipeline/store/disowned.ts";
import { activate, findRelease } from "../../pipeline/store/releases.ts";
import { clocked } from "../options/effects.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { forceOption, Gated } from "../options/gated.ts";
import { type NotifyOptions, notifyRequestOf, told, withNotify } from "../options/requests/notify-request.ts";
import { command, printResult, type SharedOptions } from "../options/shared.ts";
import { requireWithheld } from "../options/withheld.ts";
import { notifiedText } from "../text/runs/notified-text.ts";

interface ActivateOptions extends SharedOptions, NotifyOptions {
  readonly force?: string;
}

export function activateCommand(): Command {
  const asked = command("activate", "make a finished release the active one", [
    "activate sha256:3f9c",
    "activate 3f9c71 --notify https://hooks.example/share --notify-secret /etc/share-release/webhook-secret",
  ])
    .argument("<digest>", "its digest, or enough of the beginning to tell it from the others")
    .addOption(forceOption);
  return withNotify(asked).action(async (digest: string, options: ActivateOptions) => {
    const listeners = await notifyRequestOf(options);
    const store = existingStoreOf(options);
    const receipt = await findRelease(store, digest);
    const { releaseDigest, scoreReleaseVersion, gates, forced = null } = receipt;
    const gated = failedGates(gates);
    const reason = options.force ?? forced;
    if (gated.length > 0 && reason === null) throw await Gated.of(store, receipt, gated);
    if (options.force === undefined) await requireWithheld(options, releaseDigest);
    // What a gate was forced with when it was built says nothing of what was found out since.
    const why = (await isSpokenAgainst(store, releaseDigest))
      ? (options.force ?? null)
      : gated.length > 0
        ? reason
        : null;
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
