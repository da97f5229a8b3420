/** The receipt of a release: read, compared with itself, and its signature checked. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { digestOf, withheldDigest } from "../../pipeline/6-release/digest.ts";
import { totalRefused } from "../../pipeline/6-release/index.ts";
import { RULE_FILES } from "../../pipeline/diff/rules.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { policyDigest } from "../../pipeline/rubrics/contracts.ts";
import { disowned } from "../../pipeline/store/disowned.ts";
import { storeKeys } from "../../pipeline/store/key-set.ts";
import { KeyUnusable, revokedWords, signatureFault, type TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DIFF_FILE, releaseDiff } from "../../schemas/public/api/diff.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { publishedName, tablesOf } from "../../schemas/public/tables.ts";
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

/** A diff is with the predecessor or, where that is of another format, with nothing. */
export async function verifyChain(folder: string, { previousReleaseDigest }: Receipt, found: Found): Promise<void> {
  const text = await readFile(join(folder, DIFF_FILE), "utf8").catch(() => null);
  // Whether a release may be without is asked of its manifest.
  if (text === null) return;
  const from = predecessorIn(text);
  if (from === undefined) found("chain", `${DIFF_FILE} cannot be read`);
  else if (from !== null && from !== previousReleaseDigest)
    found(
      "chain",
      `${DIFF_FILE} compares with ${from}, the receipt says ${previousReleaseDigest} for previousReleaseDigest`,
    );
}

/** Undefined where the text is no diff. */
function predecessorIn(text: string): string | null | undefined {
  try {
    return releaseDiff.pick({ from: true }).parse(JSON.parse(text)).from?.releaseDigest ?? null;
  } catch {
    return undefined;
  }
}

const COUNTED = ["scored", "insufficient", "failed", "duplicates", "tombstones", "notDataset"] as const;

/** `db` holds the tables of the release under their names. */
export async function verifySourceCounts(db: Database, { rubrics, sources }: Receipt, found: Found): Promise<void> {
  const published = new Set(rubrics.map(({ version }) => version));
  const version = PUBLIC_VERSIONS.find((each) => published.has(each)) ?? "";
  await db.runFile(new URL("./source-counts.sql", import.meta.url), { version });
  const rows = await db.rows("select * from source_count order by source");
  const held = new Map(rows.map((row) => [String(row.source), row]));
  for (const { source, coverage, oldestRetrieval, newestRetrieval } of sources) {
    const row = held.get(source);
    held.delete(source);
    for (const name of COUNTED) {
      const count = Number(row?.[name] ?? 0);
      if (count !== coverage[name])
        found("coverage", `the tables hold ${count} ${name} of ${source}, the receipt says ${coverage[name]}`);
    }
    const [oldest, newest] = [row?.oldest ?? null, row?.newest ?? null].map((time) =>
      time === null ? null : String(time),
    );
    const within = (oldest ?? "9") >= (oldestRetrieval ?? "") && (newest ?? "") <= (newestRetrieval ?? "");
    if (!within)
      found(
        "coverage",
        `records of ${source} were retrieved from ${oldest} to ${newest}, the receipt says from ${oldestRetrieval} to ${newestRetrieval}`,
      );
  }
  for (const source of held.keys())
    found("coverage", `the tables hold records of ${source}, which the receipt does not name`);
}

/** `read` is what the schema made of `json`. */
function unknownMembers(json: unknown, read: unknown, path = ""): string[] {
  if (Array.isArray(json)) {
    const items: readonly unknown[] = Array.isArray(read) ? read : [];
    return json.flatMap((item, place) => unknownMembers(item, items[place], `${path}[${place}]`));
  }
  if (typeof json !== "object" || json === null) return [];
  const known = new Map(typeof read === "object" && read !== null ? Object.entries(read) : []);
  return Object.entries(json).flatMap(([name, value]) => {
    const below = path === "" ? name : `${path}.${name}`;
    return known.has(name) ? unknownMembers(value, known.get(name), below) : [below];
  });
}

/** Inputs that are no entry of a file of the release. */
const OTHERS = ["asOf", "enrichments", "pages", "policy", "vocabularies", "withheld"] as const;

/** Every entry of the files is an input, and every input is an entry or known for what it is. */
export async function verifyInputs(folder: string, { content, policy }: Receipt, found: Found): Promise<void> {
  const held = new Map<string, string | undefined>();
  for (const name of OTHERS) if (name !== "policy" || policy !== undefined) held.set(name, content.inputs[name]);
  for (const [kind, path] of [
    ["contract", RULE_FILES.contracts],
    ["pledge", RULE_FILES.pledges],
  ] as const) {
    for (const [name, entry] of await entriesOf(join(folder, path))) {
      held.set(`${kind} ${name}`, digestIn(entry));
    }
  }
  for (const name of new Set([...held.keys(), ...Object.keys(content.inputs)])) {
    const [said, given] = [content.inputs[name], held.get(name)];
    if (said === undefined) found("input", `${name} is no input of the release digest`);
    else if (given === undefined) found("input", `no file of the release holds the ${name} that its digest is over`);
    else if (said !== given) found("input", `the ${name} of the release is ${given}, its digest is over ${said}`);
  }
}

/** None of a file that is missing or is no JSON: every input that it should hold is then found to be nowhere. */
async function entriesOf(path: string): Promise<[string, unknown][]> {
  try {
    return Object.entries(Object(JSON.parse(await readFile(path, "utf8"))));
  } catch {
    return [];
  }
}

/** What cannot be spelled, such as a fraction, is none that a digest is over. */
function digestIn(entry: unknown): string {
  try {
    return digestOf(canonicalJson(entry));
  } catch {
    return "without a digest";
  }
}
