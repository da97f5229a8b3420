/** The receipt of a release: read, compared with itself, and its signature checked. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { digestOf } from "../../pipeline/6-release/digest.ts";
import { totalRefused } from "../../pipeline/6-release/index.ts";
import { withheldDigest } from "../../pipeline/6-release/inputs.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { policyDigest } from "../../pipeline/rubrics/contracts.ts";
import { disowned } from "../../pipeline/store/disowned.ts";
import { storeKeys } from "../../pipeline/store/key-set.ts";
import { revokedWords, signatureFault, type TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import { KeyUnusable } from "../../pipeline/store/signing/keys.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import { publishedName, tablesOf } from "../../schemas/public/tables.ts";
import type { Found } from "./finding.ts";
import { unknownMembers } from "./unknown-members.ts";

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
    for (const member of unknownMembers(json, receipt)) {
      found("receipt", `release.json has the member ${member}, which this version knows nothing of`);
    }
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
    ["scoreReleaseVersion", receipt.scoreReleaseVersion.slice(0, DAY), content.inputs.asOf?.replaceAll("-", ".")],
    ["enrichments", digestOf(canonicalJson(receipt.enrichments)), content.inputs.enrichments],
    ["withheld", receipt.withheld.digest, content.inputs.withheld],
    ["the tables", Object.keys(content.tables).sort().join(), tablesOf(receipt).map(publishedName).sort().join()],
    ["policy", receipt.policy === undefined ? undefined : policyDigest(receipt.policy), content.inputs.policy],
    ["tool.name", receipt.tool.name, "share-release"],
    ...receipt.rubrics.map((rubric): [string, string | undefined, string | undefined] => [
      `rubric ${rubric.version}`,
      rubric.digest,
      content.inputs[`contract ${rubric.contract}`],
    ]),
  ];
  for (const [name, said, held] of claims) {
    if (said !== held) found("receipt", `release.json says ${said} for ${name}, and the release holds ${held}`);
  }
  for (const fault of sumFaults(receipt)) found("receipt", `release.json contradicts itself: ${fault}`);
}

/** Characters of a version before the number that tells releases of a day apart. */
const DAY = "2026.11.01".length;

/** What follows from other members of the same receipt. */
function sumFaults({ sources, coverage, refused, withheld, gates, forced }: Omit<Receipt, "content">): string[] {
  const faults: string[] = [];
  for (const [name, said] of Object.entries(coverage)) {
    const sum = sources.reduce((total, source) => total + (new Map(Object.entries(source.coverage)).get(name) ?? 0), 0);
    if (sum !== said) faults.push(`the sources have ${sum} ${name}, and coverage says ${said}`);
  }
  const total = totalRefused(sources);
  if (canonicalJson(total) !== canonicalJson(refused)) faults.push("what the sources refused is not what is refused");
  const nobody = withheld.digest === withheldDigest([]);
  if (nobody !== (withheld.count === 0))
    faults.push(`${withheld.count} are withheld, of a list of ${nobody ? "none" : "some"}`);
  const open = gates?.every(({ passed }) => passed) ?? true;
  if (open && (forced ?? null) !== null) faults.push("it passed every gate, and is said to have been forced");
  return faults;
}

/** Without keys a signature proves nothing, and is not looked at. */
export async function verifySignature(
  { json }: ReadReceipt,
  keys: readonly TrustedKey[] | null,
  found: Found,
): Promise<void> {
  if (keys === null) return;
  const fault = await signatureFault(json, keys);
  if (fault !== null) found("signature", fault);
}

/** Without keys: whether the store at hand knows that its key is revoked. */
export async function verifyNotDisowned(
  { json }: ReadReceipt,
  {
    keys = null,
    predecessors = null,
  }: { readonly keys?: readonly TrustedKey[] | null; readonly predecessors?: Store | null },
  found: Found,
): Promise<void> {
  if (keys !== null || predecessors === null) return;
  try {
    const by = await disowned(json, await storeKeys(predecessors));
    if (by !== null) found("signature", `it is signed ${revokedWords([{ kid: by.kid, revoked: by.since }])}`);
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error;
    found("keys", error.message);
  }
}

/** The digest a folder is named by; null for another name, as downloaded copies may have. */
export function digestOfFolder(folder: string): string | null {
  const name = basename(folder);
  return /^sha256-[0-9a-f]{64}$/.test(name) ? name.replace("-", ":") : null;
}
