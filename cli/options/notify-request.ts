/** Reads --webhook: the URLs to notify about an activation, and the secret that signs the messages. */

import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { type NotifyRequest, type NotifyResult, notify, secretBytes } from "../../releases/notify.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { effectsWithFetch, networkFetch } from "./effects.ts";
import { requireValue } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import type { SettingName } from "./settings.ts";
import { httpUrl, plainPath, readableFile } from "./shared.ts";

export interface NotifyOptions {
  readonly webhook?: string[];
  readonly webhookSecret?: string;
}

const VARIABLE = "SHARE_WEBHOOK_SECRET" satisfies SettingName;

export function withNotify(command: Command): Command {
  return command
    .option(
      "--webhook <url>",
      "Send a signed webhook to this URL after the activation; repeat the option for more URLs",
      (url: string, before: string[] = []) => [...before, url],
    )
    .option(
      "--webhook-secret <file>",
      `File with the secret that signs webhooks: whsec_ and base64 (default: ${VARIABLE})`,
    );
}

/**
 * Returns the webhooks of the options; null if there are none. Error messages do not contain URLs or secrets.
 * @throws UsageError
 */
export async function readNotifyRequest({
  webhook: urls = [],
  webhookSecret,
}: NotifyOptions): Promise<NotifyRequest | null> {
  if (urls.length === 0) {
    if (webhookSecret !== undefined)
      throw new UsageError(
        "--webhook-secret requires --webhook: give the URL to notify, or leave out --webhook-secret",
      );
    return null;
  }
  // Private addresses are allowed, because the operator chose them.
  const addresses = urls.map((url) => httpUrl("--webhook", url));
  const file =
    webhookSecret === undefined
      ? null
      : await readableFile("--webhook-secret", plainPath("--webhook-secret", webhookSecret));
  const text = file === null ? requireValue(VARIABLE) : await readFile(file, "utf8");
  const origin = file === null ? VARIABLE : "--webhook-secret";
  if (text === null) throw new UsageError(`--webhook needs a secret: give --webhook-secret FILE, or set ${VARIABLE}`);
  const secret = secretBytes(text);
  if (secret !== null) return { urls: addresses, secret };
  throw new UsageError(
    `${origin} does not contain a secret for webhooks: expected whsec_ and 24 to 64 bytes in base64. \`echo whsec_$(openssl rand -base64 32)\` prints one.`,
  );
}

/** Notifies all webhooks of an activation. The release remains active even if a webhook cannot be reached. */
export async function sendWebhooks(request: NotifyRequest | null, receipt: Receipt): Promise<NotifyResult[]> {
  return request === null ? [] : notify(request, receipt, effectsWithFetch(networkFetch));
}

export function notifiedText(notified: readonly NotifyResult[]): string[] {
  return notified.map(({ to, delivered, attempts, why }) =>
    delivered
      ? `webhook to ${to} delivered`
      : `webhook to ${to} failed after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}: ${why}`,
  );
}
