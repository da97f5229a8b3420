/** --webhook: who is told of an activation, and the secret that the message is signed with. */

import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { type NotifyRequest, type NotifyResult, notify, secretBytes } from "../../releases/notify.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { effectsOver } from "./effects.ts";
import { requireValue, type VariableName } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import { httpAddress, plainPath, readableFile } from "./shared.ts";

export interface NotifyOptions {
  readonly webhook?: string[];
  readonly webhookSecret?: string;
}

const VARIABLE = "SHARE_WEBHOOK_SECRET" satisfies VariableName;

/** Adds the options to a command. */
export function withNotify(command: Command): Command {
  return command
    .option(
      "--webhook <url>",
      "once it is active, send this address a signed webhook; may be given again",
      (url: string, before: string[] = []) => [...before, url],
    )
    .option("--webhook-secret <file>", `the secret it is signed with, whsec_ and base64; else in ${VARIABLE}`);
}

/**
 * Null where nobody is to be told. Addresses and secrets are not repeated in what is said of them.
 * @throws UsageError
 */
export async function notifyRequestOf({
  webhook: urls = [],
  webhookSecret,
}: NotifyOptions): Promise<NotifyRequest | null> {
  if (urls.length === 0) {
    if (webhookSecret !== undefined) throw new UsageError("--webhook-secret is for --webhook: give an address to tell");
    return null;
  }
  // Any that the operator names, of this machine and this network too.
  const addresses = urls.map((url) => httpAddress("--webhook", url));
  const file =
    webhookSecret === undefined
      ? null
      : await readableFile("--webhook-secret", plainPath("--webhook-secret", webhookSecret));
  const text = file === null ? requireValue(VARIABLE) : await readFile(file, "utf8");
  const where = file === null ? VARIABLE : "--webhook-secret";
  if (text === null) throw new UsageError(`--webhook signs what it sends: give --webhook-secret FILE, or ${VARIABLE}`);
  const secret = secretBytes(text);
  if (secret !== null) return { urls: addresses, secret };
  throw new UsageError(
    `${where} holds no secret: whsec_ and 24 to 64 bytes in base64, such as \`echo whsec_$(openssl rand -base64 32)\` prints`,
  );
}

/** Sends, where anybody is to be told; the activation is over, and nothing that happens here undoes it. */
export async function told(request: NotifyRequest | null, receipt: Receipt): Promise<NotifyResult[]> {
  return request === null ? [] : notify(request, receipt, effectsOver(globalThis.fetch));
}

export function notifiedText(notified: readonly NotifyResult[]): string[] {
  return notified.map(({ to, delivered, attempts, why }) =>
    delivered ? `${to} was told` : `${to} was not told: ${why}, after ${attempts} ${attempts === 1 ? "try" : "tries"}`,
  );
}
