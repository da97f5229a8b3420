/** The receipt of a release: read, compared with itself, and its signature checked. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { policyDigest } from "../../pipeline/rubrics/policy.ts";
import { signatureFault } from "../../pipeline/store/signing/check-signature.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import type { ReleaseKey } from "../../schemas/public/release-key.ts";
import type { Found } from "./finding.ts";

/** A receipt, and the JSON it was read from: the signature is over what the file says. */
export interface ReadReceipt {
  readonly receipt: Receipt;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Null where the folder has no receipt; undefined, and a finding, where what it has is none. */
export async function readForVerifying(folder: string, found: Found): Promise<ReadReceipt | null | undefined> {
  const text = await readFile(join(folder, "release.json"), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : readReceiptText(text, found);
}

/** The receipt in a text; undefined, and a finding, where it is none. */
export function readReceiptText(text: string, found: Found): ReadReceipt | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const receipt = receiptSchema.parse(json);
    // Another spelling can hold members twice, of which readers see different ones.
    if (text !== `${JSON.stringify(json, null, 2)}\n`)
      found("receipt", "release.json is not spelled as it was written");
    return { receipt, json: Object.fromEntries(Object.entries(Object(json))) };
  } catch {
    found("receipt", "release.json cannot be read");
    return undefined;
  }
}

/** What the receipt says twice it says alike: only `content` is under the digest, and the rest is read from it. */
export function verifyReceipt({ content, ...receipt }: Receipt, digest: string, found: Found): void {
  const claims: [string, string | undefined, string | undefined][] = [
    ["releaseDigest", receipt.releaseDigest, digest],
    ["asOf", receipt.asOf, content.inputs.asOf],
    ["withheld", receipt.withheld.digest, content.inputs.withheld],
    ["policy", receipt.policy === undefined ? undefined : policyDigest(receipt.policy), content.inputs.policy],
    ...receipt.rubrics.map((rubric): [string, string | undefined, string | undefined] => [
      `rubric ${rubric.version}`,
      rubric.digest,
      content.inputs[`contract ${rubric.contract}`],
    ]),
  ];
  for (const [name, said, held] of claims) {
    if (said !== held) found("receipt", `release.json says ${said} for ${name}, and the release holds ${held}`);
  }
}

/** Without keys a signature proves nothing, and is not looked at. */
export async function verifySignature(
  { json }: ReadReceipt,
  keys: readonly ReleaseKey[] | null,
  found: Found,
): Promise<void> {
  if (keys === null) return;
  const fault = await signatureFault(json, keys);
  if (fault !== null) found("signature", fault);
}

/** The digest a folder is named by; null for another name, as downloaded copies may have. */
export function digestOfFolder(folder: string): string | null {
  const name = basename(folder);
  return /^sha256-[0-9a-f]{64}$/.test(name) ? name.replace("-", ":") : null;
}
